import type { Append, EventLog, EventMeta, NewEvent, Transaction } from '../eventlog/log.ts';
import type { Call } from '../kernel/call.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId, uuidOf } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import * as createKey from './create-key.ts';
import {
  evolve,
  initialState,
  type KeyEvent,
  maxKeysPerAccount,
  type State,
  streamOf,
} from './key.ts';
import type { KeyCredentials } from './key-credentials.ts';
import { hashOfSecret, newSecret, prefixOf } from './key-secret.ts';
import * as revokeKey from './revoke-key.ts';
import * as rollKey from './roll-key.ts';

type Asker = Pick<Call, 'accountId' | 'actor' | 'channel' | 'requestId' | 'traceparent'>;

/** What a key is to be. `expiresAt` RFC 3339 or null, `capCredits` per billing period or null. */
export type WantedKey = {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly capCredits: number | null;
  readonly expiresAt: string | null;
};

/** `fullKey` is shown now and never again. */
export type NewKey = { readonly keyId: string; readonly fullKey: string; readonly prefix: string };

/** Somebody changed the key at the same moment, this many times in a row. */
const maxRounds = 10;

type KeyDeps = {
  readonly log: Pick<EventLog, 'append' | 'read'>;
  readonly credentials: KeyCredentials;
  readonly clock: Clock;
};

/** The doors of this room. Refusals: KEY_NOT_FOUND, INVALID_REQUEST (too many keys, a key that cannot be rolled). */
export const manageKeys = (deps: KeyDeps) => ({
  create: (asker: Asker, wanted: WantedKey): Promise<NewKey> =>
    made(deps, asker, { ...wanted, rolledFrom: null }),
  revoke: (asker: Asker, keyId: string): Promise<void> =>
    ended(deps, asker, keyId, (state, now) => revoked(asker, keyId, state, now)),
  /** A new key like this one; this one stays good for `overlapMs`. */
  roll: (asker: Asker, keyId: string, overlapMs: number): Promise<NewKey> =>
    rolled(deps, asker, keyId, overlapMs),
  /** What ends all keys of an account, to be stored together with what ends the account. */
  endAll: async (asker: Asker): Promise<readonly KeyEnd[]> => {
    const ends: KeyEnd[] = [];
    for (const keyId of await deps.credentials.activeKeyIds(asker.accountId)) {
      const { state, version } = await stateOf(deps, keyId);
      for (const event of revoked(asker, keyId, state, deps.clock())) {
        const within = endOf(deps.credentials, event);
        ends.push({ appends: [appendOf(asker, event, version)], within });
      }
    }
    return ends;
  },
});

/** The end of one key as another room stores it in its own transaction. */
export type KeyEnd = {
  readonly appends: readonly Append[];
  readonly within: (transaction: Transaction) => Promise<void>;
};

const stateOf = async ({ log }: KeyDeps, keyId: string) => {
  const events = await log.read<KeyEvent>(streamOf(keyId));
  const state = events.reduce((folded, event) => evolve(folded, event as KeyEvent), initialState());
  return { state, version: BigInt(events.length) };
};

/** Decides and appends until nobody was faster. */
const ended = async (
  deps: KeyDeps,
  asker: Asker,
  keyId: string,
  decide: (state: State, now: Date) => readonly KeyEvent[],
): Promise<void> => {
  const { log, credentials, clock } = deps;
  for (let round = 0; round < maxRounds; round += 1) {
    const { state, version } = await stateOf(deps, keyId);
    const [event] = decide(state, clock());
    if (event === undefined) return;
    const append = appendOf(asker, event, version);
    const outcomes = await log.append([append], { within: endOf(credentials, event) });
    credentials.forget();
    if (outcomes.every(({ outcome }) => outcome !== 'conflict')) return;
  }
  throw new Refusal('SERVICE_UNAVAILABLE', 'This key is being changed by others.', null, 1);
};

const made = async (
  { log, credentials, clock }: KeyDeps,
  asker: Asker,
  wanted: WantedKey & { readonly rolledFrom: string | null },
): Promise<NewKey> => {
  const fullKey = newSecret();
  const keyId = newId('key');
  const prefix = prefixOf(fullKey);
  const { accountId } = asker;
  const data = { ...wanted, accountId, keyId, prefix, by: asker.actor.id };
  const event = createKey.decide({ type: 'CreateKey', data, metadata: { now: clock() } });
  const { name: _, ...kept } = wanted;
  const credential = {
    ...kept,
    accountId,
    keyId,
    secretHash: hashOfSecret(fullKey),
    createdAt: event.data.at,
  };
  await log.append([appendOf(asker, event, 0n)], {
    within: async (transaction) => {
      if (!(await credentials.insertIn(transaction, credential, maxKeysPerAccount))) {
        throw tooManyKeys();
      }
    },
  });
  credentials.forget();
  return { keyId, fullKey, prefix };
};

const revoked = (asker: Asker, keyId: string, state: State, now: Date): readonly KeyEvent[] => {
  const data = { accountId: asker.accountId, keyId, by: asker.actor.id };
  return revokeKey.decide({ type: 'RevokeKey', data, metadata: { now } }, state);
};

const rolled = async (
  deps: KeyDeps,
  asker: Asker,
  keyId: string,
  overlapMs: number,
): Promise<NewKey> => {
  const decide = (rolledTo: string) => (state: State, now: Date) => {
    const expiresAt = new Date(now.getTime() + overlapMs).toISOString();
    const data = { accountId: asker.accountId, keyId, rolledTo, expiresAt, by: asker.actor.id };
    return rollKey.decide({ type: 'RollKey', data, metadata: { now } }, state);
  };
  const { state } = await stateOf(deps, keyId);
  // Refuses before anything is made.
  decide('')(state, deps.clock());
  if (state.status === 'none') throw new Error('a key that can be rolled exists');
  const { name, scopes, capCredits } = state;
  const wanted = { name, scopes, capCredits, expiresAt: null, rolledFrom: keyId };
  const next = await made(deps, asker, wanted);
  await ended(deps, asker, keyId, decide(next.keyId));
  return next;
};

export type Keys = ReturnType<typeof manageKeys>;

const tooManyKeys = (): Refusal =>
  new Refusal(
    'INVALID_REQUEST',
    `An account has at most ${maxKeysPerAccount} active keys; revoke one first.`,
    { limit: maxKeysPerAccount },
  );

const endOf =
  (credentials: KeyCredentials, { type, data }: KeyEvent) =>
  async (transaction: Transaction): Promise<void> => {
    const { keyId, at } = data;
    if (type === 'KeyRevoked') {
      await credentials.endIn(transaction, { keyId, revokedAt: at, expiresAt: null });
    }
    if (type === 'KeyRolled') {
      await credentials.endIn(transaction, { keyId, revokedAt: null, expiresAt: data.expiresAt });
    }
  };

const appendOf = (asker: Asker, event: KeyEvent, expected: bigint): Append<KeyEvent> => {
  const recorded: NewEvent<KeyEvent> = {
    id: uuidOf(`${event.type}|${event.data.keyId}`),
    type: event.type,
    schemaVersion: 1,
    data: event.data,
    meta: metaOf(asker, event.data.at),
  };
  return { stream: streamOf(event.data.keyId), expected, events: [recorded] };
};

const metaOf = (asker: Asker, at: string): EventMeta => ({
  occurred_at: at,
  request_id: asker.requestId,
  account_id: asker.accountId,
  actor: asker.actor,
  channel: asker.channel,
  ...(asker.traceparent === null ? {} : { traceparent: asker.traceparent }),
});
