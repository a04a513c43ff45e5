import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { logSome } from '#src/app/open-transparency-log.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { type EntryJson, jsonIn, refusalIn } from '#test/support/response-json.ts';
import { operate } from '#test/support/run-operator.ts';

type ProofJson = {
  entry: EntryJson;
  salt: string;
  leaf_index: number;
  leaf_hash: string;
  inclusion: string[];
  checkpoint: string;
};

const program = new URL('../../docs/verify-ledger.mjs', import.meta.url).pathname;

describe('the transparency log of the ledgers', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp();
  });
  after(() => app[Symbol.asyncDispose]());

  const grow = async () => {
    const log = await app.core.transparency.log();
    while (await logSome(log, app.core.log)) {}
  };
  const textAt = async (path: string) => await (await app.get(path)).text();

  it('proves a charge with one file and one key, once it is in a checkpoint', async () => {
    const { key, accountId } = await app.createAccount();
    const read = await app.get(`/v1/transcripts/${samples.regional}`, { key });
    const eventId = read.headers.get('X-Credits-Event');
    const early = await app.get(`/v1/ledger/${eventId}/proof`, { key });
    assert.ok(Number(early.headers.get('Retry-After')) > 0);
    assert.deepEqual(await refusalIn(early), [404, 'PROOF_PENDING', '0']);

    await grow();
    const answer = await app.get(`/v1/ledger/${eventId}/proof`, { key });
    assert.equal(answer.status, 200);
    const proof = await jsonIn<ProofJson>(answer);
    assert.deepEqual(proof.entry, await jsonIn(await app.get(`/v1/ledger/${eventId}`, { key })));
    const logged = hash(
      'sha256',
      Buffer.concat([Buffer.from(proof.salt, 'base64'), Buffer.from(proof.entry.hash, 'hex')]),
      'buffer',
    );
    const leaf = hash('sha256', Buffer.concat([Buffer.from([0]), logged]), 'base64');
    assert.equal(proof.leaf_hash, leaf);
    assert.equal(proof.checkpoint, await textAt('/tlog/checkpoint'));

    // The very entry is in its bundle, behind its length in two bytes.
    const size = Number(proof.checkpoint.split('\n')[1]);
    const bundle = Buffer.from(await (await app.get(`/tlog/tile/entries/000.p/${size}`)).arrayBuffer());
    assert.equal(bundle.length, 34 * size);
    const place = 34 * proof.leaf_index;
    assert.deepEqual(bundle.subarray(place, place + 34), Buffer.concat([Buffer.from([0, 32]), logged]));
    const tile = Buffer.from(await (await app.get(`/tlog/tile/0/000.p/${size}`)).arrayBuffer());
    assert.equal(tile.subarray(32 * proof.leaf_index, 32 * (proof.leaf_index + 1)).toString('base64'), leaf);

    const asText = await app.get(`/v1/ledger/${eventId}/proof`, { key, headers: { Accept: 'text/plain' } });
    const lines = ['c2sp.org/tlog-proof@v1', `extra ${proof.salt}`, `index ${proof.leaf_index}`, ...proof.inclusion];
    assert.equal(await asText.text(), [...lines, '', proof.checkpoint].join('\n'));

    using folder = mkdtempDisposableSync(join(tmpdir(), 'steno-proof-'));
    const file = (name: string, text: string) => {
      writeFileSync(join(folder.path, name), text);
      return join(folder.path, name);
    };
    const exported = await operate(app.environment, ...['ledger', 'export', '--account', accountId]);
    const verified = spawnSync(
      process.execPath,
      [
        program,
        '--proof',
        file('proof.json', JSON.stringify(proof)),
        '--keys',
        file('keys', await textAt('/tlog/keys')),
      ],
      { input: exported.stdout, encoding: 'utf8' },
    );
    assert.deepEqual([verified.status, verified.stderr], [0, '']);
    assert.match(verified.stdout, /proof\.json holds: a checkpoint of \S+\/tlog with \d+ leaves/);
  });

  it('reveals nothing about the entries of others', async () => {
    const [one, other] = [await app.createAccount(), await app.createAccount()];
    const read = await app.get(`/v1/transcripts/${samples.regional}`, { key: one.key });
    await grow();
    for (const id of [read.headers.get('X-Credits-Event'), 'evt_1', 'x%00']) {
      const answer = await app.get(`/v1/ledger/${id}/proof`, { key: other.key });
      assert.deepEqual(await refusalIn(answer), [404, 'NOT_FOUND', '0']);
    }
  });

  it('serves immutable tiles with a permanent cache lifetime, and refuses tiles that it does not have', async () => {
    await app.createAccount();
    await grow();
    const size = Number((await textAt('/tlog/checkpoint')).split('\n')[1]);
    const tile = await app.get(`/tlog/tile/0/000.p/${size}`);
    assert.equal(tile.headers.get('Content-Type'), 'application/octet-stream');
    assert.match(tile.headers.get('Cache-Control') ?? '', /immutable/);
    assert.equal((await app.get('/tlog/checkpoint')).headers.get('Content-Type'), 'text/plain; charset=utf-8');
    for (const [path, status] of [
      [`0/000.p/${size + 1}`, 404],
      ['0/000', 404],
      ['0/001.p/1', 404],
      ['1/000.p/1', 404],
      ['entries/x001/000', 404],
      ['0/0', 400],
      ['0/000.p/0', 400],
      ['99/000', 400],
      ['constructor/000', 400],
      ['0/000%00', 400],
    ] as const) {
      const refused = await app.get(`/tlog/tile/${path}`);
      assert.equal(refused.status, status, path);
      assert.doesNotMatch(refused.headers.get('Cache-Control') ?? '', /immutable/, path);
    }
  });

  it('is witnessed by steno tlog witness, which exits with 1 if it cannot be trusted', async () => {
    await grow();
    const checkpoint = await textAt('/tlog/checkpoint');
    const [origin = '', size] = checkpoint.split('\n');
    const submit = (body: string) => fetch(`${app.url}/tlog/add-checkpoint`, { method: 'POST', body });
    assert.equal((await submit(`old 0\n\n${checkpoint}`)).status, 404);

    const witnessed = await operate(app.environment, 'tlog', 'witness', app.url);
    assert.equal(witnessed.code, 0, witnessed.stderr);
    assert.equal(witnessed.stdout.startsWith(checkpoint), true);
    assert.match(witnessed.stdout.slice(checkpoint.length), /^— \S+\/tlog\/witness \S+\n$/);
    const cosigned = await submit(`old ${size}\n\n${checkpoint}`);
    assert.deepEqual([cosigned.status, (await cosigned.text()).startsWith('— ')], [200, true]);
    const stale = await submit(`old 0\n\n${checkpoint}`);
    assert.deepEqual([stale.status, await stale.text()], [409, `${size}\n`]);
    assert.equal(stale.headers.get('Content-Type'), 'text/x.tlog.size');
    for (const body of ['', 'old 1', 'x'.repeat(40_000)]) {
      const { status } = await submit(body);
      assert.equal(status, body.length > 10_000 ? 413 : 400);
    }
    const { vkey } = await app.core.transparency.witness();
    for (const [args, code] of [
      [[app.url, '--vkey', vkey], 1],
      [[app.url, '--vkey', 'no key'], 2],
      [['nowhere'], 2],
      [['http://127.0.0.1:1'], 1],
    ] as const) {
      const refused = await operate(app.environment, 'tlog', 'witness', ...args);
      assert.deepEqual([refused.code, refused.stdout], [code, ''], refused.stderr);
    }
    const { stdout } = await operate(app.environment, 'tlog', 'status', '--json');
    assert.deepEqual(
      [JSON.parse(stdout).witnessed[0].origin, JSON.parse(stdout).witnessed[0].size],
      [origin, Number(size)],
    );
  });

  it('is shown by steno tlog status', async () => {
    await grow();
    const { code, stdout } = await operate(app.environment, 'tlog', 'status', '--json');
    assert.equal(code, 0);
    const { origin, size, vkeys, positions_behind } = JSON.parse(stdout);
    assert.equal((await textAt('/tlog/checkpoint')).startsWith(`${origin}\n${size}\n`), true);
    assert.deepEqual([(await textAt('/tlog/keys')).trim().split('\n'), positions_behind], [vkeys, '0']);
  });
});
