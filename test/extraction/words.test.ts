import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Segment } from '#src/extraction/captions/caption-track.ts';
import { contentSha256, readCaptions, withoutWords } from '#src/extraction/captions/captions.ts';
import { readAnyJson3 } from '#src/extraction/captions/json3.ts';
import { scanJson3 } from '#src/extraction/captions/json3-scan.ts';
import { createEngine } from '#src/extraction/engine.ts';
import { memoryTranscriptCache } from '#test/support/memory-transcript-cache.ts';
import { manualClock, playerBody, scriptedPlatform } from '#test/support/platform.ts';
import { recording, recordingsMissing } from '#test/support/recordings.ts';

const plain = { isAutomatic: true };
const spoken = { isAutomatic: true, words: true };
const json3 = (...segs: readonly object[]) =>
  JSON.stringify({ wireMagic: 'pb3', events: [{ tStartMs: 1_000, dDurationMs: 3_000, segs }] });
const wordsOf = (segments: readonly Segment[]) => segments.map(({ words }) => words ?? null);

describe('the words of recorded captions', { skip: recordingsMissing }, () => {
  if (recordingsMissing !== false) return;

  it('have the times that the platform sent, and cues of sounds have none', () => {
    const lines = readCaptions(recording('timedtext/ko.asr.json3.json'), spoken);
    const [music] = lines;
    assert.deepEqual([music?.text, music?.words], ['[음악]', undefined]);
    const line = lines.find(({ startMs }) => startMs === 45_800);
    assert.deepEqual(line?.words?.slice(0, 3), [
      { text: '나', startMs: 45_800 },
      { text: '지금', startMs: 46_800 },
      { text: '너무', startMs: 47_100 },
    ]);
    assert.deepEqual(lines.find(({ startMs }) => startMs === 67_560)?.words, [{ text: '이겨내야지', startMs: 67_560 }]);
  });

  it('are the same in json3 and srv3', () => {
    const [one, other] = ['json3.json', 'srv3.xml'].map((format) =>
      wordsOf(readCaptions(recording(`timedtext-constructed/asr.en.${format}`), spoken)),
    );
    assert.ok((one ?? []).filter((words) => words !== null).length > 50);
    assert.deepEqual(one, other);
  });

  it('do not change the lines', () => {
    for (const name of ['timedtext/ko.asr.json3.json', 'timedtext-constructed/asr.en.srv3.xml']) {
      const lines = readCaptions(recording(name), spoken);
      assert.deepEqual(withoutWords(lines), readCaptions(recording(name), plain));
      assert.equal(contentSha256(lines), contentSha256(readCaptions(recording(name), plain)));
    }
  });

  it('are missing in captions that people wrote', () => {
    for (const format of ['json3.json', 'srv1.xml', 'srv3.xml', 'vtt']) {
      const lines = readCaptions(recording(`timedtext-constructed/manual.en.${format}`), spoken);
      assert.ok(lines.every((line) => !('words' in line)));
    }
  });
});

describe('the words of a line', () => {
  it('are the text of the line, whatever the document contains', () => {
    const seg = fc.record(
      {
        utf8: fc.oneof(fc.string(), fc.constantFrom(' a', ' &amp;', '<i>b</i>', '"tOffsetMs":9', ' it&#39;s', '\n')),
        tOffsetMs: fc.nat(9_999),
        acAsrConf: fc.nat(255),
      },
      { requiredKeys: ['utf8'] },
    );
    fc.assert(
      fc.property(fc.array(seg, { maxLength: 8 }), (segs) => {
        const document = json3(...segs);
        const [line] = readCaptions(document, spoken);
        assert.deepEqual(withoutWords(line === undefined ? [] : [line]), readCaptions(document, plain));
        const together = line?.words?.map(({ text }) => text).join('');
        if (together !== undefined) assert.equal(together.replaceAll(' ', ''), line?.text.replaceAll(' ', ''));
        const quick = scanJson3(document, true);
        if (quick !== null) assert.deepEqual(quick, readAnyJson3(document, true));
      }),
      { seed: 30, numRuns: 1_000 },
    );
  });

  it('are missing if a time makes no sense', () => {
    const line = readCaptions(json3({ utf8: 'a', acAsrConf: 1 }, { utf8: ' b', tOffsetMs: -5 }), spoken);
    assert.deepEqual([line[0]?.text, wordsOf(line)], ['a b', [null]]);
  });
});

describe('a transcript with words', () => {
  const id = 'dQw4w9WgXcQ';
  const signal = new AbortController().signal;
  const set = (...tracks: readonly string[]) => {
    const platform = scriptedPlatform(({ endpoint }) => ({
      body:
        endpoint === 'timedtext'
          ? json3({ utf8: 'one', acAsrConf: 1 }, { utf8: ' two', tOffsetMs: 500, acAsrConf: 1 })
          : playerBody(id, tracks),
    }));
    const cache = memoryTranscriptCache();
    const make = () =>
      createEngine({ platform, cache, clock: manualClock().clock, random: () => 0.5, settings: { backoffMs: 1 } });
    return { platform, engine: make(), make };
  };
  const wanted = { videoId: id, language: 'en' };
  const words = [
    { text: 'one', startMs: 1_000 },
    { text: 'two', startMs: 1_500 },
  ];

  it('and one without are cached separately under one content, and neither asks the platform again', async () => {
    const { platform, engine, make } = set('a.en');
    const first = await engine.extract({ ...wanted, words: true }, { signal });
    assert.deepEqual(wordsOf(first.segments), [words]);
    const asked = platform.asked.length;
    const after = make();
    const bare = await after.extract(wanted, { signal });
    assert.deepEqual(wordsOf(bare.segments), [null]);
    const again = await after.extract({ ...wanted, words: true }, { signal });
    assert.deepEqual(wordsOf(again.segments), [words]);
    assert.deepEqual([bare.contentSha256, again.contentSha256], [first.contentSha256, first.contentSha256]);
    assert.equal(platform.asked.length, asked);
  });

  it('has none for captions that people wrote', async () => {
    const { engine } = set('.en');
    const { segments } = await engine.extract({ ...wanted, words: true }, { signal });
    assert.deepEqual(wordsOf(segments), [null]);
  });
});
