import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extractChapters } from '#src/insights/fallback/chapters.ts';
import { extractInWorker } from '#src/insights/fallback/in-worker.ts';
import { searchTranscript } from '#src/insights/fallback/search.ts';
import { captioned, talkOf } from '#test/bench/talks.ts';

const talk = captioned(
  talkOf('en').map(({ text }) => text),
  'en',
);

describe('extracts in a thread', () => {
  it('return the same as the functions do', async () => {
    await using extracts = extractInWorker();
    const query = { query: 'moon and tide', limit: 3 };
    const [hits, chapters] = await Promise.all([
      extracts.run('search', talk, query),
      extracts.run('chapters', talk),
    ]);
    assert.deepEqual(hits, searchTranscript(talk, query));
    assert.deepEqual(chapters, extractChapters(talk));
  });

  it('fail only the operation that throws', async () => {
    await using extracts = extractInWorker();
    const broken = { ...talk, segments: [{ text: 'x', start: 0, duration: 1 }] };
    await assert.rejects(
      extracts.run('repurpose', broken, { format: JSON.parse('"unknown"') }),
      /templates/,
    );
    assert.equal((await extracts.run('chapters', talk)).length > 2, true);
  });

  it('restart after they were closed, and fail calls in progress', async () => {
    const extracts = extractInWorker();
    const call = assert.rejects(extracts.run('chapters', talk), /closed/);
    await extracts[Symbol.asyncDispose]();
    await call;
    assert.equal((await extracts.run('quotes', talk)).length > 0, true);
    await extracts[Symbol.asyncDispose]();
  });
});
