import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { type EventOf, event, orNull } from '../eventlog/event-schema.ts';
import { Refusal } from '../kernel/refusal.ts';

/** One stream per key: a handful of events, and one for each change of its cap. */
export const streamOf = (keyId: string): string => `key-${keyId}`;

/** Whether a text has the format of a key id. No other text is looked up. */
export const isKeyId = (text: string): boolean => /^key_[0-9a-f]{32}$/.test(text);

/** An event of a key: what every one has, around what is its own. */
const ofKey = <Shape extends z.ZodRawShape>(meaning: string, fields: Shape) =>
  event(meaning, { accountId: field.accountId, keyId: field.keyId, ...fields, by: field.by, at: field.at });

export const keyEvents = {
  KeyCreated: ofKey(
    'A key was created. Its secret is shown once and not stored; the hash of the secret is stored outside the log.',
    {
      name: z.string().describe('`wrd_…`: the name that its owner gave it'),
      prefix: z.string().describe('the first characters of the key, as shown in lists'),
      scopes: z.array(z.string()).readonly().describe('what the key may do; empty: everything'),
      capCredits: orNull(field.capCredits, 'no cap'),
      capPeriod: field.capPeriod.exactOptional(),
      warnAt: field.warnAt.exactOptional(),
      expiresAt: orNull(field.expiresAt, 'never'),
      rolledFrom: z
        .string()
        .nullable()
        .describe('`key_…` that this key replaces, valid until its own expiry; null: none'),
    },
  ),
  KeyCapSet: ofKey(
    'The cap of a key was changed. It takes effect at once and counts what the key has already spent in the window.',
    { capCredits: orNull(field.capCredits, 'no cap'), capPeriod: field.capPeriod, warnAt: field.warnAt },
  ),
  KeyRolled: ofKey('The key was replaced by another and stays valid until `expiresAt`.', {
    rolledTo: z.string().describe('`key_…` of the key that replaces it'),
    expiresAt: field.expiresAt,
  }),
  KeyRevoked: ofKey('The key was revoked; it is permanently invalid.', {}),
};

export type KeyEvent = EventOf<typeof keyEvents>;
export type KeyCreated = EventOf<typeof keyEvents, 'KeyCreated'>;
export type KeyCapSet = EventOf<typeof keyEvents, 'KeyCapSet'>;
export type KeyRolled = EventOf<typeof keyEvents, 'KeyRolled'>;
export type KeyRevoked = EventOf<typeof keyEvents, 'KeyRevoked'>;

/** What a key may spend, in which window, and where its owner is warned. */
export type KeyCap = Pick<KeyCapSet['data'], 'capCredits' | 'capPeriod' | 'warnAt'>;

export type State =
  | { readonly status: 'none' }
  | (Readonly<KeyCap & Pick<KeyCreated['data'], 'accountId' | 'name' | 'scopes' | 'expiresAt'>> & {
      readonly status: 'active' | 'revoked';
      readonly capChanges: number;
      readonly rolledTo: string | null;
    });

export const initialState = (): State => ({ status: 'none' });

/** The cap of a key. */
export const capOf = ({ capCredits, capPeriod, warnAt }: KeyCap): KeyCap => ({ capCredits, capPeriod, warnAt });

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
        capPeriod: data.capPeriod ?? 'period',
        warnAt: data.warnAt ?? [],
        capChanges: 0,
        expiresAt: data.expiresAt,
        rolledTo: null,
      };
    case 'KeyCapSet':
      if (state.status === 'none') return state;
      return { ...state, ...capOf(data), capChanges: state.capChanges + 1 };
    case 'KeyRolled':
      if (state.status === 'none') return state;
      return { ...state, expiresAt: data.expiresAt, rolledTo: data.rolledTo };
    case 'KeyRevoked':
      if (state.status === 'none') return state;
      return { ...state, status: 'revoked' };
  }
};
