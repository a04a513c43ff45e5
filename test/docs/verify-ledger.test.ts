import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const read = (path: string): string =>
  readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
const program = new URL('../../docs/verify-ledger.mjs', import.meta.url).pathname;
const entries = read('ledger-example.ndjson')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const verify = (text: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
    input: text,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};
const lines = (of: readonly object[]): string => of.map((one) => JSON.stringify(one)).join('\n');

describe('docs/verify-ledger.mjs', () => {
  it('verifies an export, pages in any order and a single entry, and reports which part of the ledger it read', () => {
    const page = (of: readonly object[]) => JSON.stringify({ entries: of, next_before: null });
    const [first, second, third] = entries;
    const whole = '3 entries hold: the ledger from its beginning to event 3 of';
    for (const [text, part] of [
      [lines(entries), whole],
      [page(entries.toReversed()), whole],
      [`${page([third])}\n${page([second, first])}`, whole],
      [`${page([first])}\n${page([third, second, first])}`, whole],
      [page([third, second]), '2 entries hold: a part of the ledger, from event 2 of'],
      [JSON.stringify(second), '1 entries hold: a part of the ledger, from event 2 of'],
    ] as const) {
      const { status, stdout, stderr } = verify(text);
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, new RegExp(`^${part} .*; the last hash is [0-9a-f]{64}\n$`));
    }
  });

  for (const [name, value] of Object.entries<unknown>(entries[1])) {
    it(`finds another ${name}, and says so in one line`, () => {
      const other = typeof value === 'object' ? { ...value, amount: 2 } : 'x';
      const { status, stdout, stderr } = verify(
        lines(entries.with(1, { ...entries[1], [name]: other })),
      );
      assert.deepEqual([status, stdout], [1, '']);
      assert.match(stderr, /^event \S+ of \S+ [a-z ]+\n$/);
    });
  }

  it('finds an entry that is missing or has moved', () => {
    for (const changed of [
      [],
      entries.toSpliced(1, 1),
      entries.with(0, { ...entries[0], position: entries[2].position.concat('0') }),
      entries.with(2, { ...entries[2], position: entries[1].position }),
    ]) {
      assert.equal(verify(lines(changed)).status, 1);
    }
  });

  it('names the line that is not an entry', () => {
    for (const line of ['{"event_id": ', '[]', 'null', '7', '{"id":"1"}']) {
      const { status, stderr } = verify(`${JSON.stringify(entries[0])}\n${line}\n`);
      assert.deepEqual([status, stderr], [1, 'line 2 is no entry of a ledger\n'], line);
    }
  });
});
