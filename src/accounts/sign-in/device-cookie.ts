import { newToken } from '../../kernel/ids.ts';
import type { KeyRing } from '../../kernel/key-ring.ts';
import { readSignedName, signedToken } from '../signed-token.ts';

/** The value of the `device` cookie: a random id, signed for one mailbox. A browser gets it when it proves to be its owner's. */
export const deviceToken = (address: string, keys: KeyRing): string =>
  signedToken(newToken(), purposeFor(address), keys);

/** The id in a `device` cookie that was made for this mailbox, else null. */
export const readDeviceToken = (token: string | null, address: string, keys: KeyRing): string | null =>
  token === null ? null : (readSignedName(token, purposeFor(address), keys)?.name ?? null);

const purposeFor = (address: string): string => `device\0${address}`;
