import type { Command } from '@event-driven-io/emmett';
import { invalidRequest } from '../kernel/refusal.ts';
import type { KeyCreated } from './key.ts';

/** The caller has made the secret already; `keyId` and `prefix` are those of it. */
export type CreateKey = Command<'CreateKey', Omit<KeyCreated['data'], 'at'>, { now: Date }>;

/**
 * Refuses an expiry in the past. `expiresAt` is RFC 3339 in UTC with milliseconds. The number of keys of an account is
 * checked by `insertIn`.
 */
export const decide = ({ data, metadata }: CreateKey): KeyCreated => {
  const { accountId, keyId, name, prefix, scopes, capCredits, capPeriod, warnAt, expiresAt, rolledFrom, by } = data;
  const at = metadata.now.toISOString();
  if (expiresAt !== null && expiresAt <= at) {
    throw invalidRequest('A key must expire in the future.', { path: 'expires_at', code: 'past' });
  }
  return {
    type: 'KeyCreated',
    data: {
      ...{ accountId, keyId, name, prefix, scopes, capCredits },
      ...(capPeriod === undefined ? {} : { capPeriod }),
      ...(warnAt === undefined ? {} : { warnAt }),
      ...{ expiresAt, rolledFrom, by, at },
    },
  };
};
