import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withBoundedLines } from '#src/kernel/bounded-lines.ts';

const read = async (chunks: AsyncIterable<Buffer>): Promise<string> => {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
};

async function* chunksOf(...chunks: readonly (string | Buffer)[]) {
  yield* chunks;
}

describe('lines that are bounded', () => {
  it('pass unchanged up to the last byte that is allowed, wherever chunks divide them', async () => {
    const text = 'ab\n\nabcd\n€b\nabcd';
    for (let at = 0; at <= text.length; at += 1) {
      const chunks = chunksOf(text.slice(0, at), Buffer.from(text.slice(at)));
      assert.equal(await read(withBoundedLines(chunks, 4)), text);
    }
  });

  it('end with an error that names the first line that is too long', async () => {
    const text = 'ab\n\nabcde\nabcdef';
    for (let at = 0; at <= text.length; at += 1) {
      const chunks = chunksOf(text.slice(0, at), text.slice(at));
      await assert.rejects(read(withBoundedLines(chunks, 4)), {
        name: 'LineTooLongError',
        message: 'line 3 is longer than 4 bytes, which is the most that is read',
      });
    }
  });

  it('read no more of an input without ends of lines than a line may have', async () => {
    let chunks = 0;
    const endless = async function* () {
      for (;;) {
        chunks += 1;
        yield Buffer.alloc(1_000);
      }
    };
    await assert.rejects(read(withBoundedLines(endless(), 10_500)), /line 1 is longer/);
    assert.equal(chunks, 11);
  });
});
