import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { print, progress, say } from '#src/edges/cli/terminal.ts';

/** A terminal on which data and talk end up on one screen. */
const screen = (isTTY: boolean) => {
  let written = '';
  const stream = () =>
    Object.assign(
      new Writable({
        write: (chunk, _encoding, done) => {
          written += String(chunk);
          done();
        },
      }),
      { isTTY },
    );
  const terminal = { stdout: stream(), stderr: stream(), signal: new AbortController().signal };
  return { terminal, written: () => written };
};

const erase = '\r\x1b[2K';

describe('a counter on a terminal', () => {
  it('is erased before a line of data', async () => {
    const { terminal, written } = screen(true);
    const counter = progress(terminal, 'entries');
    counter.at(1_000);
    await print(terminal, 'row');
    await print(terminal, 'row');
    counter.done();
    assert.equal(written(), `${erase}entries: 1000${erase}row\nrow\n`);
  });

  it('is erased before an error', () => {
    const { terminal, written } = screen(true);
    progress(terminal, 'events').at(7);
    say(terminal, 'steno: it failed');
    assert.equal(written(), `${erase}events: 7${erase}steno: it failed\n`);
  });

  it('is silent where errors go to a file', () => {
    const { terminal, written } = screen(false);
    const counter = progress(terminal, 'events');
    counter.at(7);
    counter.done();
    assert.equal(written(), '');
  });
});
