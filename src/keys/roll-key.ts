import type { Command } from '@event-driven-io/emmett';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import type { KeyRolled, State } from './key.ts';

/** Another key takes over; this one stays good until `expiresAt`, so that callers can be moved in between. */
export type RollKey = Command<
  'RollKey',
  { accountId: string; keyId: string; rolledTo: string; expiresAt: string; by: string },
  { now: Date }
>;

export const decide = ({ data, metadata }: RollKey, state: State): [KeyRolled] => {
  if (state.status === 'none' || state.accountId !== data.accountId) {
    throw new Refusal('KEY_NOT_FOUND', 'This account has no key with this id.');
  }
  const now = metadata.now.toISOString();
  const isOver = state.expiresAt !== null && state.expiresAt <= now;
  if (state.status === 'revoked' || isOver || state.rolledTo !== null) {
    const message = 'Only a key that is good and was not rolled can be rolled.';
    throw invalidRequest(message, { path: 'key_id', code: 'over' });
  }
  const { accountId, keyId, rolledTo, by } = data;
  // A key never lives longer by being rolled.
  const ends = state.expiresAt !== null && state.expiresAt < data.expiresAt;
  const expiresAt = ends && state.expiresAt !== null ? state.expiresAt : data.expiresAt;
  return [{ type: 'KeyRolled', data: { accountId, keyId, rolledTo, expiresAt, by, at: now } }];
};
