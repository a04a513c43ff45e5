import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { CaptionsKind, Track } from '#src/extraction/captions/caption-track.ts';
import { chooseTrack, translatedTrack } from '#src/extraction/tracks.ts';

const codes = ['en', 'en-GB', 'de', 'fr', 'pt-BR', 'zh-TW'] as const;

const trackOf = (kind: 'manual' | 'automatic', language: string): Track => ({
  id: `${kind === 'automatic' ? 'a' : ''}.${language}`,
  ...{ language, name: language, kind, isTranslatable: true, isRightToLeft: false },
});
const known = (...tracks: readonly Track[]) => ({ tracks, defaultTrackId: tracks[0]?.id ?? null });
const idOf = (tracks: ReturnType<typeof known>, language: string | null, captions?: CaptionsKind) =>
  chooseTrack(tracks, language, captions)?.track.id ?? null;

const someTracks = fc
  .uniqueArray(fc.tuple(fc.constantFrom('manual' as const, 'automatic' as const), fc.constantFrom(...codes)), {
    selector: ([kind, language]) => `${kind} ${language}`,
  })
  .map((each) => known(...each.map(([kind, language]) => trackOf(kind, language))));
const wantedLanguages = fc.uniqueArray(fc.constantFrom(...codes, 'ja', 'es'), { minLength: 1, maxLength: 6 });
const anyKind = fc.constantFrom<CaptionsKind>('any', 'manual', 'automatic');

describe('a list of languages', () => {
  const tracks = known(trackOf('automatic', 'en'), trackOf('manual', 'fr'), trackOf('automatic', 'fr'));

  it('selects the first available language, manual before automatic within it', () => {
    assert.equal(idOf(tracks, 'de,fr,en'), '.fr');
    assert.equal(idOf(tracks, 'en,fr'), 'a.en', 'the order of languages comes before the kind');
    assert.equal(idOf(tracks, 'de, FR'), '.fr');
    assert.equal(idOf(tracks, 'de,ja'), null);
  });

  it('selects what a search for its members one by one finds first, and nothing else', () => {
    fc.assert(
      fc.property(someTracks, wantedLanguages, anyKind, (there, languages, kind) => {
        const one = languages.map((language) => chooseTrack(there, language, kind)).find((choice) => choice !== null);
        const found = chooseTrack(there, languages.join(','), kind);
        assert.deepEqual(found, one ?? null);
        const base = found?.track.language.split('-')[0] ?? '';
        if (found !== null) assert.ok(languages.some((language) => language.split('-')[0] === base));
      }),
      { seed: 28, numRuns: 500 },
    );
  });
});

describe('a kind of captions', () => {
  it('is never substituted, and within it the choice is the same as without it', () => {
    fc.assert(
      fc.property(someTracks, fc.option(wantedLanguages), anyKind, (there, languages, kind) => {
        const language = languages?.join(',') ?? null;
        const found = chooseTrack(there, language, kind);
        if (kind === 'any') return;
        if (found !== null) assert.equal(found.track.kind, kind);
        if (language === null) return;
        const alone = { ...there, tracks: there.tracks.filter((each) => each.kind === kind) };
        assert.deepEqual(found, chooseTrack(alone, language));
      }),
      { seed: 29, numRuns: 500 },
    );
  });

  it('of a video without a wanted language is in that of its default track where it can be', () => {
    const tracks = known(trackOf('manual', 'de'), trackOf('automatic', 'en'), trackOf('automatic', 'de'));
    assert.equal(idOf(tracks, null), '.de');
    assert.equal(idOf(tracks, null, 'automatic'), 'a.de');
    assert.equal(idOf(known(trackOf('manual', 'de'), trackOf('automatic', 'en')), null, 'automatic'), 'a.en');
    assert.equal(idOf(known(trackOf('manual', 'de')), null, 'automatic'), null);
  });

  it('is the source of a translation by the platform, into the first of the languages', () => {
    const tracks = known(trackOf('manual', 'de'), trackOf('automatic', 'en'));
    const translated = translatedTrack(tracks, 'ja,fr', 'automatic');
    assert.deepEqual([translated?.sourceId, translated?.track.language], ['a.en', 'ja']);
    assert.equal(translatedTrack(known(trackOf('manual', 'de')), 'ja', 'automatic'), null);
  });
});
