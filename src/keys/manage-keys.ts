import type { Append, EventLog, NewEvent, Transaction } from '../eventlog/event-log.ts';
import { metaOf, type StoredCall } from '../eventlog/event-meta.ts';
import { type Folded, readState } from '../eventlog/read/read-state.ts';
import { currentSchemaVersion } from '../eventlog/upcasting.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId, uuidOf } from '../kernel/ids.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import * as createKey from './create-key.ts';
import {
  evolve,
  initialState,
  isKeyId,
  type KeyCreated,
  type KeyEvent,
  type State,
  streamOf,
} from './key.ts';
import type { KeyCredentials } from './key-credentials.ts';
import { hashOfSecret, newSecret, prefixOf } from './key-secret.ts';
import * as revokeKey from './revoke-key.ts';
import * as rollKey from './roll-key.ts';

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
  /** Keys of one account that are good at the same time, at most. */
  readonly maxKeys: number;
};

/**
 * The commands of this module. Refusals: KEY_NOT_FOUND, INVALID_REQUEST (too many keys, one that would be over at once, a
 * key that cannot be rolled), SERVICE_UNAVAILABLE when others change the key without a pause.
 */
export const manageKeys = (deps: KeyDeps) => ({
  create: async (asker: StoredCall, wanted: WantedKey): Promise<NewKey> => {
    const key = keyOf(asker, { ...wanted, rolledFrom: null }, deps.clock());
    await deps.log.append([appendOf(asker, key.event, 0n)], { within: keptBy(deps, key) });
    deps.credentials.forget();
    return key.made;
  },
  revoke: (asker: StoredCall, keyId: string): Promise<void> =>
    ended(deps, asker, keyId, (state, now) => revoked(asker, keyId, state, now)),
  /** A new key like this one; this one stays good for `overlapMs`. */
  roll: (asker: StoredCall, keyId: string, overlapMs: number): Promise<NewKey> =>
    rolled(deps, asker, keyId, overlapMs),
  /** What ends all keys of an account, to be stored together with what ends the account. */
  endAll: async (asker: StoredCall): Promise<readonly KeyEnd[]> => {
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
  /** Whether an account has no key that is good. */
  hasNone: async (accountId: string): Promise<boolean> =>
    (await deps.credentials.countActive(accountId)) === 0,
});

/** The end of one key as another module stores it in its own transaction. */
export type KeyEnd = {
  readonly appends: readonly Append[];
  readonly within: (transaction: Transaction) => Promise<void>;
};

const stateOf = async ({ log }: KeyDeps, keyId: string): Promise<Folded<State>> =>
  isKeyId(keyId)
    ? await readState(log, streamOf(keyId), { initialState, evolve })
    : { state: initialState(), version: 0n };

/** Decides and appends until nobody was faster. */
const ended = async (
  deps: KeyDeps,
  asker: StoredCall,
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
  throw changedByOthers();
};

const changedByOthers = (): Refusal =>
  new Refusal('SERVICE_UNAVAILABLE', 'This key is being changed by others.', null, 1);

/** A key that is not stored yet: what its holder gets, its event, and what is kept of its secret. */
type KeyToBe = {
  readonly made: NewKey;
  readonly event: KeyCreated;
  readonly credential: Parameters<KeyCredentials['insertIn']>[1];
};

const keyOf = (
  asker: StoredCall,
  wanted: WantedKey & { readonly rolledFrom: string | null },
  now: Date,
): KeyToBe => {
  const fullKey = newSecret();
  const keyId = newId('key');
  const prefix = prefixOf(fullKey);
  const { accountId } = asker;
  const expiresAt = inUtc(wanted.expiresAt);
  const data = { ...wanted, expiresAt, accountId, keyId, prefix, by: asker.actor.id };
  const event = createKey.decide({ type: 'CreateKey', data, metadata: { now } });
  const { scopes, capCredits } = wanted;
  const secretHash = hashOfSecret(fullKey);
  const kept = { keyId, accountId, scopes, capCredits, expiresAt };
  return {
    made: { keyId, fullKey, prefix },
    event,
    credential: { ...kept, secretHash, createdAt: event.data.at },
  };
};

/** Times are compared as text, so every expiry has one form: UTC with milliseconds. */
const inUtc = (time: string | null): string | null =>
  time === null ? null : new Date(time).toISOString();

const keptBy =
  ({ credentials, maxKeys }: KeyDeps, { credential }: KeyToBe) =>
  async (transaction: Transaction): Promise<void> => {
    if (!(await credentials.insertIn(transaction, credential, maxKeys))) {
      throw tooManyKeys(maxKeys);
    }
  };

const revoked = (
  asker: StoredCall,
  keyId: string,
  state: State,
  now: Date,
): readonly KeyEvent[] => {
  const data = { accountId: asker.accountId, keyId, by: asker.actor.id };
  return revokeKey.decide({ type: 'RevokeKey', data, metadata: { now } }, state);
};

/** The new key and the end of the old one are one append: of two who roll a key at once, one does. */
const rolled = async (
  deps: KeyDeps,
  asker: StoredCall,
  keyId: string,
  overlapMs: number,
): Promise<NewKey> => {
  const { log, credentials, clock } = deps;
  for (let round = 0; round < maxRounds; round += 1) {
    const { state, version } = await stateOf(deps, keyId);
    const now = clock();
    const next = successorOf(asker, keyId, state, now);
    const expiresAt = new Date(now.getTime() + overlapMs).toISOString();
    const rolledTo = next.made.keyId;
    const data = { accountId: asker.accountId, keyId, rolledTo, expiresAt, by: asker.actor.id };
    const [end] = rollKey.decide({ type: 'RollKey', data, metadata: { now } }, state);
    const appends = [appendOf(asker, next.event, 0n), appendOf(asker, end, version)];
    const outcomes = await log.append(appends, {
      within: async (transaction) => {
        await keptBy(deps, next)(transaction);
        await endOf(credentials, end)(transaction);
      },
    });
    credentials.forget();
    if (outcomes.every(({ outcome }) => outcome === 'appended')) return next.made;
  }
  throw changedByOthers();
};

/** A key with the name, scopes and cap of this one; it does not expire. */
const successorOf = (asker: StoredCall, keyId: string, state: State, now: Date): KeyToBe => {
  const old = state.status === 'none' ? { name: '', scopes: [], capCredits: null } : state;
  const { name, scopes, capCredits } = old;
  return keyOf(asker, { name, scopes, capCredits, expiresAt: null, rolledFrom: keyId }, now);
};

export type Keys = ReturnType<typeof manageKeys>;

const tooManyKeys = (limit: number): Refusal => {
  const message = `An account has at most ${limit} active keys; revoke one first.`;
  return invalidRequest(message, { path: 'keys', code: 'too_many' }, { limit });
};

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

const appendOf = (asker: StoredCall, event: KeyEvent, expected: bigint): Append<KeyEvent> => {
  const recorded: NewEvent<KeyEvent> = {
    id: uuidOf(`${event.type}|${event.data.keyId}`),
    type: event.type,
    schemaVersion: currentSchemaVersion,
    data: event.data,
    meta: metaOf(asker, event.data.at),
  };
  return { stream: streamOf(event.data.keyId), expected, events: [recorded] };
};
