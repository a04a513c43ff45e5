import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { canonicalJson } from '#src/kernel/canonical-json.ts';

const read = (path: string): string => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
const program = new URL('../../docs/verify-ledger.mjs', import.meta.url).pathname;
const entries = read('ledger-example.ndjson')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const verify = (input: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { input, encoding: 'utf8' });
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
      const { status, stdout, stderr } = verify(lines(entries.with(1, { ...entries[1], [name]: other })));
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

  it('reads the named files, and no others', () => {
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [program, ...args], { input: '', encoding: 'utf8' });
    const example = new URL('../../docs/ledger-example.ndjson', import.meta.url).pathname;
    assert.match(run(example, example).stdout, /^3 entries hold/);
    const missing = run('no-such-file');
    assert.deepEqual([missing.status, missing.stdout], [2, '']);
    assert.match(missing.stderr, /^no-such-file cannot be read/);
  });

  it('checks two accounts separately', () => {
    let before = '0'.repeat(64);
    const other = entries.map(({ hash: _, event_id, ...entry }) => {
      const swapped = JSON.parse(JSON.stringify(entry).replaceAll('acc_example', 'acc_other'));
      const { type, schema_version, stream, version, data, meta } = swapped;
      const body = { id: event_id, type, schema_version, stream, version, data, meta };
      const prev_hash = before;
      before = createHash('sha256').update(before).update(canonicalJson(body)).digest('hex');
      const position = String(Number(entry.position) + 10);
      return { event_id, ...swapped, position, prev_hash, hash: before };
    });
    const both = verify(lines([...entries, ...other]));
    assert.deepEqual([both.status, both.stderr], [0, '']);
    assert.match(both.stdout, /^These are 2 ledgers.*\n3 entries.*acc_example.*\n3 entries.*acc_other/);
    const broken = verify(lines([...entries, ...other.toSpliced(1, 1)]));
    assert.deepEqual(
      [broken.status, broken.stderr],
      [1, 'event 3 of ledger-acc_other-2026-11 does not follow the one before it\n'],
    );
  });

  it('does not mistake another format for a broken ledger', () => {
    for (const [text, told] of [
      ['event_id,type,stream\na,b,c\n', /^this is CSV, of which nothing was checked: .*ndjson/],
      ['PAR1\u0000', /^this is Parquet/],
      ['{"error":{"code":"INVALID_API_KEY"}}', /^this is no ledger: .*INVALID_API_KEY/],
      ['<html>', /^this is no ledger\n$/],
    ] as const) {
      const { status, stderr } = verify(text);
      assert.equal(status, 2);
      assert.match(stderr, told);
    }
  });

  it('reads every page of a server, waits where it is told to, and says why it cannot', async () => {
    const [first, second, third] = entries;
    let isBusy = true;
    const server = createServer(({ url = '', headers }, response) => {
      if (headers.authorization !== 'Bearer right') response.writeHead(401).end('{"error":{}}');
      else if (isBusy) {
        isBusy = false;
        response.writeHead(429, { 'Retry-After': '1' }).end('{"error":{}}');
      } else {
        const [of, next] = url.includes('before=p2') ? [[first], null] : [[third, second], 'p2'];
        response.end(JSON.stringify({ entries: of, next_before: next }));
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const run = async (key: string) => {
      const env = { ...process.env, STENO_API_KEY: key };
      const child = spawn(process.execPath, [program, `http://127.0.0.1:${port}/`], { env });
      const [out, err] = [text(child.stdout), text(child.stderr)];
      const [status] = await once(child, 'close');
      return [status, (await out).split(' ')[0], await err];
    };
    try {
      assert.deepEqual(await run('right'), [0, '3', '']);
      const [status, , told] = await run('wrong');
      assert.equal(status, 2);
      assert.match(String(told), /answered 401/);
    } finally {
      server.close();
    }
  });
});
