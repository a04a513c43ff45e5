import type { Event } from '@event-driven-io/emmett';
import { Refusal } from '../kernel/refusal.ts';

/** One stream per key: a handful of events. */
export const streamOf = (keyId: string): string => `key-${keyId}`;

/** Whether a text has the format of a key id. No other text is looked up. */
export const isKeyId = (text: string): boolean => /^key_[0-9a-f]{32}$/.test(text);

/** An account got a key. The secret is shown once and kept nowhere; its hash is kept beside the log, not in it. */
export type KeyCreated = Event<
  'KeyCreated',
  {
    accountId: string;
    keyId: string;
    name: string;
    prefix: string;
    scopes: readonly string[];
    capCredits: number | null;
    expiresAt: string | null;
    /** The key that this one takes over from, which stays good until its own expiry; null for a key of its own. */
    rolledFrom: string | null;
    by: string;
    at: string;
  }
>;

/** The key was superseded by another and is good only until `expiresAt`. */
export type KeyRolled = Event<
  'KeyRolled',
  { accountId: string; keyId: string; rolledTo: string; expiresAt: string; by: string; at: string }
>;

/** The key is good no more, from now on and for ever. */
export type KeyRevoked = Event<
  'KeyRevoked',
  { accountId: string; keyId: string; by: string; at: string }
>;

export type KeyEvent = KeyCreated | KeyRolled | KeyRevoked;

/** The types of the events of this file, in the order of `docs/events.md`. */
export const eventTypes = {
  KeyCreated: true,
  KeyRolled: true,
  KeyRevoked: true,
} satisfies Readonly<Record<KeyEvent['type'], true>>;

export type State =
  | { readonly status: 'none' }
  | {
      readonly status: 'active' | 'revoked';
      readonly accountId: string;
      readonly name: string;
      readonly scopes: readonly string[];
      readonly capCredits: number | null;
      readonly expiresAt: string | null;
      readonly rolledTo: string | null;
    };

export const initialState = (): State => ({ status: 'none' });

/** The key of this account. Throws KEY_NOT_FOUND, also for a key of another account. */
export const requireOwn = (state: State, accountId: string): Exclude<State, { status: 'none' }> => {
  if (state.status !== 'none' && state.accountId === accountId) return state;
  throw new Refusal('KEY_NOT_FOUND', 'This account has no key with this id.');
};

export const evolve = (state: State, { type, data }: KeyEvent): State => {
  switch (type) {
    case 'KeyCreated':
      return {
        status: 'active',
        accountId: data.accountId,
        name: data.name,
        scopes: data.scopes,
        capCredits: data.capCredits,
        expiresAt: data.expiresAt,
        rolledTo: null,
      };
    case 'KeyRolled':
      if (state.status === 'none') return state;
      return { ...state, expiresAt: data.expiresAt, rolledTo: data.rolledTo };
    case 'KeyRevoked':
      if (state.status === 'none') return state;
      return { ...state, status: 'revoked' };
  }
};
