import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { o200k } from '#src/adapters/tokenizer/o200k.ts';
import { type ChunkLengths, cutChunks } from '#src/insights/cut-chunks.ts';
import { wordCounter } from '#src/transcripts/tokens.ts';
import { captioned, talkOf } from '#test/bench/talks.ts';

const counter = wordCounter(o200k);

const linesOf = (texts: readonly string[]) =>
  texts.map((text, at) => ({ text, startMs: at * 4_000, endMs: at * 4_000 + 3_900 }));

const cut = (texts: readonly string[], lengths: Partial<ChunkLengths> & { chapterStartsS?: number[] } = {}) =>
  cutChunks(linesOf(texts), 'en', { maxTokens: 50, overlap: 0, chapterStartsS: [], ...lengths }, counter);

const talk = (language: 'en' | 'ja', isAutomatic = false): string[] =>
  captioned(
    talkOf(language).map(({ text }) => text),
    language,
    { isAutomatic },
  ).segments.map(({ text }) => text);

const sentence = (n: number) => `This is sentence number ${n} of a long talk about the tide.`;

describe('chunks of a transcript', () => {
  it('are as many whole sentences as fit', async () => {
    const chunks = await cut(talk('en'), { maxTokens: 100 });
    assert.ok(chunks.length > 10);
    for (const { text } of chunks) assert.match(text, /^["“]?[A-Z0-9].*[.?!]["”]?$/);
    assert.equal(chunks.map(({ text }) => text).join(' '), talk('en').join(' '));
  });

  it('begin with the last whole sentences of the one before, within the overlap', async () => {
    const texts = Array.from({ length: 12 }, (_, n) => sentence(n));
    const chunks = await cut(texts, { maxTokens: 60, overlap: 20 });
    for (const [at, { text, tokens }] of chunks.entries()) {
      const before = chunks[at - 1]?.text;
      if (before !== undefined) assert.ok(before.endsWith(text.slice(0, text.indexOf('.') + 1)), text);
      assert.ok(tokens <= 60);
    }
    assert.deepEqual(
      (await cut(texts, { maxTokens: 60 })).map(({ text }) => text.split('. ').length),
      [4, 4, 4],
    );
  });

  it('are whole lines where nothing is punctuated', async () => {
    const texts = talk('en', true);
    const chunks = await cut(texts);
    let at = 0;
    for (const { text, startMs } of chunks) {
      assert.equal(startMs, at * 4_000);
      let said = texts[at++] ?? '';
      while (said.length < text.length) said += ` ${texts[at++]}`;
      assert.equal(text, said);
    }
  });

  it('do not cross the end of a chapter', async () => {
    const texts = Array.from({ length: 12 }, (_, n) => sentence(n));
    const starts = [0, 10, 28];
    const chunks = await cut(texts, { maxTokens: 8_000, overlap: 7_000, chapterStartsS: starts });
    assert.deepEqual(
      chunks.map(({ startMs }) => startMs),
      [0, 12_000, 28_000],
    );
  });

  it('divide a sentence that is too long for one chunk, at lines and then at words', async () => {
    const chunks = await cut([`${'tide '.repeat(200)}`, 'and the moon.', 'x'.repeat(900), '海'.repeat(500)]);
    for (const { tokens } of chunks) assert.ok(tokens <= 50);
    // The first word has two tokens without a space before it.
    assert.equal(chunks[0]?.text, 'tide '.repeat(49).trim());
  });

  it('count the tokens of their text, place it, and lose and repeat nothing, whatever the captions are', async () => {
    const count = await o200k.load();
    const said = fc.oneof(
      fc.constantFrom(
        'the tide is rising.',
        'Why?',
        '海の水は塩辛い。そして',
        "don't -- 1,200 $5",
        '<|endoftext|>',
        '😀',
        '',
        '  ',
      ),
      fc.string({ maxLength: 40, unit: 'grapheme' }),
    );
    const texts = fc.array(
      fc.array(said, { maxLength: 6 }).map((parts) => parts.join(' ')),
      { maxLength: 40 },
    );
    const lengths = fc
      .record({ maxTokens: fc.integer({ min: 50, max: 200 }), overlap: fc.integer({ min: 0, max: 199 }) })
      .filter(({ maxTokens, overlap }) => overlap < maxTokens);
    await fc.assert(
      fc.asyncProperty(texts, lengths, async (lines, wanted) => {
        const chunks = await cut(lines, wanted);
        const ids = chunks.map(({ from, to }) => `${from}-${to}`);
        assert.equal(new Set(ids).size, chunks.length);
        let whole = '';
        for (const { from, to, text, tokens } of chunks) {
          assert.equal(tokens, count(text));
          assert.ok(tokens <= wanted.maxTokens);
          assert.equal(text.length, to - from);
          assert.ok(from <= whole.length + 1 && to > whole.length);
          whole = whole.padEnd(from, ' ').slice(0, from) + text;
        }
        assert.equal(whole.replace(/\s+/gu, ''), lines.join('').replace(/\s+/gu, ''));
      }),
      { numRuns: 60, seed: 28 },
    );
  });
});
