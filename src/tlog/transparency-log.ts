import { createHmac, hash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import { checkpointText, parseCheckpoint } from './checkpoint.ts';
import { hashBytes, inclusionRanges, leafHash } from './merkle.ts';
import { hasSigned, parseNote, type Signer, signedNote } from './note.ts';
import { parseTilePath } from './tile-path.ts';
import { edgeOf, grown, hashesOf, partialWidth, type ReadTiles, rootAt, type Tile, tileWidth } from './tiles.ts';

/** The state of the log. `position`: everything up to it in the event log is in the tree. */
export type LogHead = {
  readonly origin: string;
  readonly size: number;
  readonly position: bigint;
  /** A signed note. */
  readonly checkpoint: string;
  readonly signedAt: Date;
};

/** Up to 256 entries one after the other, with the positions of their events. */
export type Bundle = { readonly index: number; readonly positions: readonly bigint[]; readonly entries: Uint8Array };

/** An entry of a ledger that becomes a leaf. `hash`: 64 hexadecimal digits. */
export type NewLeaf = { readonly position: bigint; readonly accountId: string; readonly hash: string };

/** What is written in one transaction. */
export type LogChange = {
  readonly head: LogHead;
  readonly tiles: readonly Tile[];
  readonly bundles: readonly Bundle[];
  readonly vkeys: readonly string[];
};

/** Where the log is kept. */
export type LogStore = {
  /** Null: it was not begun. */
  readonly head: () => Promise<LogHead | null>;
  readonly tiles: ReadTiles;
  readonly bundle: (index: number) => Promise<Bundle | null>;
  /** The bundle that would hold this position. */
  readonly bundleAround: (position: bigint) => Promise<Bundle | null>;
  /** The bundles from an index on that hold positions up to this one, in their order. */
  readonly bundlesUpTo: (first: number, position: bigint) => Promise<readonly Bundle[]>;
  /** The salts of accounts that have a leaf, by account. */
  readonly salts: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
  /** The newest first. */
  readonly vkeys: () => Promise<readonly string[]>;
  /** Writes what `change` answers, under the lock of the log; it reads by the store that it is given. Null: nothing. */
  readonly update: (
    change: (locked: LogReads, head: LogHead | null) => Promise<LogChange | null>,
  ) => Promise<LogHead | null>;
};

/** What a change reads, in its transaction. `addSalts` answers those that are kept, which may be older. */
export type LogReads = Pick<LogStore, 'tiles' | 'bundle'> & {
  readonly addSalts: (salts: ReadonlyMap<string, Uint8Array>) => Promise<ReadonlyMap<string, Uint8Array>>;
};

type LogParts = {
  readonly store: LogStore;
  /** The first is that of this service; others are of a key that is being replaced. */
  readonly signers: readonly Signer[];
  /** From which salts are derived; 32 bytes. */
  readonly saltKey: Uint8Array;
  /** An entry is in a checkpoint within this time (ms). */
  readonly intervalMs: number;
  readonly clock: Clock;
};

/** The proof that an entry is in the log. `inclusion`: from the sibling of the leaf to a child of the root. */
export type InclusionProof = {
  readonly salt: Uint8Array;
  readonly leafIndex: number;
  readonly leafHash: Uint8Array;
  readonly inclusion: readonly Uint8Array[];
  /** A signed note. */
  readonly checkpoint: string;
};

/** The log of this service. */
export type TransparencyLog = ReturnType<typeof transparencyLog>;

/** What is logged of an entry: without the salt of its account nobody can tell whose it is, or find the entry. */
export const loggedEntry = (salt: Uint8Array, entryHash: string): Buffer =>
  hash('sha256', Buffer.concat([salt, Buffer.from(entryHash, 'hex')]), 'buffer');

const saltOf = (saltKey: Uint8Array, accountId: string): Buffer =>
  createHmac('sha256', saltKey).update(accountId).digest();

/** The Merkle log of ledger entries (C2SP tlog-tiles): it grows at its end, and every head is signed. */
export const transparencyLog = ({ store, signers, saltKey, intervalMs, clock }: LogParts) => {
  const signed = async (head: Omit<LogHead, 'checkpoint' | 'signedAt'>, read: ReadTiles): Promise<LogHead> => {
    const signedAt = clock();
    const root = await rootAt(head.size, read);
    return { ...head, signedAt, checkpoint: signedNote(checkpointText({ ...head, root }), signers, signedAt) };
  };
  const vkeys = signers.map(({ verifier }) => verifier.vkey);

  return {
    /** Begins the log where there is none, and signs its head anew where the keys are others. Answers the head. */
    begin: (origin: string): Promise<LogHead | null> =>
      store.update(async ({ tiles }, head) => {
        const note = head === null ? null : parseNote(head.checkpoint);
        if (note !== null && signers.every(({ verifier }) => hasSigned(verifier, note))) return null;
        const begun = head ?? { origin, size: 0, position: 0n };
        return { head: await signed(begun, tiles), tiles: [], bundles: [], vkeys };
      }),

    /** Adds what follows the end of the log, in the order of positions, and signs the new head; `upTo` was read. */
    append: (leaves: readonly NewLeaf[], upTo: bigint): Promise<LogHead | null> =>
      store.update(async (locked, head) => {
        if (head === null || upTo <= head.position) return null;
        const added = leaves.filter(({ position }) => position > head.position);
        if (added.length === 0) return { head: { ...head, position: upTo }, tiles: [], bundles: [], vkeys: [] };
        const accounts = new Set(added.map(({ accountId }) => accountId));
        const salts = await locked.addSalts(new Map([...accounts].map((id) => [id, saltOf(saltKey, id)])));
        const entries = added.map(({ accountId, hash: of }) =>
          loggedEntry(salts.get(accountId) ?? Buffer.alloc(0), of),
        );
        const changed = grown(head.size, await locked.tiles(edgeOf(head.size)), entries.map(leafHash));
        const last = partialWidth(0, head.size) === 0 ? null : await locked.bundle(Math.floor(head.size / tileWidth));
        const after = { origin: head.origin, size: head.size + added.length, position: upTo };
        const isChanged = new Map(changed.map((tile) => [`${tile.level}/${tile.index}`, tile]));
        const read: ReadTiles = async (ids) => {
          const kept = ids.filter(({ level, index }) => !isChanged.has(`${level}/${index}`));
          return [...changed, ...(kept.length === 0 ? [] : await locked.tiles(kept))];
        };
        const bundles = bundlesOf(head.size, last, added, entries);
        return { head: await signed(after, read), tiles: changed, bundles, vkeys: [] };
      }),

    head: store.head,
    /** Verifier keys of this log, the newest first. */
    vkeys: store.vkeys,

    /** The bytes at a path of C2SP tlog-tiles. Throws INVALID_REQUEST for no such path, NOT_FOUND beyond the tree. */
    tile: async (path: string): Promise<Buffer> => {
      const wanted = parseTilePath(path);
      if (wanted === null) {
        const message = 'A tile is named as in C2SP tlog-tiles: level/index, such as 0/x001/234 or 0/000.p/12.';
        throw invalidRequest(message, { path: 'tile', code: 'invalid_format' });
      }
      const { level, index, width } = wanted;
      const size = width * hashBytes;
      const found =
        level === null ? (await store.bundle(index))?.entries : (await store.tiles([{ level, index }]))[0]?.hashes;
      if (found === undefined || found.length < size) throw new Refusal('NOT_FOUND', 'The log has no such tile.');
      const bytes = Buffer.from(found.subarray(0, size));
      return level === null ? prefixed(bytes) : bytes;
    },

    /** The proof that the event at a position is in the log. Throws PROOF_PENDING until it is. */
    prove: async (accountId: string, position: bigint): Promise<InclusionProof> => {
      const [head, bundle, salts] = await Promise.all([
        store.head(),
        store.bundleAround(position),
        store.salts([accountId]),
      ]);
      const place = bundle?.positions.indexOf(position) ?? -1;
      const salt = salts.get(accountId);
      const leafIndex = (bundle?.index ?? 0) * tileWidth + place;
      if (head === null || bundle === null || place < 0 || salt === undefined || leafIndex >= head.size)
        throw pending(intervalMs);
      const { size } = parseCheckpoint(head.checkpoint) ?? head;
      const ranges = [{ from: leafIndex, to: leafIndex + 1 }, ...inclusionRanges(leafIndex, size)];
      const [leaf = Buffer.alloc(0), ...inclusion] = await hashesOf(ranges, store.tiles);
      return { salt, leafIndex, leafHash: leaf, inclusion, checkpoint: head.checkpoint };
    },
  };
};

const pending = (intervalMs: number): Refusal =>
  new Refusal('PROOF_PENDING', 'This entry is not in a checkpoint yet.', null, Math.ceil(intervalMs / 2_000));

/** Entries of C2SP tlog-tiles: each behind its length in two bytes. */
const prefixed = (entries: Buffer): Buffer => {
  const length = Buffer.from([0, hashBytes]);
  const parts: Buffer[] = [];
  for (let at = 0; at < entries.length; at += hashBytes) parts.push(length, entries.subarray(at, at + hashBytes));
  return Buffer.concat(parts);
};

const bundlesOf = (
  size: number,
  last: Bundle | null,
  leaves: readonly NewLeaf[],
  entries: readonly Uint8Array[],
): readonly Bundle[] => {
  const width = partialWidth(0, size);
  const positions = [...(last?.positions.slice(0, width) ?? []), ...leaves.map(({ position }) => position)];
  const bytes = Buffer.concat([...(last === null ? [] : [last.entries.subarray(0, width * hashBytes)]), ...entries]);
  const bundles: Bundle[] = [];
  for (let at = 0; at < positions.length; at += tileWidth) {
    bundles.push({
      index: Math.floor(size / tileWidth) + at / tileWidth,
      positions: positions.slice(at, at + tileWidth),
      entries: bytes.subarray(at * hashBytes, (at + tileWidth) * hashBytes),
    });
  }
  return bundles;
};

/** A proof as a C2SP tlog-proof; the salt of the account is its extra data. */
export const tlogProofText = ({ salt, leafIndex, inclusion, checkpoint }: InclusionProof): string => {
  const lines = [
    'c2sp.org/tlog-proof@v1',
    `extra ${base64Of(salt)}`,
    `index ${leafIndex}`,
    ...inclusion.map(base64Of),
    '',
    checkpoint,
  ];
  return lines.join('\n');
};

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
