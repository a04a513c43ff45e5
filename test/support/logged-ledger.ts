import { sealed } from '#src/eventlog/hash-chain.ts';
import { uuidOf } from '#src/kernel/ids.ts';
import { keyOfSeed, signerOf } from '#src/tlog/note.ts';
import { tilePath } from '#src/tlog/tile-path.ts';
import { edgeOf, partialWidth, tileWidth } from '#src/tlog/tiles.ts';
import { transparencyLog } from '#src/tlog/transparency-log.ts';
import type { RemoteLog } from '#src/tlog/witness-logs.ts';
import { memoryLogStore } from '#test/support/memory-transparency-log.ts';

export const accountId = 'acc_example';
const origin = 'steno.example/tlog';
const at = '2026-11-26T12:00:00.000Z';

/** What an operator could write into a ledger: the charges of these videos, one after the other, well hashed. */
export const ledgerOf = (videos: readonly string[]) => {
  const stream = `ledger-${accountId}-2026-11`;
  let prevHash = '0'.repeat(64);
  return videos.map((videoId, index) => {
    const version = BigInt(index + 1);
    const data = { accountId, videoId, amount: 1, ...(index === 0 ? { previousStream: null } : {}) };
    const meta = { occurred_at: at, request_id: `req_${index}`, account_id: accountId };
    const event = { id: uuidOf(`${videoId}|${index}`), type: 'CreditsCharged', schemaVersion: 1, data, meta };
    const { hash } = sealed(event, { stream, version, prevHash });
    const entry = {
      ...{ id: event.id, type: event.type, stream, version: String(version), position: String(10 * (index + 1)) },
      ...{ occurred_at: at, request_id: meta.request_id, schema_version: 1, data, meta, prev_hash: prevHash, hash },
    };
    prevHash = hash;
    return entry;
  });
};

export type TestEntry = ReturnType<typeof ledgerOf>[number];

/** A log that is signed by the key of a seed, and what its server answers of it. */
export const logOf = async (entries: readonly TestEntry[], { seed = 7, name = origin } = {}) => {
  const store = memoryLogStore();
  const signer = signerOf(name, 'note', keyOfSeed(Buffer.alloc(32, seed)));
  const log = transparencyLog({
    store,
    signers: [signer],
    saltKey: Buffer.alloc(32, 1),
    intervalMs: 60_000,
    clock: () => new Date(at),
  });
  await log.begin(name);
  const append = async (more: readonly TestEntry[]) => {
    const leaves = more.map(({ position, hash }) => ({ accountId, position: BigInt(position), hash }));
    await log.append(leaves, leaves.at(-1)?.position ?? 0n);
  };
  await append(entries);
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const remote = (url = 'https://steno.example/tlog'): RemoteLog => ({
    url,
    checkpoint: async () => (await log.head())?.checkpoint ?? '',
    vkeys: log.vkeys,
    tile: (id) => log.tile(tilePath(id)),
  });
  return {
    log,
    append,
    remote,
    vkey: signer.verifier.vkey,
    /** The answer of `GET /v1/ledger/{id}/proof`. */
    proofOf: async (entry: TestEntry) => {
      const { salt, leafIndex, leafHash, inclusion, checkpoint } = await log.prove(accountId, BigInt(entry.position));
      return {
        ...{ entry, salt: base64(salt), leaf_index: leafIndex, leaf_hash: base64(leafHash) },
        ...{ inclusion: inclusion.map(base64), checkpoint },
      };
    },
    /** Every file of a copy of the log, by its path. */
    files: async () => {
      const head = await log.head();
      const size = head?.size ?? 0;
      const full = Array.from({ length: Math.floor(size / tileWidth) }, (_, index) => ({
        level: 0,
        index,
        width: tileWidth,
      }));
      const partial = edgeOf(size).map((id) => ({ ...id, width: partialWidth(id.level, size) }));
      const tiles = await Promise.all(
        [...full, ...partial].map(async (id) => [`tile/${tilePath(id)}`, await log.tile(tilePath(id))] as const),
      );
      return new Map<string, string | Buffer>([['checkpoint', head?.checkpoint ?? ''], ...tiles]);
    },
  };
};
