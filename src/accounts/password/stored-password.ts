import { type KeyRing, keyBehind } from '../../kernel/key-ring.ts';
import { seal, unseal } from '../../kernel/sealed-box.ts';
import type { StoredPassword } from '../account-store.ts';

/** `seals` encrypt hashes whose pepper is that of a former key. */
export type PasswordKeys = { readonly peppers: KeyRing; readonly seals: KeyRing };

/** The column `password_hash` of an account, and the key that it is made with. */
export type KeptPassword = { readonly accountId: string; readonly stored: string; readonly keyId: string | null };

const sealedPrefix = 'sealed:';

/** The column of a password that no key can compare any more: its owner sets another one by a link. */
export const lostPassword = 'lost';

/**
 * A password as it is compared. A hash has the pepper of the key that made it; one that outlived its key is encrypted
 * under a later one, together with that pepper, because nobody can hash the password anew but its owner.
 */
export const openPassword = (
  { peppers, seals }: PasswordKeys,
  { accountId, stored, keyId }: KeptPassword,
): StoredPassword => {
  if (stored === lostPassword) return { hash: stored, pepper: null };
  if (!stored.startsWith(sealedPrefix)) {
    return { hash: stored, pepper: keyBehind(peppers, keyId)?.bytes ?? null };
  }
  const key = keyBehind(seals, keyId);
  const sealed = Buffer.from(stored.slice(sealedPrefix.length), 'base64');
  const opened = key === null ? null : unseal(sealed, key.bytes, placeOf(accountId));
  if (opened === null) return { hash: stored, pepper: null };
  const [pepper = '', hash = ''] = opened.toString().split(' ');
  return { hash, pepper: Buffer.from(pepper, 'base64') };
};

/** The column for the current key; null: the pepper is lost. */
export const sealPassword = (keys: PasswordKeys, kept: KeptPassword): string | null => {
  const { hash, pepper } = openPassword(keys, kept);
  if (pepper === null) return null;
  const text = `${Buffer.from(pepper).toString('base64')} ${hash}`;
  const sealed = seal(Buffer.from(text), keys.seals.current.bytes, placeOf(kept.accountId));
  return `${sealedPrefix}${sealed.toString('base64')}`;
};

const placeOf = (accountId: string): string => `password|${accountId}`;
