import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Track } from '#src/extraction/captions/caption-track.ts';
import { captionAddress } from '#src/extraction/captions/timedtext.ts';
import { at } from '#src/extraction/json-path.ts';
import { type CaptionSet, chooseTrack, languagesOf, readCaptionSet } from '#src/extraction/tracks.ts';
import { recordedJson, recordingsMissing } from '#test/support/recordings.ts';

const track = (id: string, language = id.replace(/^a?\./, '')): Track => ({
  id,
  language,
  name: language,
  kind: id.startsWith('a.') ? 'automatic' : 'manual',
  isTranslatable: true,
  isRightToLeft: false,
});
const listing = (...ids: readonly string[]) => ({ tracks: ids.map((id) => track(id)), defaultTrackId: ids[0] ?? null });

describe('the choice of a track', () => {
  for (const [tracks, language, id, matchedBy] of [
    [['.en', 'a.en'], 'en', '.en', 'exact'],
    [['a.en', '.en'], 'en', '.en', 'exact'],
    [['.en', '.en-GB'], 'EN_gb', '.en-GB', 'exact'],
    [['.en-GB', 'a.en'], 'en', 'a.en', 'exact'],
    [['a.en-US', '.en-GB'], 'en', '.en-GB', 'region'],
    [['.zh-Hant-TW'], 'zh-hant', '.zh-Hant-TW', 'region'],
    [['.zh-Hans'], 'zh', '.zh-Hans', 'region'],
    [['.es-419'], 'es', '.es-419', 'region'],
    [['.en-eEY6OEpapPo'], 'en', '.en-eEY6OEpapPo', 'region'],
    [['.iw'], 'he', '.iw', 'exact'],
    [['.id'], 'in', '.id', 'exact'],
    [['.en', '.zh-TW', '.zh-CN'], 'zh-Hans', '.zh-CN', 'region'],
    [['.zh-CN', '.zh-HK'], 'zh-Hant', '.zh-HK', 'region'],
    [['.zh-CN', '.zh-Hans'], 'zh-hans', '.zh-Hans', 'exact'],
    [['.de', '.fr'], null, '.de', 'default'],
  ] as const)
    it(`finds ${id} for ${language} among ${tracks.join(' ')}`, () => {
      const choice = chooseTrack(listing(...tracks), language);
      assert.deepEqual([choice?.track.id, choice?.matchedBy], [id, matchedBy]);
    });

  for (const [tracks, language] of [
    [['.en'], 'en-US'],
    [['.en-GB'], 'en-US'],
    [['.es'], 'es-419'],
    [['.pt'], 'pt-BR'],
    [['.zh', '.zh-TW'], 'zh-Hans'],
    [['.zh-Hans'], 'zh-CN'],
    [['.zh-Hans'], 'zh-Hant'],
    [['.en'], 'e'],
    [['.enx'], 'en'],
    [['.und-US'], 'en'],
    [['.en'], "' OR 1=1--"],
    [['.en'], ''],
    [[], 'en'],
    [[], null],
  ] as const)
    it(`finds nothing for ${JSON.stringify(language)} among ${tracks.join(' ')}`, () => {
      assert.equal(chooseTrack(listing(...tracks), language), null);
    });

  it('prefers the unnamed manual track', () => {
    const tracks = [track('.de.IEiJcQzJ7go', 'de'), track('.de'), track('a.de')];
    assert.equal(chooseTrack({ tracks, defaultTrackId: null }, 'de')?.track.id, '.de');
  });
});

describe('the default track', () => {
  const row = (vssId: string, languageCode = vssId.replace(/^a?\./, '')) => ({
    vssId,
    languageCode,
    baseUrl: `/api/timedtext?lang=${languageCode}`,
  });
  const defaultOf = (rows: readonly object[], beside: object = {}) => {
    const list = { captionTracks: rows, ...beside };
    const set = readCaptionSet({ playerCaptionsTracklistRenderer: list });
    assert.ok('tracks' in set);
    return set.defaultTrackId;
  };

  it('is the unnamed one of the manual tracks of a language', () => {
    const named = row('.en.IEiJcQzJ7go', 'en');
    assert.equal(defaultOf([row('a.en'), named, row('.en')]), '.en');
    assert.equal(defaultOf([named, row('.fr'), row('.en')]), '.en');
    assert.equal(defaultOf([named, row('a.en')]), '.en.IEiJcQzJ7go');
  });

  it('is the one that the platform indicates, and no other if the index is missing', () => {
    const rows = [row('.fr'), row('.en')];
    const audio = (track: object) => ({ audioTracks: [track] });
    assert.equal(defaultOf(rows, audio({ defaultCaptionTrackIndex: 1 })), '.en');
    assert.equal(defaultOf(rows, audio({ captionTrackIndices: [1, 0] })), '.en');
    for (const nothing of [null, '', [], {}, -1, 7])
      assert.equal(defaultOf(rows, audio({ captionTrackIndices: [nothing, 1] })), '.en');
  });
});

describe('recorded caption sets', { skip: recordingsMissing }, () => {
  if (recordingsMissing !== false) return;
  const setOf = (name: string): CaptionSet => {
    const document = recordedJson(`player/${name}.json`);
    const set = readCaptionSet(at(at(document, 'playerResponse') ?? document, 'captions'));
    assert.ok('tracks' in set);
    return set;
  };

  for (const [name, count, defaultTrackId] of [
    ['kX3nB4PpJko.android-reel.2026-07', 19, '.en'],
    ['kX3nB4PpJko.visionos.2026-06', 19, '.en'],
    ['kX3nB4PpJko.ios.2024-11', 15, '.en'],
    ['Kn56bMZ9OE8.android-reel.2026-07', 3, '.en'],
    ['M4gD1WSo5mA.visionos.2026-06', 2, '.en'],
    ['bvwohQavFV8.web.2024-05', 2, '.de.IEiJcQzJ7go'],
    ['q6fgbYWsMgw.web.2022-11', 2, '.de.CcQ45jRV4-E'],
    ['T4XJQO3qol8.android-reel.2026-07', 1, 'a.en'],
    ['ud9d5cMDP_0.android-reel.2026-07', 1, '.de.CcQ45jRV4-E'],
    ['GJLlxj_dtq8.android.2025-06', 9, '.en'],
  ] as const)
    it(`of ${name} have ${count} tracks and default to ${defaultTrackId}`, () => {
      const set = setOf(name);
      assert.equal(set.tracks.length, count);
      assert.equal(set.defaultTrackId, defaultTrackId);
    });

  it('read both wrappings of names, right-to-left and automatic', () => {
    const app = setOf('kX3nB4PpJko.android-reel.2026-07').tracks.map(({ track }) => track);
    assert.equal(app.find(({ id }) => id === '.ar')?.isRightToLeft, true);
    assert.equal(app.find(({ id }) => id === 'a.en')?.name, 'English (auto-generated)');
    const web = setOf('bvwohQavFV8.web.2024-05').tracks.map(({ track }) => track);
    assert.equal(web[1]?.name, 'German - Untertitel (06.05.2024 10:16)');
    assert.deepEqual(languagesOf(web), ['de']);
  });
});

describe('a track that the platform lists as its translation', () => {
  it('is marked as a translation, and comes after manual and automatic ones', () => {
    const row = (vssId: string, languageCode: string, query: string, rest: object = {}) => ({
      ...{ vssId, languageCode, ...rest },
      baseUrl: `https://www.youtube.com/api/timedtext?v=dQw4w9WgXcQ&lang=${query}`,
    });
    const set = readCaptionSet({
      playerCaptionsTracklistRenderer: {
        captionTracks: [
          row('t.de', 'de', 'en&tlang=de'),
          row('a.de', 'de', 'de', { kind: 'asr' }),
          row('t.fr', 'fr', 'en&tlang=fr', { kind: 'asr' }),
        ],
      },
    });
    assert.ok('tracks' in set);
    const tracks = set.tracks.map((each) => each.track);
    assert.deepEqual(
      tracks.map(({ kind }) => kind),
      ['translated', 'automatic', 'translated'],
    );
    const chosen = (language: string | null) =>
      chooseTrack({ tracks, defaultTrackId: set.defaultTrackId }, language)?.track.id;
    assert.deepEqual([chosen(null), chosen('de'), chosen('fr')], ['a.de', 'a.de', 't.fr']);
    const address = captionAddress(set.tracks[2]?.baseUrl ?? '', { videoId: 'dQw4w9WgXcQ', format: 'json3' });
    assert.match(address.kind === 'open' ? address.url : '', /&lang=en&tlang=fr&fmt=json3$/);
  });
});

describe('a track without a kind', () => {
  it('is automatic where its id or its address says so', () => {
    const address = 'https://www.youtube.com/api/timedtext?v=dQw4w9WgXcQ';
    const set = readCaptionSet({
      playerCaptionsTracklistRenderer: {
        captionTracks: [
          { vssId: 'a.en', languageCode: 'en', baseUrl: `${address}&lang=en` },
          { languageCode: 'de', baseUrl: `${address}&kind=asr&lang=de` },
          { languageCode: 'fr', baseUrl: `${address}&lang=fr&name=kind=asr` },
          { vssId: '.a.b', languageCode: 'es', baseUrl: `${address}&lang=es` },
        ],
      },
    });
    assert.ok('tracks' in set);
    assert.deepEqual(
      set.tracks.map(({ track: { id, kind } }) => `${id} ${kind}`),
      ['a.en automatic', 'a.de automatic', '.fr manual', '.a.b manual'],
    );
  });
});

describe('caption sets of unknown shape', () => {
  it('report the path at which they stop making sense', () => {
    const renderer = (captionTracks: unknown) => ({ playerCaptionsTracklistRenderer: { captionTracks } });
    assert.deepEqual(readCaptionSet(renderer({})), { unknownAt: 'captions.captionTracks' });
    assert.deepEqual(readCaptionSet(renderer([{ vssId: '.en' }])), { unknownAt: 'captions.captionTracks[0]' });
    for (const languageCode of ['', '日本', 'en\r\nX: y', 'e'.repeat(65)]) {
      const row = { languageCode, baseUrl: 'https://www.youtube.com/api/timedtext?v=x' };
      assert.deepEqual(readCaptionSet(renderer([row])), { unknownAt: 'captions.captionTracks[0]' });
    }
    assert.deepEqual(readCaptionSet(undefined), { tracks: [], defaultTrackId: null });
  });

  const row = { languageCode: 'en', baseUrl: 'https://www.youtube.com/api/timedtext?v=x' };
  const renderer = (list: unknown) => ({ playerCaptionsTracklistRenderer: list });
  for (const [captions, unknownAt] of [
    ['none', 'captions'],
    [{ playerCaptionsTracklistViewModel: { captionTracks: [row] } }, 'captions'],
    [renderer('none'), 'captions.playerCaptionsTracklistRenderer'],
    [renderer({ captionTrackViewModels: [row] }), 'captions.captionTracks'],
    [renderer({ audioTracks: [{ captionTrackIndices: [0] }] }), 'captions.captionTracks'],
  ] as const)
    it(`are not "no captions": ${JSON.stringify(captions)}`, () => {
      assert.deepEqual(readCaptionSet(captions), { unknownAt });
    });

  for (const captions of [
    undefined,
    null,
    {},
    renderer({}),
    renderer(null),
    renderer({ captionTracks: [] }),
    renderer({ audioTracks: [{ captionTrackIndices: [] }], defaultAudioTrackIndex: 0 }),
    renderer({ translationLanguages: [{ languageCode: 'de' }] }),
    { playerCaptionsRenderer: { baseUrl: 'https://www.youtube.com/api/timedtext?v=x' } },
  ])
    it(`are none of those: ${JSON.stringify(captions)}`, () => {
      assert.deepEqual(readCaptionSet(captions), { tracks: [], defaultTrackId: null });
    });
});
