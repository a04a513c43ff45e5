import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extract as ask } from '#src/insights/extractive/ask.ts';
import { runCancellable } from '#src/insights/extractive/cancellation.ts';
import { extract as chapters, extractChapters } from '#src/insights/extractive/chapters.ts';
import { extract as clips } from '#src/insights/extractive/clips.ts';
import { type ExtractInWorker, extractInWorker } from '#src/insights/extractive/extract-thread-pool.ts';
import { extract as quotes } from '#src/insights/extractive/quotes.ts';
import { extract as repurpose } from '#src/insights/extractive/repurpose.ts';
import { extract as search, searchTranscript } from '#src/insights/extractive/search.ts';
import { extract as summarize } from '#src/insights/extractive/summarize.ts';
import { extract as windows } from '#src/insights/extractive/windows.ts';
import type { Source } from '#src/insights/source.ts';
import { captioned, talkOf } from '#test/bench/talks.ts';

const texts = talkOf('en').map(({ text }) => text);
const talk = captioned(texts, 'en');
const query = { query: 'moon and tide', limit: 3 };

const never = new AbortController().signal;
const by = (extracts: ExtractInWorker, caller = 'a', signal = never) => extracts.extractFor({ caller, signal });

describe('extracts in a thread', () => {
  it('return the same as the functions do', async () => {
    await using extracts = extractInWorker();
    const [hits, found] = await Promise.all([by(extracts)(search, talk, query), by(extracts)(chapters, talk)]);
    assert.deepEqual(hits, searchTranscript(talk, query));
    assert.deepEqual(found, extractChapters(talk));
  });

  it('fail only the operation that throws', async () => {
    await using extracts = extractInWorker();
    const broken = { ...talk, segments: [{ text: 'x', start: 0, duration: 1 }] };
    await assert.rejects(by(extracts)(repurpose, broken, { format: JSON.parse('"unknown"') }), /templates/);
    assert.equal((await by(extracts)(chapters, talk)).length > 2, true);
  });

  it('restart after they were closed, and fail the call in progress', async () => {
    const extracts = extractInWorker();
    const call = assert.rejects(by(extracts)(chapters, talk), /closed/);
    await new Promise(setImmediate);
    await extracts[Symbol.asyncDispose]();
    await call;
    assert.equal((await by(extracts)(quotes, talk)).length > 0, true);
    await extracts[Symbol.asyncDispose]();
  });

  it('take turns between callers, however many calls one of them has', async () => {
    await using extracts = extractInWorker();
    const order: string[] = [];
    const ask = async (caller: string) => {
      await by(extracts, caller)(search, talk, query);
      order.push(caller);
    };
    await Promise.all(['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(ask));
    assert.deepEqual(order, ['a', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('drop the waiting work of a caller who leaves, and end its running work', async () => {
    await using extracts = extractInWorker();
    const leaving = new AbortController();
    const begun: string[] = [];
    const extract = (name: string, signal: AbortSignal) =>
      extracts.extractFor({ caller: 'a', signal, onBegun: () => begun.push(name) });
    const long = captioned(Array<string[]>(20).fill(texts).flat(), 'en');
    const left = ['under way', 'waits'].map((name) =>
      assert.rejects(extract(name, leaving.signal)(summarize, long, { length: 'detailed' }), { message: 'left' }),
    );
    const stays = extract('stays', never)(search, talk, query);
    await new Promise(setImmediate);
    leaving.abort(new Error('left'));
    await Promise.all(left);
    assert.deepEqual(await stays, searchTranscript(talk, query));
    assert.deepEqual(begun, ['under way', 'stays']);
  });

  it('are made of a transcript that is too long to be kept', async () => {
    await using extracts = extractInWorker();
    const silence = ' '.repeat(3_100_000);
    const longest = { ...talk, segments: [{ text: silence, start: 0, duration: 9 }] };
    for (let turn = 0; turn < 2; turn += 1) {
      assert.equal((await by(extracts)(chapters, longest)).length, 1);
    }
  });
});

describe('a cancelled extract', () => {
  const cancelled = new Int32Array(new SharedArrayBuffer(4)).fill(1);
  const runs: Readonly<Record<string, (source: Source) => unknown>> = {
    search: (source) => search.run(source, query),
    ask: (source) => ask.run(source, { question: 'Why is the sea salt?' }),
    summarize: (source) => summarize.run(source, { length: 'short' }),
    chapters: chapters.run,
    quotes: quotes.run,
    clips: clips.run,
    repurpose: (source) => repurpose.run(source, { format: 'blog' }),
    windows: windows.run,
  };
  for (const [name, runOn] of Object.entries(runs)) {
    it(`of ${name} ends, and nothing of it is stored`, () => {
      const source = { ...talk };
      const run = () => runOn(source);
      assert.throws(() => runCancellable(1, cancelled, run), /cancelled/);
      assert.deepEqual(runCancellable(2, cancelled, run), runOn(talk));
    });
  }
});
