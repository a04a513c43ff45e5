import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

/** What a key signs: notes, or checkpoints of others with the time. */
const kinds = { note: 0x01, cosignature: 0x04 } as const;
type Kind = keyof typeof kinds;

/** A public key of C2SP signed-note; `keyId` are 8 hexadecimal digits. */
export type Verifier = {
  readonly name: string;
  readonly keyId: string;
  readonly kind: Kind;
  readonly key: KeyObject;
  readonly vkey: string;
};

/** A key that signs. */
export type Signer = { readonly verifier: Verifier; readonly key: KeyObject };

/** A line `— name base64(key id ‖ signature)` of a note. */
type NoteSignature = {
  readonly name: string;
  readonly keyId: string;
  readonly signature: Buffer;
  readonly line: string;
};

/** A signed note: what is signed, with its last newline, and who signed. */
export type Note = { readonly text: string; readonly signatures: readonly NoteSignature[] };

const keyBytes = 32;
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** The Ed25519 key of a seed of 32 bytes. */
export const keyOfSeed = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });

const rawPublic = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-keyBytes);

const verifierOf = (name: string, kind: Kind, raw: Uint8Array): Verifier => {
  const material = Buffer.concat([Uint8Array.of(kinds[kind]), raw]);
  const keyId = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), material])).slice(0, 8);
  return {
    ...{ name, keyId, kind },
    key: createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: 'der', type: 'spki' }),
    vkey: `${name}+${keyId}+${material.toString('base64')}`,
  };
};

/** Signs as `name`, which has neither blanks nor `+`. `key`: a private Ed25519 key. */
export const signerOf = (name: string, kind: Kind, key: KeyObject): Signer => ({
  verifier: verifierOf(name, kind, rawPublic(key)),
  key,
});

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The bytes of base64; null: it is none. */
export const bytesOf = (text: string): Buffer | null => {
  const bytes = base64.test(text) ? Buffer.from(text, 'base64') : null;
  return bytes !== null && bytes.toString('base64') === text ? bytes : null;
};

/** Whether a text can name a key: not empty, without white space, control characters and `+`. */
const isKeyName = (text: string): boolean => /^[^\s+\p{Cc}]{1,255}$/u.test(text);

/** Reads a verifier key, `name+id+base64`; null: it is none, or of a kind that is not known here. */
export const parseVkey = (text: string): Verifier | null => {
  const [, name = '', keyId, material = ''] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  const bytes = bytesOf(material);
  const kind = (['note', 'cosignature'] as const).find((one) => kinds[one] === bytes?.[0]);
  if (!isKeyName(name) || bytes === null || bytes.length !== keyBytes + 1 || kind === undefined) return null;
  const verifier = verifierOf(name, kind, bytes.subarray(1));
  return verifier.keyId === keyId ? verifier : null;
};

const maxSignatures = 100;

/** Reads a signed note; null: it is none. */
export const parseNote = (note: string): Note | null => {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) return null;
  const lines = note.slice(end + 2, -1).split('\n');
  const signatures = lines.map(signatureIn);
  if (lines.length > maxSignatures || !signatures.every((one) => one !== null)) return null;
  return { text: note.slice(0, end + 1), signatures };
};

const signatureIn = (line: string): NoteSignature | null => {
  const [, name = '', encoded = ''] = /^— (\S+) (\S+)$/.exec(line) ?? [];
  const bytes = bytesOf(encoded);
  if (!isKeyName(name) || bytes === null || bytes.length < 5) return null;
  return { name, keyId: bytes.subarray(0, 4).toString('hex'), signature: bytes.subarray(4), line };
};

const lineOf = ({ name, keyId }: Verifier, signature: Uint8Array): string =>
  `— ${name} ${Buffer.concat([Buffer.from(keyId, 'hex'), signature]).toString('base64')}\n`;

/** What a cosigner signs: that this is the largest consistent tree that it has seen at this time (C2SP tlog-cosignature). */
const cosigned = (text: string, seconds: bigint): Buffer => Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);

/** The signature line of a note, with its newline. `text` ends with a newline; `at` is the time of a cosignature. */
export const signatureLine = ({ verifier, key }: Signer, text: string, at: Date): string => {
  if (verifier.kind === 'note') return lineOf(verifier, sign(null, Buffer.from(text), key));
  const seconds = BigInt(Math.floor(at.getTime() / 1_000));
  const stamped = Buffer.alloc(8);
  stamped.writeBigUInt64BE(seconds);
  return lineOf(verifier, Buffer.concat([stamped, sign(null, cosigned(text, seconds), key)]));
};

/** A note that these keys sign. */
export const signedNote = (text: string, signers: readonly Signer[], at: Date): string =>
  `${text}\n${signers.map((signer) => signatureLine(signer, text, at)).join('')}`;

/** Whether a key has signed a note. */
export const hasSigned = ({ name, keyId, kind, key }: Verifier, { text, signatures }: Note): boolean =>
  signatures.some((one) => {
    if (one.name !== name || one.keyId !== keyId) return false;
    if (kind === 'note') return verify(null, Buffer.from(text), key, one.signature);
    if (one.signature.length <= 8) return false;
    return verify(null, cosigned(text, one.signature.readBigUInt64BE()), key, one.signature.subarray(8));
  });
