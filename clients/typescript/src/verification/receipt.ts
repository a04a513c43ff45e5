import { ReceiptVerificationError } from '../errors.js';
import { resultMembers } from '../generated/results.js';
import type { KeySet } from '../generated/schemas.js';
import { bytesOf, fromBase64 } from './encoding.js';

/** What a receipt says. The balances include what is set aside for jobs; null: there is nothing to say. */
export type Receipt = {
  readonly account_id: string;
  readonly key_id: string | null;
  readonly grant_id: string | null;
  readonly operation: string;
  readonly video_id: string | null;
  readonly format: string | null;
  readonly options: Readonly<Record<string, unknown>> | null;
  readonly content_sha256: string | null;
  readonly price_book: string;
  readonly credits: number;
  readonly balance_before: number;
  readonly balance_after: number;
  readonly event_id: string;
  readonly event_hash: string;
  readonly charged_at: string;
  readonly request_id: string | null;
  readonly cost_tag: string | null;
};

const notJws = (): ReceiptVerificationError => new ReceiptVerificationError('the receipt is not a compact JWS');

const decoded = (text: string): Uint8Array<ArrayBuffer> => {
  const bytes = /^[\w-]+$/.test(text) ? fromBase64(text.replaceAll('-', '+').replaceAll('_', '/')) : null;
  // One text only stands for each value: unused bits are zero.
  const again = bytes === null ? '' : btoa(String.fromCharCode(...bytes));
  if (bytes === null || again.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_') !== text) throw notJws();
  return bytes;
};

const objectOf = (part: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(decoded(part)));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  throw notJws();
};

const isSignedBy = async (x: string, signature: Uint8Array<ArrayBuffer>, signed: string): Promise<boolean> => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x };
  try {
    const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, signature, bytesOf(signed));
  } catch (error) {
    // A platform without Ed25519 says so; what is no key has signed nothing.
    if (error instanceof DOMException && error.name === 'NotSupportedError') throw error;
    return false;
  }
};

/** RFC 8785; NUL and half surrogate pairs are not hashed. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'string') {
    return JSON.stringify(value.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd'));
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
};

const picked = (value: object, members: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name]) => members.includes(name)));

/** What the hash covers: of captions who says what when, of an operation its result. */
const contentOf = (operation: string, answer: object): object => {
  const members = Object.hasOwn(resultMembers, operation) ? resultMembers[operation] : undefined;
  if (members !== undefined) return picked(answer, members);
  const { segments, ...others } = picked(answer, ['language', 'source', 'video_id', 'segments']);
  if (!Array.isArray(segments)) return others;
  return { ...others, segments: segments.map((segment) => picked(segment, ['text', 'start', 'duration'])) };
};

const hashOf = async (text: string): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};

/**
 * What a receipt of `getReceipts` says, if a key of `jwks` (`getKeySet`) signed it with Ed25519. With `content`, the
 * answer of `getTranscript` in JSON without `clean` and `timestamps` or that of an AI operation: besides, that this is the
 * content paid for. Throws `ReceiptVerificationError`: no receipt, another algorithm, an unknown key, changed, or other content.
 */
export const verifyReceipt = async (jws: string, jwks: KeySet, content?: object): Promise<Receipt> => {
  const [head = '', payload = '', signature = '', ...more] = jws.split('.');
  if (more.length > 0) throw notJws();
  const [header, receipt] = [objectOf(head), objectOf(payload) as Receipt];
  if (header['alg'] !== 'EdDSA' && header['alg'] !== 'Ed25519') {
    throw new ReceiptVerificationError(`the receipt is signed with ${header['alg']}, not with Ed25519`);
  }
  const key = jwks.keys.find(({ kid, kty, crv }) => kid === header['kid'] && kty === 'OKP' && crv === 'Ed25519');
  if (key === undefined) throw new ReceiptVerificationError('the receipt names a key that is not among the keys');
  if (!(await isSignedBy(key.x, decoded(signature), `${head}.${payload}`))) {
    throw new ReceiptVerificationError('the receipt was changed, or signed by another key');
  }
  if (receipt.balance_before - receipt.credits !== receipt.balance_after) {
    throw new ReceiptVerificationError('the balances of the receipt do not add up');
  }
  if (content === undefined) return receipt;
  const wanted = receipt.content_sha256;
  if (wanted === null) throw new ReceiptVerificationError('the receipt does not say which content was paid for');
  const found = await hashOf(canonical(contentOf(receipt.operation, content)));
  if (found !== wanted) {
    throw new ReceiptVerificationError(`this is not the content paid for: its hash is ${found}, not ${wanted}`);
  }
  return receipt;
};
