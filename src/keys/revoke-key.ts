import type { Command } from '@event-driven-io/emmett';
import { type KeyRevoked, requireOwn, type State } from './key.ts';

export type RevokeKey = Command<'RevokeKey', Omit<KeyRevoked['data'], 'at'>, { now: Date }>;

/** Idempotent. Throws KEY_NOT_FOUND for a key of another account. */
export const decide = ({ data, metadata }: RevokeKey, state: State): KeyRevoked[] => {
  if (requireOwn(state, data.accountId).status === 'revoked') return [];
  const { accountId, keyId, by } = data;
  return [{ type: 'KeyRevoked', data: { accountId, keyId, by, at: metadata.now.toISOString() } }];
};
