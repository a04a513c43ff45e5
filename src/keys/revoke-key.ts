import type { Command } from '@event-driven-io/emmett';
import { Refusal } from '../kernel/refusal.ts';
import type { KeyRevoked, State } from './key.ts';

export type RevokeKey = Command<
  'RevokeKey',
  { accountId: string; keyId: string; by: string },
  { now: Date }
>;

/** A key of another account is answered like one that does not exist; revoking twice is revoking once. */
export const decide = ({ data, metadata }: RevokeKey, state: State): KeyRevoked[] => {
  if (state.status === 'none' || state.accountId !== data.accountId) {
    throw new Refusal('KEY_NOT_FOUND', 'This account has no key with this id.');
  }
  if (state.status === 'revoked') return [];
  const { accountId, keyId, by } = data;
  return [{ type: 'KeyRevoked', data: { accountId, keyId, by, at: metadata.now.toISOString() } }];
};
