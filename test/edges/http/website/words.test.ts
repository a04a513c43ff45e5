import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { statusOf } from '#src/contract/errors.ts';
import { catalogues, type PageLanguage, pageLanguages, pageTexts, withTranslation } from '#src/contract/languages.ts';
import { operations } from '#src/contract/operations.ts';
import { usageKinds } from '#src/credits/prices.ts';
import { operationName } from '#src/edges/http/website/parts/event-name.tsx';
import { operationLabel } from '#src/edges/http/website/parts/tabs.tsx';
import { refusalText, tryAgain } from '#src/edges/http/website/refusal-text.ts';
import { chooseLanguage, fill, listOf, plural, type Words, wordsOf } from '#src/edges/http/website/words.ts';
import { failureReasons, failureRow, isAboutUs } from '#src/extraction/failures.ts';
import type { RefusalCode } from '#src/kernel/refusal.ts';

type Node = string | readonly string[] | { readonly [key: string]: Node };

const isList = (node: Node): node is readonly string[] => Array.isArray(node);

const isPlural = (node: Node): node is { readonly other: string } =>
  typeof node !== 'string' && !isList(node) && typeof node['other'] === 'string' && typeof node['one'] !== 'object';

/** Every text by its path; the forms of a plural are one text. */
const textsOf = (node: Node, path: string): readonly (readonly [string, Node])[] =>
  typeof node === 'string' || isList(node) || isPlural(node)
    ? [[path, node]]
    : Object.entries(node).flatMap(([key, value]) => textsOf(value, `${path}.${key}`));

const placesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();

/** Texts with a number that no place has a value for: nothing, a time, a status, a unit. */
const numbersOfTexts = [
  ...['.transcript.keys.', '.transcript.readToday', '.transcript.unlessRead'],
  ...['.consent.wrongCredits', '.webhooks.reason.gone', '.webhooks.verdict.malformed'],
  ...['.plans.perThousand', '.serviceStatus.'],
];

const { en } = catalogues;
const english = new Map(textsOf(en, ''));

describe('the words of the pages', () => {
  for (const [language, translation] of Object.entries(pageTexts)) {
    it(`have no text in ${language} that English lacks, and the same places and its own plural forms`, (t) => {
      const own = new Map(textsOf(translation, ''));
      const missing = [...english.keys()].filter((path) => !own.has(path));
      // They are shown in English until they are translated.
      if (missing.length > 0) t.diagnostic(`not translated yet: ${missing.join(', ')}`);
      const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const [path, node] of own) {
        const origin = english.get(path);
        assert.ok(origin !== undefined, `English has no text ${path}`);
        if (isList(node)) continue;
        if (typeof node === 'string') {
          assert.ok(node.trim() !== '' || path === '.soundCues.besides', path);
          assert.deepEqual(placesIn(node), typeof origin === 'string' ? placesIn(origin) : [], path);
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

  it('write a number only where the contract has none for it', () => {
    const withNumber = [...english].flatMap(([path, text]) => (/\d/.test(JSON.stringify(text)) ? [path] : []));
    assert.deepEqual(
      withNumber.filter((path) => !numbersOfTexts.some((known) => path.startsWith(known))),
      [],
    );
  });

  it('are those of English where a language lacks them', () => {
    const translated = withTranslation(
      { title: 'Title', lines: { one: '{n} line', other: '{n} lines' }, menu: { open: 'Open' } },
      { lines: { other: '{n} 行' }, menu: {} },
    );
    assert.deepEqual(translated, { title: 'Title', lines: { other: '{n} 行' }, menu: { open: 'Open' } });
  });

  for (const language of pageLanguages) {
    it(`say every refusal, and every reason of a video, in ${language}`, () => {
      const words = wordsOf(language);
      for (const code of Object.keys(statusOf) as RefusalCode[]) {
        const details = { required: 5, remaining: 2 };
        const text = refusalText(words, { code, details });
        assert.match(text, /\S/, code);
        assert.doesNotMatch(text, /[{}]/, code);
      }
      for (const reason of failureReasons) {
        const { code } = failureRow(reason);
        const text = refusalText(words, { code, details: { reason } });
        assert.match(text, /\S/, reason);
        if (isAboutUs(code) || reason === 'not_found_or_deleted') continue;
        const isOfItsCode = /^(language_missing|playlist_not_found|channel_not_found)$/.test(reason);
        assert.equal(text === words.refusals.codes[code], isOfItsCode);
      }
    });

    it(`say when to try again in ${language}`, () => {
      const words = wordsOf(language);
      const texts = [1, 30, 120, 900, 7_200, 80_000].map((afterS) => tryAgain(words, afterS));
      assert.equal(new Set(texts).size, texts.length);
      for (const text of texts) assert.match(text, /\d/);
    });
  }

  it('name every kind of usage; an operation without a label is shown by its own name', (t) => {
    const named = Object.keys(en.operations);
    const unnamed = usageKinds.filter((kind) => !named.includes(kind));
    assert.deepEqual(new Set(named).difference(new Set(usageKinds)), new Set());
    assert.deepEqual(new Set(unnamed).difference(new Set(operations.map(({ name }) => name))), new Set());
    if (unnamed.length > 0) t.diagnostic(`not named yet: ${unnamed.join(', ')}`);
    const unlabelled = { ...en, operations: {}, tabs: { ...en.tabs, names: {} } } as Words;
    for (const operation of operations) {
      assert.equal(operationName(unlabelled, operation.name), operation.name);
      assert.equal(operationLabel(unlabelled, operation).toLowerCase(), operation.name);
    }
  });

  it('name wrong fields as refusals do', () => {
    const named = new Set(['unknown']);
    for (const file of globSync('src/**/*.ts')) {
      const refusals = readFileSync(file, 'utf8').matchAll(/path: '(\w+)',\s*code: '(\w+)'/g);
      for (const [, path, code] of refusals) named.add(`${path}.${code}`);
    }
    // Their path and code stand nowhere side by side: one is computed, or a page renames the path.
    const computed = {
      array: ['too_big', 'too_small'],
      channel_id: ['malformed'],
      email: ['invalid_email'],
      lang: ['custom'],
      number: ['invalid_type', 'too_big', 'too_small'],
      password: ['malformed', 'own_name', 'same', 'too_common', 'too_long', 'too_short', 'wrong'],
      playlist_id: ['malformed'],
      source: ['malformed', 'video'],
      string: ['too_big', 'too_small'],
      url: ['bad_scheme', 'blocked_address', 'has_userinfo', 'port_not_allowed'],
    };
    const ofComputed = Object.entries(computed).flatMap(([path, codes]) => codes.map((code) => `${path}.${code}`));
    const others = Object.keys(en.refusals.fields).filter((name) => !named.has(name));
    assert.deepEqual(others.sort(), ofComputed.sort());
  });

  it('say when to try again in the units of each language', () => {
    assert.equal(tryAgain(wordsOf('de'), 900), 'Versuchen Sie es in 15 Minuten erneut.');
    assert.equal(tryAgain(wordsOf('ja'), 7_200), '2 時間後にもう一度お試しください。');
  });

  it('count as each language counts', () => {
    const counted = (language: PageLanguage, n: number) => plural(language, wordsOf(language).many.videos, n);
    assert.equal(counted('en', 1), '1 video.');
    assert.equal(counted('ro', 2), '2 videoclipuri.');
    assert.equal(counted('ro', 20), '20 de videoclipuri.');
    assert.equal(counted('es', 1_000_000), '1.000.000 de vídeos.');
    assert.equal(counted('de', 1_234), '1.234 Videos.');
    assert.equal(counted('ja', 1), '動画 1 本。');
  });

  it('list names as each language lists them', () => {
    const listed = (['en', 'es', 'de', 'ja', 'ko'] as const).map((language) => listOf(language, ['A', 'B', 'C']));
    assert.deepEqual(listed, ['A, B, C', 'A, B y C', 'A, B und C', 'A、B、C', 'A, B 및 C']);
    assert.deepEqual([listOf('ja', []), listOf('ja', ['A'])], ['', 'A']);
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
