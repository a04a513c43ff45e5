import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { keyOfSeed, signatureLine, signerOf } from '#src/tlog/note.ts';
import { ledgerOf, logOf, type TestEntry } from '#test/support/logged-ledger.ts';

const program = new URL('../../docs/verify-ledger.mjs', import.meta.url).pathname;
const videos = ['a', 'b', 'c', 'd', 'e'];

describe('a proof kept by a caller, checked by docs/verify-ledger.mjs', async () => {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'steno-log-'));
  after(() => folder.remove());
  const file = (name: string, content: string | Buffer): string => {
    const path = join(folder.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };

  const entries = ledgerOf(videos);
  const [, , third, , last] = entries;
  assert.ok(third !== undefined && last !== undefined);
  const honest = await logOf(entries.slice(0, 3));
  const proofOfThird = await honest.proofOf(third);
  await honest.append(entries.slice(3));
  const proofOfLast = await honest.proofOf(last);
  const keys = file('keys', `${honest.vkey}\n`);
  const kept = [file('third.json', JSON.stringify(proofOfThird)), file('last.json', JSON.stringify(proofOfLast))];

  const copyOf = async (name: string, log: typeof honest): Promise<string> => {
    for (const [path, content] of await log.files()) file(`${name}/${path}`, content);
    return join(folder.path, name);
  };
  const verify = (exported: readonly TestEntry[] | null, proofs: readonly string[], ...more: readonly string[]) => {
    const args = [program, ...proofs.flatMap((path) => ['--proof', path]), '--keys', keys, ...more];
    const input = exported?.map((entry) => JSON.stringify(entry)).join('\n');
    const stdio = input === undefined ? 'ignore' : 'pipe';
    const ended = spawnSync(process.execPath, args, { input, stdio: [stdio, 'pipe', 'pipe'], encoding: 'utf8' });
    return [ended.status, ended.stderr.trim(), ended.stdout.trim()] as const;
  };

  it('holds against an honest ledger, with the export or without, and against the log', async () => {
    const [status, told, shown] = verify(entries, kept, '--log', await copyOf('honest', honest));
    assert.deepEqual([status, told], [0, '']);
    assert.match(shown, /third\.json holds: a checkpoint of steno\.example\/tlog with 3 leaves/);
    assert.match(shown, /honest holds: .* 5 leaves/);
    assert.deepEqual(verify(null, kept).slice(0, 2), [0, '']);
  });

  for (const [plant, rewritten] of [
    ['a changed entry', ledgerOf(['a', 'b', 'x', 'd', 'e'])],
    ['a removed entry', ledgerOf(['a', 'c', 'd', 'e'])],
    ['an added entry', ledgerOf(['a', 'b', 'x', 'c', 'd', 'e'])],
    ['entries in another order', ledgerOf(['a', 'c', 'b', 'd', 'e'])],
    ['a tail that is cut off', entries.slice(0, 4)],
  ] as const) {
    it(`finds ${plant}, although every hash was recomputed`, () => {
      const [status, told] = verify(rewritten, kept);
      assert.equal(status, 1);
      assert.match(told, /^event \d of \S+, which \S+ proves, is not in the export as it was/);
    });
  }

  it('finds a fork, in which another ledger was logged under the same key', async () => {
    const other = await logOf(ledgerOf(['a', 'b', 'x', 'd', 'e', 'f']));
    const [status, told] = verify(null, kept, '--log', await copyOf('forked', other));
    assert.equal(status, 1);
    assert.match(told, /of two histories: the log is forked$/);
    const same = await logOf(ledgerOf(['a', 'b', 'x', 'd', 'e']));
    const checkpoint = file('other-checkpoint', (await same.log.head())?.checkpoint ?? '');
    assert.match(verify(null, [...kept, checkpoint])[1], /the log is forked$/);
  });

  it('finds a log that was truncated', async () => {
    const cut = await logOf(entries.slice(0, 4));
    const [status, told] = verify(null, kept, '--log', await copyOf('cut', cut));
    assert.equal(status, 1);
    assert.match(told, /has 4 leaves, and had 5 by \S+last\.json: it was cut$/);
  });

  it('finds a checkpoint that was rewritten, or is signed by a key that is not trusted', async () => {
    const size = file(
      'size.json',
      JSON.stringify({ ...proofOfLast, checkpoint: proofOfLast.checkpoint.replace('\n5\n', '\n6\n') }),
    );
    assert.deepEqual(verify(null, [size]).slice(0, 2), [
      1,
      `the checkpoint of ${size} was changed after steno.example/tlog signed it`,
    ]);
    const stranger = await (await logOf(entries, { seed: 9 })).proofOf(last);
    const signed = file('stranger.json', JSON.stringify(stranger));
    assert.deepEqual(verify(null, [signed]).slice(0, 2), [
      1,
      `the checkpoint of ${signed} is signed by no key of steno.example/tlog that you trust`,
    ]);
  });

  it('finds any change in a proof', () => {
    for (const [name, changed] of Object.entries({
      entry: { ...proofOfLast, entry: { ...last, data: { ...last.data, amount: 2 } } },
      salt: { ...proofOfLast, salt: Buffer.alloc(32).toString('base64') },
      leaf: { ...proofOfLast, leaf_hash: proofOfThird.leaf_hash },
      place: { ...proofOfLast, leaf_index: 3 },
      path: { ...proofOfLast, inclusion: proofOfLast.inclusion.slice(1) },
      kind: { ...proofOfLast, leaf_index: 'x', inclusion: null },
    })) {
      const [status, told] = verify(null, [file(`${name}.json`, JSON.stringify(changed))]);
      assert.equal(status, 1, `${name}: ${told}`);
    }
  });

  it('names the witnesses who cosigned, and finds a cosignature that was not theirs', async () => {
    const witness = signerOf('w.example/w', 'cosignature', keyOfSeed(Buffer.alloc(32, 3)));
    const text = proofOfLast.checkpoint.slice(0, proofOfLast.checkpoint.lastIndexOf('\n\n') + 1);
    const line = signatureLine(witness, text, new Date('2026-11-26T12:00:00Z'));
    const trusted = file('keys-of-both', `${honest.vkey}\n${witness.verifier.vkey}\n`);
    const proof = file('cosigned', `${proofOfLast.checkpoint}${line}`);
    assert.match(verify(null, [proof], '--keys', trusted)[2], /5 leaves, cosigned by w\.example\/w$/);
    const broken = file('broken', `${proofOfLast.checkpoint}${signatureLine(witness, `${text}x\n`, new Date(0))}`);
    assert.equal(verify(null, [broken], '--keys', trusted)[0], 1);
  });

  it('needs the keys that are trusted, and says what it cannot read', () => {
    const without = spawnSync(process.execPath, [program, '--proof', kept[0] ?? ''], {
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    assert.deepEqual(
      [without.status, without.stderr],
      [2, '--keys is missing: it names the file of the keys that you trust\n'],
    );
    assert.equal(verify(null, ['/nowhere'])[0], 2);
    assert.equal(verify([], kept)[0], 1, 'an empty export is no proof');
  });
});
