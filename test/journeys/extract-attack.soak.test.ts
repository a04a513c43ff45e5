import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startSimulator } from '#test/simulator/main.ts';
import { readSamples, type SampleVideo, samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { seeded } from '#test/support/seeded.ts';

const random = seeded(7);
const below = (end: number): number => Math.floor(random() * end);
const word = (): string => String.fromCodePoint(...Array.from({ length: 4 + below(8) }, () => 97 + below(26)));

/** Twelve hours in 30,000 different words: what takes longest to search. */
const longVideo = (videoId: string): SampleVideo => {
  const sample = readSamples().get(samples.long);
  assert.ok(sample);
  const vocabulary = Array.from({ length: 30_000 }, word);
  const said = () => Array.from({ length: 8 }, () => vocabulary[below(30_000)] ?? '').join(' ');
  const lines = Array.from({ length: 14_000 }, (_, n) => [n * 3_080, 3_000, `So ${said()}.`] as const);
  const tracks = [{ language: 'en', name: 'English', kind: 'manual' as const, lines }];
  return { ...sample, videoId, durationS: 43_200, tracks };
};

const video = 'twelve-hrs1';
const question = (): string => Array.from({ length: 220 }, word).join(' ').slice(0, 1_990);

const timed = async (work: () => Promise<Response>): Promise<number> => {
  const started = performance.now();
  const answer = await work();
  assert.equal(answer.status, 200, await answer.text());
  return performance.now() - started;
};

/** Sends each request and hangs up after a second. */
const hangUp = (send: (signal: AbortSignal) => Promise<Response>, times: number) =>
  Promise.allSettled(
    Array.from({ length: times }, async () => {
      const signal = AbortSignal.timeout(1_000);
      const answer = await send(signal);
      await answer.text();
    }),
  );

describe('callers who hang up', () => {
  it('do not stop the search of another caller on a long video, and use no memory', async () => {
    await using simulator = await startSimulator({ videos: [longVideo(video)] });
    await using app: TestApp = await startTestApp({
      simulator,
      environment: { ABANDONED_CREDITS_PER_MINUTE: '100000', ABANDONED_CREDITS_PER_DAY: '100000' },
    });
    const attacker = await app.createAccount({ plan: 'free' });
    const stranger = await app.createAccount({ plan: 'free' });
    const search = () => timed(() => app.post('/v1/search', { video_id: video, query: 'so what' }, stranger));
    await search();
    const alone: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) alone.push(await search());
    const before = process.memoryUsage.rss();

    const byKey = (signal: AbortSignal) =>
      app.post('/v1/ask', { video_id: video, question: question() }, { ...attacker, signal });
    const byVisitor = (signal: AbortSignal) =>
      fetch(`${app.url}/t/${video}/ask`, {
        method: 'POST',
        headers: { Origin: app.url, 'Sec-Fetch-Site': 'same-origin' },
        body: new URLSearchParams({ question: question() }),
        signal,
      });
    const times: number[] = [];
    for (const [send, count] of [
      [byKey, 60],
      [byVisitor, 30],
    ] as const) {
      const attack = hangUp(send, count);
      for (let turn = 0; turn < 20; turn += 1) {
        times.push(await search());
        await pause(100);
      }
      await attack;
    }
    // Without turns the stranger waited for 35 s and more. The bound leaves room for the other tests on the same cores.
    const longest = Math.max(15_000, 10 * Math.max(...alone));
    const p95 = times.toSorted((a, b) => a - b)[Math.floor(0.95 * times.length)] ?? 0;
    assert.ok(p95 < longest, `p95 is ${Math.round(p95)} ms, not below ${Math.round(longest)}`);
    const grown = (process.memoryUsage.rss() - before) / 1e6;
    assert.ok(grown < 200, `memory grew by ${Math.round(grown)} MB`);
  });
});
