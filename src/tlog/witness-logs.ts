import type { Clock } from '../kernel/clock.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { consistencyRanges, emptyRoot, isConsistent, type TreeHead } from './merkle.ts';
import { hasSigned, parseNote, parseVkey, type Signer, signatureLine, type Verifier } from './note.ts';
import { hashesOf, partialWidth, type ReadTiles, tileWidth } from './tiles.ts';
import { type Judgement, judge, parseSubmission } from './witness.ts';

/** A log of others. `vkeys`: its verifier keys as they were pinned. `checkpoint`: the newest that was cosigned. */
export type Witnessed = TreeHead & {
  readonly origin: string;
  readonly url: string;
  readonly vkeys: readonly string[];
  readonly checkpoint: string;
  readonly cosignedAt: Date;
};

/** Where a witness keeps what it has cosigned. */
export type WitnessStore = {
  readonly all: () => Promise<readonly Witnessed[]>;
  /** Writes what `change` answers of a log, one at a time; null: nothing. */
  readonly update: (origin: string, change: (known: Witnessed | null) => Witnessed | null) => Promise<void>;
};

/** Another server, by its address. Each method throws where the server does not answer what C2SP tlog-tiles says. */
export type RemoteLog = {
  readonly url: string;
  /** A signed note. */
  readonly checkpoint: () => Promise<string>;
  /** Verifier keys. */
  readonly vkeys: () => Promise<readonly string[]>;
  /** A tile of so many hashes. */
  readonly tile: (id: {
    readonly level: number;
    readonly index: number;
    readonly width: number;
  }) => Promise<Uint8Array>;
};

/** Another log contradicts what it said before, or proves nothing: it is not cosigned. */
export class DistrustError extends Error {
  override readonly name = 'DistrustError';
}

/** What `add-checkpoint` answers: signature lines, or the size that the sender has to begin with. */
export type Cosigned =
  | { readonly signatures: string }
  | { readonly size: number }
  /** The proof does not lead from the old checkpoint to this one. */
  | { readonly isInconsistent: true };

/** The witness of this service. */
export const witnessLogs = ({
  store,
  signer,
  clock,
}: {
  readonly store: WitnessStore;
  readonly signer: Signer;
  readonly clock: Clock;
}) => ({
  all: store.all,
  vkey: signer.verifier.vkey,

  /**
   * Cosigns a checkpoint that a log submits (C2SP tlog-witness). Throws INVALID_REQUEST, NOT_FOUND for a log that was never
   * witnessed, FORBIDDEN without a signature that is trusted.
   */
  addCheckpoint: async (body: string): Promise<Cosigned> => {
    const submission = parseSubmission(body);
    if (submission === null) throw malformed('The body is not a checkpoint with its proof: see C2SP tlog-witness.');
    const { note, checkpoint } = submission;
    let [judgement, size, signatures]: [Judgement | null, number, string] = [null, 0, ''];
    await store.update(checkpoint.origin, (known) => {
      if (known === null) return null;
      size = known.size;
      judgement = judge({ verifiers: verifiersIn(known.vkeys), head: known }, submission);
      if (judgement !== 'cosigned') return null;
      const cosignedAt = clock();
      signatures = signatureLine(signer, note.text, cosignedAt);
      return { ...known, ...checkpoint, checkpoint: withSignatures(note, signatures), cosignedAt };
    });
    if (judgement === 'stale' || judgement === 'forked') return { size };
    if (judgement === 'cosigned') return { signatures };
    if (judgement === 'inconsistent') return { isInconsistent: true };
    throw refusalOf(judgement);
  },

  /**
   * Reads the newest checkpoint of a server, proves that its tree begins with the one that was cosigned last, and cosigns it:
   * answers the cosigned note. Its keys are pinned at first use; `vkey` replaces them. Throws `DistrustError`.
   */
  witness: async (log: RemoteLog, vkey: string | null): Promise<string> => {
    const text = await log.checkpoint();
    const note = parseNote(text);
    const checkpoint = note === null ? null : parseCheckpoint(note.text);
    if (note === null || checkpoint === null) throw new DistrustError(`${log.url} serves no checkpoint`);
    const known =
      (await store.all()).find(({ url, origin }) => url === log.url || origin === checkpoint.origin) ?? null;
    if (known !== null && known.origin !== checkpoint.origin) {
      throw new DistrustError(`${log.url} was the log ${known.origin} and says that it is ${checkpoint.origin}`);
    }
    const vkeys = await pinned(log, checkpoint.origin, known, vkey);
    if (!verifiersIn(vkeys).some((verifier) => hasSigned(verifier, note))) {
      throw new DistrustError(`the checkpoint of ${checkpoint.origin} is not signed by the key that is pinned`);
    }
    const head = known ?? { size: 0, root: emptyRoot };
    await requireConsistent(log, head, checkpoint);
    const cosignedAt = clock();
    const cosigned = withSignatures(note, signatureLine(signer, note.text, cosignedAt));
    await store.update(checkpoint.origin, (present) => {
      if ((present?.size ?? 0) !== head.size) return null;
      return { ...checkpoint, url: log.url, vkeys, checkpoint: cosigned, cosignedAt };
    });
    return cosigned;
  },
});

/** The witness of this service. */
export type Witness = ReturnType<typeof witnessLogs>;

const malformed = (message: string): Refusal => invalidRequest(message, { path: 'body', code: 'malformed' });

const refusalOf = (judgement: Judgement | null): Refusal => {
  if (judgement === null) return new Refusal('NOT_FOUND', 'This witness does not know a log of this origin.');
  if (judgement === 'backwards') return malformed('The old size is larger than the size of the checkpoint.');
  return new Refusal('FORBIDDEN', 'No trusted key has signed the checkpoint.');
};

const verifiersIn = (vkeys: readonly string[]): readonly Verifier[] =>
  vkeys.map(parseVkey).filter((verifier) => verifier !== null);

const withSignatures = (
  { text, signatures }: { readonly text: string; readonly signatures: readonly { line: string }[] },
  more: string,
): string => `${text}\n${signatures.map(({ line }) => `${line}\n`).join('')}${more}`;

const pinned = async (
  log: RemoteLog,
  origin: string,
  known: Witnessed | null,
  vkey: string | null,
): Promise<readonly string[]> => {
  if (vkey !== null) return [vkey];
  if (known !== null) return known.vkeys;
  const served = (await log.vkeys()).filter((one) => parseVkey(one)?.name === origin);
  if (served.length === 0) throw new DistrustError(`${log.url} serves no key of its log`);
  return served;
};

/** Tiles of a tree of so many leaves, of which the last of each level is partial. */
const tilesAt =
  (log: RemoteLog, size: number): ReadTiles =>
  (ids) =>
    Promise.all(
      ids.map(async ({ level, index }) => {
        const isFull = (index + 1) * tileWidth ** (level + 1) <= size;
        const width = isFull ? tileWidth : partialWidth(level, size);
        return { level, index, hashes: await log.tile({ level, index, width }) };
      }),
    );

const requireConsistent = async (log: RemoteLog, old: TreeHead, checkpoint: TreeHead & { origin: string }) => {
  const { origin, size } = checkpoint;
  if (size < old.size) throw new DistrustError(`${origin} has lost leaves: ${old.size} were cosigned, it has ${size}`);
  const proof = await hashesOf(consistencyRanges(old.size, size), tilesAt(log, size));
  if (isConsistent(old, checkpoint, proof)) return;
  const what = size === old.size ? 'another root' : 'a tree that does not begin with the one that was cosigned';
  throw new DistrustError(`${origin} is forked: it has ${what} (${old.size} leaves)`);
};
