import type { Command } from '@event-driven-io/emmett';
import { invalidRequest } from '../kernel/refusal.ts';
import type { KeyCreated } from './key.ts';

/** `keyId` and `prefix` belong to a secret that was made before. */
export type CreateKey = Command<
  'CreateKey',
  {
    accountId: string;
    keyId: string;
    name: string;
    prefix: string;
    scopes: readonly string[];
    capCredits: number | null;
    expiresAt: string | null;
    rolledFrom: string | null;
    by: string;
  },
  { now: Date }
>;

/** A new id has no past that could refuse it; `expiresAt` is RFC 3339 in UTC with milliseconds. How many keys an account has is checked where it is written. */
export const decide = ({ data, metadata }: CreateKey): KeyCreated => {
  const { accountId, keyId, name, prefix, scopes, capCredits, expiresAt, rolledFrom, by } = data;
  const at = metadata.now.toISOString();
  if (expiresAt !== null && expiresAt <= at) {
    const message = 'A key expires in the future.';
    throw invalidRequest(message, { path: 'expires_at', code: 'past' });
  }
  return {
    type: 'KeyCreated',
    data: { accountId, keyId, name, prefix, scopes, capCredits, expiresAt, rolledFrom, by, at },
  };
};
