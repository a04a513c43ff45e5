import type { Command } from '@event-driven-io/emmett';
import { type KeyRevoked, requireOwn, type State } from './key.ts';

export type RevokeKey = Command<
  'RevokeKey',
  { accountId: string; keyId: string; by: string },
  { now: Date }
>;

/** Revoking twice is revoking once. Refuses what is no key of this account. */
export const decide = ({ data, metadata }: RevokeKey, state: State): KeyRevoked[] => {
  if (requireOwn(state, data.accountId).status === 'revoked') return [];
  const { accountId, keyId, by } = data;
  return [{ type: 'KeyRevoked', data: { accountId, keyId, by, at: metadata.now.toISOString() } }];
};
