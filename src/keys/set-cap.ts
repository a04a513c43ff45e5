import type { Command } from '@event-driven-io/emmett';
import { invalidRequest } from '../kernel/refusal.ts';
import { capOf, type KeyCap, type KeyCapSet, requireOwn, type State } from './key.ts';

/** Changes the cap of a key: members that are given replace those of the cap. */
export type SetCap = Command<
  'SetCap',
  Pick<KeyCapSet['data'], 'accountId' | 'keyId' | 'by'> & { change: Partial<KeyCap> },
  { now: Date }
>;

/** Changes of one cap, at most. */
const maxCapChanges = 500;

/**
 * Nothing for a cap that stays as it is. Throws KEY_NOT_FOUND for a key of another account, INVALID_REQUEST for one that
 * is revoked and beyond the bound of changes.
 */
export const decide = ({ data, metadata }: SetCap, state: State): KeyCapSet[] => {
  const own = requireOwn(state, data.accountId);
  const { accountId, keyId, by } = data;
  const before = capOf(own);
  const cap = { ...before, ...data.change };
  if (JSON.stringify(cap) === JSON.stringify(before)) return [];
  if (own.status === 'revoked') throw invalidRequest('The key is revoked.', { path: 'id', code: 'revoked' });
  if (own.capChanges >= maxCapChanges) {
    const message = `The cap of a key can be changed at most ${maxCapChanges} times. Create another key.`;
    throw invalidRequest(message, { path: 'id', code: 'too_many' }, { limit: maxCapChanges });
  }
  return [{ type: 'KeyCapSet', data: { accountId, keyId, ...cap, by, at: metadata.now.toISOString() } }];
};
