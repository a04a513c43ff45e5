import type { Command } from '@event-driven-io/emmett';
import { invalidRequest } from '../kernel/refusal.ts';
import { type KeyRolled, requireOwn, type State } from './key.ts';

/** A new key replaces this one, which stays valid until `expiresAt`, so that clients can be switched in between. */
export type RollKey = Command<'RollKey', Omit<KeyRolled['data'], 'at'>, { now: Date }>;

/**
 * Throws KEY_NOT_FOUND for a key of another account, and INVALID_REQUEST for a key that is revoked, expired or rolled.
 */
export const decide = ({ data, metadata }: RollKey, state: State): [KeyRolled] => {
  const key = requireOwn(state, data.accountId);
  const now = metadata.now.toISOString();
  const isOver = key.expiresAt !== null && key.expiresAt <= now;
  if (key.status === 'revoked' || isOver || key.rolledTo !== null) {
    const message = 'Only a key that is valid and was not rolled can be rolled.';
    throw invalidRequest(message, { path: 'key_id', code: 'over' });
  }
  const { accountId, keyId, rolledTo, by } = data;
  // Rolling never extends the life of a key.
  const endsSooner = key.expiresAt !== null && key.expiresAt < data.expiresAt;
  const expiresAt = endsSooner ? key.expiresAt : data.expiresAt;
  return [{ type: 'KeyRolled', data: { accountId, keyId, rolledTo, expiresAt, by, at: now } }];
};
