import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkpointText, parseCheckpoint } from '#src/tlog/checkpoint.ts';
import { consistencyRanges, emptyRoot } from '#src/tlog/merkle.ts';
import { hasSigned, keyOfSeed, parseNote, parseVkey, signedNote, signerOf } from '#src/tlog/note.ts';
import { hashesOf } from '#src/tlog/tiles.ts';
import { DistrustError, type Witnessed, witnessLogs } from '#src/tlog/witness-logs.ts';
import { ledgerOf, logOf } from '#test/support/logged-ledger.ts';

const videos = (text: string): string[] => [...text];
const clock = () => new Date('2026-11-26T12:00:00.000Z');

const newWitness = () => {
  const kept = new Map<string, Witnessed>();
  const witness = witnessLogs({
    signer: signerOf('w.example/w', 'cosignature', keyOfSeed(Buffer.alloc(32, 3))),
    clock,
    store: {
      all: async () => [...kept.values()],
      update: async (origin, change) => {
        const changed = change(kept.get(origin) ?? null);
        if (changed !== null) kept.set(origin, changed);
      },
    },
  });
  return { ...witness, kept };
};

describe('a witness of the logs of others', () => {
  it('cosigns a log that grows, and keeps its last checkpoint', async () => {
    const { log, append, remote } = await logOf(ledgerOf(videos('abc')));
    const { witness, vkey, kept } = newWitness();
    const own = parseVkey(vkey);
    for (const size of [3, 3, 5]) {
      if (size === 5) await append(ledgerOf(videos('abcde')).slice(3));
      const note = parseNote(await witness(remote(), null));
      assert.ok(note !== null && own !== null);
      assert.equal(hasSigned(own, note), true);
      assert.equal(note.text, parseNote((await log.head())?.checkpoint ?? '')?.text);
      assert.deepEqual(
        [...kept.values()].map((one) => one.size),
        [size],
      );
    }
  });

  for (const [lie, log, message] of [
    ['has lost leaves', logOf(ledgerOf(videos('abc'))), /has lost leaves: 4 were cosigned, it has 3/],
    ['has another root of the same size', logOf(ledgerOf(videos('abxd'))), /is forked: it has another root/],
    [
      'is another tree',
      logOf(ledgerOf(videos('abxdef'))),
      /is forked: .* does not begin with the one that was cosigned/,
    ],
    ['is signed by another key', logOf(ledgerOf(videos('abcde')), { seed: 9 }), /not signed by the key that is pinned/],
    [
      'has another name',
      logOf(ledgerOf(videos('abcde')), { name: 'other.example/tlog' }),
      /says that it is other\.example/,
    ],
  ] as const) {
    it(`does not cosign a log that ${lie}, and forgets nothing`, async () => {
      const { witness, kept } = newWitness();
      await witness((await logOf(ledgerOf(videos('abcd')))).remote(), null);
      const before = [...kept.values()];
      await assert.rejects(witness((await log).remote(), null), (error) => {
        assert.ok(error instanceof DistrustError);
        assert.match(error.message, message);
        return true;
      });
      assert.deepEqual([...kept.values()], before);
    });
  }

  it('accepts another key if its operator says so', async () => {
    const { witness } = newWitness();
    await witness((await logOf(ledgerOf(videos('ab')))).remote(), null);
    const renewed = await logOf(ledgerOf(videos('abc')), { seed: 9 });
    await witness(renewed.remote(), renewed.vkey);
    await witness(renewed.remote(), null);
  });

  describe('asked by add-checkpoint', () => {
    const bodyOf = (old: number | string, proof: readonly Uint8Array[], checkpoint: string): string =>
      [`old ${old}`, ...proof.map((one) => Buffer.from(one).toString('base64')), '', checkpoint].join('\n');

    const asked = async () => {
      const { witness, addCheckpoint } = newWitness();
      const { log, append, remote } = await logOf(ledgerOf(videos('abc')));
      await witness(remote(), null);
      const older = (await log.head())?.checkpoint ?? '';
      await append(ledgerOf(videos('abcdef')).slice(3));
      const checkpoint = (await log.head())?.checkpoint ?? '';
      const { tile } = remote();
      const proof = await hashesOf(consistencyRanges(3, 6), async (ids) =>
        Promise.all(ids.map(async (id) => ({ ...id, hashes: await tile({ ...id, width: 6 }) }))),
      );
      return { addCheckpoint, older, checkpoint, proof };
    };

    it('cosigns what is consistent, once', async () => {
      const { addCheckpoint, checkpoint, proof } = await asked();
      const first = await addCheckpoint(bodyOf(3, proof, checkpoint));
      assert.ok('signatures' in first);
      assert.match(first.signatures, /^— w\.example\/w \S+\n$/);
      assert.deepEqual(await addCheckpoint(bodyOf(3, proof, checkpoint)), { size: 6 });
      assert.ok('signatures' in (await addCheckpoint(bodyOf(6, [], checkpoint))));
    });

    it('refuses what is inconsistent, as C2SP tlog-witness says', async () => {
      const { addCheckpoint, older, checkpoint, proof } = await asked();
      assert.deepEqual(await addCheckpoint(bodyOf(0, [], checkpoint)), { size: 3 });
      assert.deepEqual(await addCheckpoint(bodyOf(3, proof.slice(1), checkpoint)), { isInconsistent: true });
      assert.deepEqual(await addCheckpoint(bodyOf(3, [emptyRoot, ...proof.slice(1)], checkpoint)), {
        isInconsistent: true,
      });
      const forge = (seed: number, change: object) => {
        const read = parseCheckpoint(older);
        assert.ok(read !== null);
        const text = checkpointText({ ...read, ...change });
        return signedNote(text, [signerOf(read.origin, 'note', keyOfSeed(Buffer.alloc(32, seed)))], clock());
      };
      assert.deepEqual(await addCheckpoint(bodyOf(3, [], forge(7, { root: emptyRoot }))), { size: 3 });
      await assert.rejects(addCheckpoint(bodyOf(3, proof, forge(9, { size: 6 }))), { code: 'FORBIDDEN' });
      await assert.rejects(addCheckpoint(bodyOf(3, proof, forge(7, { origin: 'x/y' }))), { code: 'NOT_FOUND' });
      await assert.rejects(addCheckpoint(bodyOf(4, [], older)), { code: 'INVALID_REQUEST' });
      for (const broken of [
        '',
        'old 3\n\n',
        bodyOf('03', proof, checkpoint),
        bodyOf(3, [emptyRoot.subarray(1)], checkpoint),
      ]) {
        await assert.rejects(addCheckpoint(broken), { code: 'INVALID_REQUEST' }, JSON.stringify(broken.slice(0, 40)));
      }
      const many = Array.from({ length: 64 }, () => emptyRoot);
      await assert.rejects(addCheckpoint(bodyOf(3, many, checkpoint)), { code: 'INVALID_REQUEST' });
    });
  });
});
