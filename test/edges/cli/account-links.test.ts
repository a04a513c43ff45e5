import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { linksOf } from '#src/edges/cli/account-links.ts';

const links = (...chunks: readonly string[]) =>
  Array.fromAsync(linksOf(['first', '-', 'last'], { stdin: Readable.from(chunks) }));

describe('links of a command line', () => {
  it('are its arguments, with the lines of stdin in place of -', async () => {
    const found = await links(' one\n\ntw', 'o\r\nthree');
    assert.deepEqual(found, ['first', 'one', 'two', 'three', 'last']);
  });

  it('end with an error at a line that is longer than any link', async () => {
    await assert.rejects(links('one\n', 'x'.repeat(70_000)), /^LineTooLongError: line 2 is longer/);
  });
});
