import type { Command } from '@event-driven-io/emmett';
import { invalidRequest } from '../kernel/refusal.ts';
import { type KeyRolled, requireOwn, type State } from './key.ts';

/** Another key takes over; this one stays good until `expiresAt`, so that callers can be moved in between. */
export type RollKey = Command<
  'RollKey',
  { accountId: string; keyId: string; rolledTo: string; expiresAt: string; by: string },
  { now: Date }
>;

/** Refuses what is no key of this account, and a key that is over or was rolled before. */
export const decide = ({ data, metadata }: RollKey, state: State): [KeyRolled] => {
  const key = requireOwn(state, data.accountId);
  const now = metadata.now.toISOString();
  const isOver = key.expiresAt !== null && key.expiresAt <= now;
  if (key.status === 'revoked' || isOver || key.rolledTo !== null) {
    const message = 'Only a key that is good and was not rolled can be rolled.';
    throw invalidRequest(message, { path: 'key_id', code: 'over' });
  }
  const { accountId, keyId, rolledTo, by } = data;
  // A key never lives longer by being rolled.
  const endsSooner = key.expiresAt !== null && key.expiresAt < data.expiresAt;
  const expiresAt = endsSooner ? key.expiresAt : data.expiresAt;
  return [{ type: 'KeyRolled', data: { accountId, keyId, rolledTo, expiresAt, by, at: now } }];
};
