import type { Command } from '@event-driven-io/emmett';
import { Refusal } from '../kernel/refusal.ts';
import { type KeyCreated, maxKeysPerAccount, type State } from './key.ts';

/** `keyId` and `prefix` belong to a secret that was made before; `activeKeys`: good keys of the account now. */
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
  { now: Date; activeKeys: number }
>;

export const decide = ({ data, metadata }: CreateKey, state: State): KeyCreated[] => {
  if (state.status !== 'none') return [];
  if (metadata.activeKeys >= maxKeysPerAccount) {
    throw new Refusal(
      'INVALID_REQUEST',
      `An account has at most ${maxKeysPerAccount} active keys; revoke one first.`,
      { limit: maxKeysPerAccount },
    );
  }
  const { accountId, keyId, name, prefix, scopes, capCredits, expiresAt, rolledFrom, by } = data;
  const at = metadata.now.toISOString();
  return [
    {
      type: 'KeyCreated',
      data: { accountId, keyId, name, prefix, scopes, capCredits, expiresAt, rolledFrom, by, at },
    },
  ];
};
