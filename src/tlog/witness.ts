import { type Checkpoint, parseCheckpoint } from './checkpoint.ts';
import { hashBytes, isConsistent, type TreeHead } from './merkle.ts';
import { bytesOf, hasSigned, type Note, parseNote, type Verifier } from './note.ts';

/** A checkpoint of another log that asks for a cosignature (C2SP tlog-witness). */
export type Submission = {
  /** Leaves of the checkpoint that was cosigned last, as the sender knows it. */
  readonly oldSize: number;
  readonly proof: readonly Uint8Array[];
  readonly note: Note;
  readonly checkpoint: Checkpoint;
};

/** What a witness remembers of a log: its keys, and the tree that it cosigned last. */
export type WitnessedLog = { readonly verifiers: readonly Verifier[]; readonly head: TreeHead };

/**
 * `unsigned`: no key that is trusted has signed it. `backwards`: it is said to be older than what it follows.
 * `stale`: another tree was cosigned last; `forked`: one of the same size with another root. `inconsistent`: its tree does
 * not begin with that one.
 */
export type Judgement = 'cosigned' | 'unsigned' | 'backwards' | 'stale' | 'forked' | 'inconsistent';

const maxProofLines = 63;

/** Reads the body of `add-checkpoint`; null: it is malformed. */
export const parseSubmission = (body: string): Submission | null => {
  const [, number = '', lines = '', signed = ''] =
    /^old (0|[1-9]\d{0,15})\n((?:[^\n]+\n)*)\n([\s\S]+)$/.exec(body) ?? [];
  const note = parseNote(signed);
  const checkpoint = note === null ? null : parseCheckpoint(note.text);
  const proof = lines.split('\n').slice(0, -1).map(bytesOf);
  const oldSize = Number(number);
  if (number === '' || !Number.isSafeInteger(oldSize) || note === null || checkpoint === null) return null;
  if (proof.length > maxProofLines) return null;
  const hashes = proof.filter((one) => one !== null && one.length === hashBytes).map((one) => one ?? new Uint8Array());
  return hashes.length === proof.length ? { oldSize, proof: hashes, note, checkpoint } : null;
};

/** Whether a witness cosigns a checkpoint, or why not. */
export const judge = ({ verifiers, head }: WitnessedLog, submission: Submission): Judgement => {
  const { oldSize, proof, note, checkpoint } = submission;
  if (!verifiers.some((verifier) => hasSigned(verifier, note))) return 'unsigned';
  if (oldSize > checkpoint.size) return 'backwards';
  if (oldSize !== head.size) return 'stale';
  if (oldSize === checkpoint.size && Buffer.compare(head.root, checkpoint.root) !== 0) return 'forked';
  return isConsistent(head, checkpoint, proof) ? 'cosigned' : 'inconsistent';
};
