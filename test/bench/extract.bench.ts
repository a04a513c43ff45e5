import assert from 'node:assert/strict';
import { YoutubeTranscript } from 'youtube-transcript';
import { Log, Parser } from 'youtubei.js';
import { o200k } from '#src/adapters/tokenizer/o200k.ts';
import type { Extraction, Segment, Track } from '#src/extraction/captions/caption-track.ts';
import { contentSha256, readCaptions } from '#src/extraction/captions/captions.ts';
import { classifyPlayer } from '#src/extraction/classify.ts';
import { playerProfiles } from '#src/extraction/clients/client-profiles.ts';
import { createEngine } from '#src/extraction/engine.ts';
import { readFirstPage } from '#src/extraction/lists/list-pages.ts';
import { chunker } from '#src/insights/read-chunks.ts';
import { elapsedMs, systemClock } from '#src/kernel/clock.ts';
import { wordCounter } from '#src/transcripts/tokens.ts';
import { memoryTranscriptCache } from '#test/support/memory-transcript-cache.ts';
import { captionBody, playerBody, scriptedPlatform } from '#test/support/platform.ts';
import { recording, recordingsMissing } from '#test/support/recordings.ts';
import { median, type Row } from './row.ts';
import { captioned, declarationOf, lecturesOf, talkOf } from './talks.ts';

Log.setLevel(Log.Level.NONE);

/** One row of the result: medians in milliseconds, and their ratio. */
export type Comparison = {
  readonly name: string;
  readonly oursMs: number;
  readonly baseline: string;
  readonly baselineMs: number;
  readonly ratio: number;
  /** The ratio that must be reached. */
  readonly goal?: number;
};

const lineCount = 1_566;
const words = 'the harbour wakes before the town does and nobody here would call it early it is only work'.split(' ');

/** The same captions, three hours of them, in every format that is compared. */
const documents = () => {
  const lines = Array.from({ length: lineCount }, (_, index) => ({
    startMs: index * 6_900,
    durationMs: 6_500,
    // A third of the lines hold a character that XML has to escape.
    words: words.map((word, at) => (index % 3 === 0 && at === 4 ? `${word}'s` : word)).slice(0, 9),
  }));
  const escaped = (text: string, times: number): string => {
    let result = text;
    for (let time = 0; time < times; time += 1) result = result.replaceAll('&', '&amp;').replaceAll("'", '&#39;');
    return result;
  };
  const seconds = (ms: number) => String(ms / 1000);
  const json3 = (isSpoken: boolean) =>
    JSON.stringify({
      wireMagic: 'pb3',
      pens: [{}],
      events: lines.map((line) => ({
        tStartMs: line.startMs,
        dDurationMs: line.durationMs,
        segs: isSpoken
          ? line.words.map((word, at) => ({
              utf8: at === 0 ? word : ` ${word}`,
              ...(at === 0 ? {} : { tOffsetMs: at * 400 }),
              acAsrConf: 0,
            }))
          : [{ utf8: line.words.join(' ') }],
      })),
    });
  const srv1 = lines
    .map(
      ({ startMs, durationMs, words: each }) =>
        `<text start="${seconds(startMs)}" dur="${seconds(durationMs)}">${escaped(each.join(' '), 2)}</text>`,
    )
    .join('');
  const srv3 = lines
    .map(({ startMs, durationMs, words: each }) => {
      const spoken = each.map((word, at) => `<s t="${at * 400}" ac="0">${at === 0 ? '' : ' '}${escaped(word, 1)}</s>`);
      return `<p t="${startMs}" d="${durationMs}" w="1">${spoken.join('')}</p>`;
    })
    .join('\n');
  return {
    json3: json3(false),
    spokenJson3: json3(true),
    srv1: `<?xml version="1.0" encoding="utf-8" ?><transcript>${srv1}</transcript>`,
    srv3: `<?xml version="1.0" encoding="utf-8" ?><timedtext format="3"><body>\n${srv3}\n</body></timedtext>`,
  };
};

/** Medians of both, run alternately, so that a busy machine slows both. */
const alternately = (ours: () => unknown, theirs: () => unknown, rounds: number) => {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds * 2; round += 1)
    for (const [side, run] of [ours, theirs].entries()) {
      const start = elapsedMs();
      run();
      // The first half warms both up.
      if (round >= rounds) times[side]?.push(elapsedMs() - start);
    }
  return { oursMs: median(times[0]), baselineMs: median(times[1]) };
};

/** The least ratio: another library must be beaten, and words cost at most as much again as the lines. */
const goalAgainst = (baseline: string): number | null =>
  /^youtube/.test(baseline) ? 1 : baseline === plainParse ? 0.5 : null;

const compare = (
  name: string,
  baseline: string,
  runs: { readonly ours: () => unknown; readonly theirs: () => unknown; readonly rounds?: number },
): Comparison => {
  const { oursMs, baselineMs } = alternately(runs.ours, runs.theirs, runs.rounds ?? 40);
  const ratio = baselineMs / oursMs;
  const goal = goalAgainst(baseline);
  return { name, baseline, oursMs, baselineMs, ratio, ...(goal === null ? {} : { goal }) };
};

const plainParse = 'the plain parse';
const manual = { isAutomatic: false };
const automatic = { isAutomatic: true };

const captions = (): Comparison[] => {
  const { json3, spokenJson3, srv1, srv3 } = documents();
  const theirs = (xml: string): readonly { readonly text: string }[] =>
    YoutubeTranscript['parseTranscriptXml'](xml, 'en');
  // Speed is compared only if the output is the same.
  const texts = readCaptions(json3, manual).map(({ text }) => text);
  for (const other of [readCaptions(srv1, manual), readCaptions(srv3, manual), readCaptions(spokenJson3, manual)])
    assert.deepEqual(
      other.map(({ text }) => text),
      texts,
    );
  assert.deepEqual(
    theirs(srv3).map(({ text }) => text),
    texts,
  );
  assert.equal(theirs(srv1).length, texts.length);
  const peer = 'youtube-transcript 1.3.1';
  return [
    compare(`manual captions, ${lineCount} lines: json3`, `${peer} on srv1`, {
      ours: () => readCaptions(json3, manual),
      theirs: () => theirs(srv1),
    }),
    compare(`manual captions, ${lineCount} lines: srv1`, `${peer} on srv1`, {
      ours: () => readCaptions(srv1, manual),
      theirs: () => theirs(srv1),
    }),
    compare(`automatic captions, ${lineCount} lines of 9 words: json3`, `${peer} on srv3`, {
      ours: () => readCaptions(spokenJson3, automatic),
      theirs: () => theirs(srv3),
    }),
    compare(`automatic captions, ${lineCount} lines of 9 words: srv3`, `${peer} on srv3`, {
      ours: () => readCaptions(srv3, automatic),
      theirs: () => theirs(srv3),
    }),
    compare(`words of ${lineCount} lines of automatic captions: json3`, plainParse, {
      ours: () => readCaptions(spokenJson3, { ...automatic, words: true }),
      theirs: () => readCaptions(spokenJson3, automatic),
    }),
    compare(`words of ${lineCount} lines of automatic captions: srv3`, plainParse, {
      ours: () => readCaptions(srv3, { ...automatic, words: true }),
      theirs: () => readCaptions(srv3, automatic),
    }),
    compare(`content hash of ${lineCount} lines`, 'reading them', {
      ours: () => contentSha256(readCaptions(json3, manual)),
      theirs: () => readCaptions(json3, manual),
    }),
  ];
};

const answers = (): Comparison[] => {
  if (recordingsMissing !== false) return [];
  const player = JSON.stringify(
    (JSON.parse(recording('player/kX3nB4PpJko.android-reel.2026-07.json')) as { playerResponse: object })
      .playerResponse,
  );
  const page = recording('playlist/PLWwAypAc-huge.page1.2026-07.json');
  const [profile] = playerProfiles;
  assert.ok(profile);
  const answer = { status: 200, body: player, location: null, retryAfterS: null };
  const theirs = (body: string) => Parser.parseResponse(JSON.parse(body) as Parameters<typeof Parser.parseResponse>[0]);
  return [
    compare('player answer of 179 KB', 'youtubei.js 18.1.0', {
      ours: () => classifyPlayer(answer, 'kX3nB4PpJko', profile),
      theirs: () => theirs(player),
    }),
    compare('playlist page of 1.3 MB', 'youtubei.js 18.1.0', {
      ours: () => readFirstPage(JSON.parse(page)),
      theirs: () => theirs(page),
    }),
  ];
};

const repeated = async (): Promise<Comparison> => {
  const videoId = 'dQw4w9WgXcQ';
  const platform = scriptedPlatform(({ endpoint }) => ({
    body: endpoint === 'timedtext' ? captionBody('one') : playerBody(videoId, ['.en']),
  }));
  const engine = createEngine({ platform, cache: memoryTranscriptCache(), clock: systemClock, random: () => 0.5 });
  const signal = new AbortController().signal;
  const read = () => engine.extract({ videoId, language: 'en' }, { signal });
  const start = elapsedMs();
  await read();
  const baselineMs = elapsedMs() - start;
  for (let count = 0; count < 20_000; count += 1) await read();
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const from = elapsedMs();
    for (let count = 0; count < 5_000; count += 1) await read();
    times.push((elapsedMs() - from) / 5_000);
  }
  const oursMs = median(times);
  return {
    name: 'repeated reading from this process',
    baseline: 'first reading, platform without latency',
    oursMs,
    baselineMs,
    ratio: baselineMs / oursMs,
  };
};

/** Three hours of captions that say much: talks and lectures in one language, with another number in each repeat. */
const threeHours = (): readonly Segment[] => {
  const texts = [...talkOf('en'), ...lecturesOf('en'), ...declarationOf('en')].map(({ text }) => text);
  const repeats = Array.from({ length: 8 }, (_, n) => [`Part ${n} of ${n * 37}.`, ...texts]).flat();
  const { segments } = captioned(repeats, 'en');
  return segments
    .filter(({ start }) => start < 3 * 3_600)
    .map(({ text, start, duration }) => {
      const [startMs, durationMs] = [Math.round(start * 1_000), Math.round(duration * 1_000)];
      return { text, startMs, durationMs, endMs: startMs + durationMs };
    });
};

/** Chunks of captions that were never seen, by a counter that knows no word; and of the same captions again. */
const chunks = async (): Promise<Row[]> => {
  const segments = threeHours();
  const video = { videoId: 'three-hours', title: null, channel: null, channelId: null, durationS: null, isLive: false };
  const track: Track = {
    ...{ id: '.en', language: 'en', name: 'English', kind: 'manual' as const },
    ...{ isTranslatable: true, isRightToLeft: false },
  };
  const sha256 = contentSha256(segments);
  const extractionOf = (): Extraction => ({
    ...{ video, tracks: [], track, requestedLanguage: null, matchedBy: 'default', segments },
    ...{ contentSha256: sha256, fetchedAt: systemClock().toISOString(), isCacheHit: false },
  });
  const engine = { readVideo: () => Promise.reject(new Error('the platform is not asked')) };
  const options = { maxTokens: 400, overlap: 40, by: 'sentences' } as const;
  const asking = { caller: 'bench', signal: new AbortController().signal };
  const [first, again]: [number[], number[]] = [[], []];
  for (let round = 0; round < 20; round += 1) {
    const chunksOf = chunker({ engine, tokens: wordCounter(o200k) });
    const extraction = extractionOf();
    for (const times of [first, again]) {
      const from = elapsedMs();
      await chunksOf(extraction, options, asking);
      times.push(elapsedMs() - from);
    }
  }
  const words = new Set(segments.flatMap(({ text }) => text.split(' '))).size;
  const rowOf = (what: string, times: readonly number[], goal: number): Row => ({
    case: `chunks of three hours, ${segments.length} lines, ${words} different words: ${what}`,
    value: Number(median(times.slice(5)).toPrecision(3)),
    ...{ unit: 'ms', goal, goalKind: 'at most' },
  });
  return [rowOf('first', first, 30), rowOf('again', again, 3)];
};

/** Requests to the platform for a video after its transcript. */
const videoAfterTranscript = async (): Promise<Row> => {
  const videoId = 'dQw4w9WgXcQ';
  let requests = 0;
  const platform = scriptedPlatform(({ endpoint }) => {
    requests += 1;
    return { body: endpoint === 'timedtext' ? captionBody('one') : playerBody(videoId, ['.en']) };
  });
  const engine = createEngine({
    ...{ platform, cache: memoryTranscriptCache(), clock: systemClock },
    random: () => 0.5,
  });
  const signal = new AbortController().signal;
  await engine.extract({ videoId, language: 'en' }, { signal });
  const before = requests;
  await engine.readVideo(videoId, { signal });
  const value = requests - before;
  return { case: 'the video after its transcript', value, unit: 'requests', goal: 0, goalKind: 'at most' };
};

export const name = 'extract';

/** All measurements, each against a named baseline in the same run. */
export const run = async (): Promise<readonly Row[]> => {
  const comparisons = [...captions(), ...answers(), await repeated()];
  const rows = comparisons.map(
    ({ name: what, baseline, oursMs, baselineMs, ratio, goal }): Row => ({
      case: `${what}, against ${baseline}`,
      value: Number(oursMs.toPrecision(3)),
      unit: 'ms',
      baseline: Number(baselineMs.toPrecision(3)),
      ratio: Number(ratio.toPrecision(3)),
      ...(goal === undefined ? {} : { goal, goalKind: 'ratio' }),
    }),
  );
  return [...rows, ...(await chunks()), await videoAfterTranscript()];
};
