import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts with a key of 32 bytes. `place` is authenticated: copied to another place, the text cannot be decrypted. */
export const seal = (body: Uint8Array, key: Uint8Array, place: string): Buffer => {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(place));
  const hidden = Buffer.concat([sealing.update(body), sealing.final()]);
  return Buffer.concat([nonce, sealing.getAuthTag(), hidden]);
};

/** Null: encrypted under another key, or for another place. */
export const unseal = (kept: Buffer, key: Uint8Array, place: string): Buffer | null => {
  const nonce = kept.subarray(0, nonceBytes);
  const tag = kept.subarray(nonceBytes, nonceBytes + tagBytes);
  if (tag.length < tagBytes) return null;
  const opening = createDecipheriv(cipher, key, nonce).setAAD(Buffer.from(place)).setAuthTag(tag);
  const body = opening.update(kept.subarray(nonceBytes + tagBytes));
  try {
    return Buffer.concat([body, opening.final()]);
  } catch {
    return null;
  }
};
