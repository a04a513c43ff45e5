import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { en } from '#src/edges/http/website/messages/en.ts';
import {
  chooseLanguage,
  fill,
  plural,
  translations,
  type uiLanguages,
  wordsOf,
} from '#src/edges/http/website/messages/language.ts';

type Node = string | { readonly [key: string]: Node };

const isPlural = (node: Node): node is { readonly other: string } =>
  typeof node !== 'string' && typeof node['other'] === 'string' && typeof node['one'] !== 'object';

/** Every text by its path; the forms of a plural are one text. */
const textsOf = (node: Node, path: string): readonly (readonly [string, Node])[] =>
  typeof node === 'string' || isPlural(node)
    ? [[path, node]]
    : Object.entries(node).flatMap(([key, value]) => textsOf(value, `${path}.${key}`));

const placesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();

const english = new Map(textsOf(en, ''));

describe('the words of the pages', () => {
  for (const [language, translation] of Object.entries(translations)) {
    it(`have the same texts, places and plural forms in ${language} as in English`, () => {
      const own = new Map(textsOf(translation, ''));
      assert.deepEqual([...own.keys()].sort(), [...english.keys()].sort());
      const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const [path, node] of own) {
        const origin = english.get(path);
        assert.ok(origin !== undefined);
        if (typeof node === 'string') {
          assert.ok(node.trim() !== '', path);
          assert.deepEqual(
            placesIn(node),
            typeof origin === 'string' ? placesIn(origin) : [],
            path,
          );
          continue;
        }
        assert.deepEqual(Object.keys(node).sort(), [...categories].sort(), path);
        for (const [category, form] of Object.entries(node)) {
          const places = placesIn(String(form));
          if (category === 'one' && places.length === 0) continue;
          assert.deepEqual(places, ['n'], `${path}.${category}`);
        }
      }
    });
  }

  it('count as each language counts', () => {
    const counted = (language: (typeof uiLanguages)[number], n: number) =>
      plural(language, wordsOf(language).many.videos, n);
    assert.equal(counted('en', 1), '1 video.');
    assert.equal(counted('ro', 2), '2 videoclipuri.');
    assert.equal(counted('ro', 20), '20 de videoclipuri.');
    assert.equal(counted('es', 1_000_000), '1.000.000 de vídeos.');
    assert.equal(counted('de', 1_234), '1.234 Videos.');
    assert.equal(counted('ja', 1), '動画 1 本。');
  });

  it('come in the language that is asked for, kept in the cookie, or preferred by the browser', () => {
    assert.equal(chooseLanguage(['fr', 'de'], 'ja'), 'fr');
    assert.equal(chooseLanguage([null, 'de'], 'ja'), 'de');
    assert.equal(chooseLanguage([null, null], 'sv, pt-BR;q=0.8, ko;q=0.9'), 'ko');
    assert.equal(chooseLanguage(['xx', ''], 'sv'), 'en');
    assert.equal(chooseLanguage([null, 'pseudo'], 'en-XA'), 'en');
  });

  it('can all be made longer by two fifths, with their places', () => {
    assert.equal(chooseLanguage(['pseudo', null], ''), 'en-XA');
    const { home, site } = wordsOf('en-XA');
    assert.ok(site.describe.length >= en.site.describe.length * 1.4);
    assert.match(fill(home.allowance, { used: 7, limit: 600 }), /^\[7 óf 600 /);
  });
});
