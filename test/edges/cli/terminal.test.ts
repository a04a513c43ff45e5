import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it, mock } from 'node:test';
import { progress, progressInParts } from '#src/edges/cli/progress.ts';
import { printRows } from '#src/edges/cli/table.ts';
import { type Environment, print, say, terminalOf } from '#src/edges/cli/terminal.ts';

/** A terminal on which data and talk end up on one screen. */
const screen = (
  isTTY: boolean,
  { environment = {}, isQuiet = false }: { environment?: Environment; isQuiet?: boolean } = {},
) => {
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
  const terminal = {
    ...{ stdout: stream(), stderr: stream(), signal: new AbortController().signal },
    ...{ environment: () => environment, isQuiet: () => isQuiet },
  };
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
    counter[Symbol.dispose]();
    assert.equal(written(), `${erase}entries: 1000${erase}row\nrow\n`);
  });

  it('is not erased where data go to a file', async () => {
    const { terminal, written } = screen(true);
    terminal.stdout.isTTY = false;
    progress(terminal, 'entries').at(1_000);
    await print(terminal, 'row');
    assert.equal(written(), `${erase}entries: 1000row\n`);
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
    counter[Symbol.dispose]();
    assert.equal(written(), '');
  });

  it('is silent with --quiet, and writes no control character on a dumb terminal', () => {
    for (const given of [{ isQuiet: true }, { environment: { TERM: 'dumb' } }]) {
      const { terminal, written } = screen(true, given);
      const counter = progress(terminal, 'events', 2);
      counter.at(1);
      counter.at(2);
      counter[Symbol.dispose]();
      assert.equal(written(), '');
    }
  });
});

describe('progress of work that takes longer', () => {
  const passing = (isTTY: boolean) => {
    let now = 0;
    mock.method(performance, 'now', () => now);
    const { terminal, written } = screen(isTTY);
    const counter = progress(terminal, 'videos', 40);
    for (const count of [10, 20, 40]) {
      now += 5_000;
      counter.at(count);
    }
    counter[Symbol.dispose]();
    mock.reset();
    return written();
  };

  it('shows the share, the rate and the time left on a terminal', () => {
    const bar = (filled: number) => `[${'#'.repeat(filled)}${'-'.repeat(24 - filled)}]`;
    assert.deepEqual(passing(true).split(erase), [
      '',
      `videos ${bar(6)} 10 of 40, 2.0/s, 15 s left`,
      `videos ${bar(12)} 20 of 40, 2.0/s, 10 s left`,
      `videos ${bar(24)} 40 of 40, 2.7/s`,
      '',
    ]);
  });

  it('is a line at one half and at the end where there is no terminal', () => {
    assert.equal(passing(false), 'videos: 20 of 40, 2.0/s, 10 s left\nvideos: 40 of 40, 2.7/s\n');
  });
});

describe('progress in parts', () => {
  it('names each part with its own total', () => {
    const { terminal, written } = screen(true);
    const counter = progressInParts(terminal);
    counter.onProgress({ what: 'accounts', done: 1, total: 2 });
    counter.onProgress({ what: 'usage, events', done: 3, total: 4 });
    counter[Symbol.dispose]();
    const bars = written().replaceAll(/[#-]+/g, '');
    assert.equal(bars, `${erase}accounts [] 1 of 2${erase}usage, events [] 3 of 4${erase}`);
  });
});

describe('colors', () => {
  const isColored = (environment: Environment, given: { color?: boolean } = {}, isTTY = true) => {
    const { terminal } = screen(isTTY);
    const { hasColor } = terminalOf({ ...terminal, environment: () => environment }, () => given);
    return hasColor(terminal.stdout);
  };

  it('are for terminals, unless NO_COLOR, FORCE_COLOR, TERM or --no-color say otherwise', () => {
    assert.equal(isColored({}), true);
    assert.equal(isColored({}, {}, false), false);
    assert.equal(isColored({ FORCE_COLOR: '1' }, {}, false), true);
    assert.equal(isColored({ FORCE_COLOR: '0' }), false);
    assert.equal(isColored({ NO_COLOR: '1', FORCE_COLOR: '1' }), false);
    assert.equal(isColored({ NO_COLOR: '' }), true);
    assert.equal(isColored({ TERM: 'dumb' }), false);
    assert.equal(isColored({ FORCE_COLOR: '1' }, { color: false }), false);
  });
});

describe('a table', () => {
  it('lets no cell move the cursor or reverse the line', async () => {
    const { terminal, written } = screen(false);
    const shown = terminalOf({ ...terminal, environment: () => ({}) }, () => ({}));
    const rows = [{ title: 'a\x1b[2Jb\nc\u202ed' }];
    await printRows(shown, rows, { title: 'title' }, false);
    assert.equal(written(), 'a [2Jb c d\n');
  });
});
