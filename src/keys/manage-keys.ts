import { type Append, type EventLog, metaOf, type StoredCall, type Transaction } from '../eventlog/event-log.ts';
import { newEvent } from '../eventlog/new-event.ts';
import { readState, type StreamState } from '../eventlog/read/read-state.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId, uuidOf } from '../kernel/ids.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import * as createKey from './create-key.ts';
import {
  capOf,
  evolve,
  initialState,
  isKeyId,
  type KeyCap,
  type KeyCreated,
  type KeyEvent,
  requireOwn,
  type State,
  streamOf,
} from './key.ts';
import type { KeyCredentials } from './key-credentials.ts';
import { hashOfSecret, newSecret, prefixOf } from './key-secret.ts';
import * as revokeKey from './revoke-key.ts';
import * as rollKey from './roll-key.ts';
import * as setCap from './set-cap.ts';

/** The properties of a key to create. `expiresAt` is RFC 3339 or null; `capPeriod` absent: the billing period. */
export type WantedKey = Readonly<
  Pick<KeyCreated['data'], 'name' | 'scopes' | 'capCredits' | 'capPeriod' | 'warnAt' | 'expiresAt'>
>;

/** `fullKey` is returned once and stored nowhere. */
export type NewKey = { readonly keyId: string; readonly fullKey: string; readonly prefix: string };

/** Attempts after version conflicts. */
const maxRounds = 10;

type KeyDeps = {
  readonly log: Pick<EventLog, 'append' | 'read'>;
  readonly credentials: KeyCredentials;
  readonly clock: Clock;
  /** Active keys of one account, at most. */
  readonly maxKeys: number;
};

/**
 * The commands of this module. Refusals: KEY_NOT_FOUND, INVALID_REQUEST (too many keys, an expiry in the past, a key
 * that cannot be rolled), SERVICE_UNAVAILABLE after repeated version conflicts.
 */
export const manageKeys = (deps: KeyDeps) => ({
  create: async (caller: StoredCall, wanted: WantedKey): Promise<NewKey> => {
    const key = keyOf(caller, { ...wanted, rolledFrom: null }, deps.clock());
    await deps.log.append([appendOf(caller, key.event, 0n)], { within: keptBy(deps, key) });
    deps.credentials.forget();
    return key.made;
  },
  revoke: async (caller: StoredCall, keyId: string): Promise<void> => {
    await decideOnKey(deps, keyId, (stored, now) => revocation(deps, caller, keyId, stored, now));
  },
  /** Changes the cap of a key; resolves when every process of this service will use it within a second. */
  setCap: async (caller: StoredCall, keyId: string, change: Partial<KeyCap>): Promise<void> => {
    const data = { accountId: caller.accountId, keyId, by: caller.actor.id, change };
    await decideOnKey(deps, keyId, ({ state, version }, now) => {
      const [event] = setCap.decide({ type: 'SetCap', data, metadata: { now } }, state);
      if (event === undefined) return null;
      const within = (transaction: Transaction) => deps.credentials.setCapIn(transaction, event.data);
      return { appends: [appendOf(caller, event, version)], within };
    });
  },
  /** Creates a key with the same name, scopes and cap; the old one expires after `overlapMs`. */
  roll: (caller: StoredCall, keyId: string, overlapMs: number): Promise<NewKey> =>
    rolled(deps, caller, keyId, overlapMs),
  /** Revocations of all keys of an account, to be stored in the transaction that ends the account. */
  endAll: async (caller: StoredCall): Promise<readonly KeyChange[]> => {
    const ends: KeyChange[] = [];
    for (const keyId of await deps.credentials.activeKeyIds(caller.accountId)) {
      const end = revocation(deps, caller, keyId, await stateOf(deps, keyId), deps.clock());
      if (end !== null) ends.push(end);
    }
    return ends;
  },
  /** Whether an account has no active key. */
  hasNone: async (accountId: string): Promise<boolean> => (await deps.credentials.activeKeyIds(accountId)).length === 0,
});

/** Events of a key, with the rows that are written in their transaction. */
type KeyChange = { readonly appends: readonly Append[]; readonly within: (transaction: Transaction) => Promise<void> };

const stateOf = async ({ log }: KeyDeps, keyId: string): Promise<StreamState<State>> =>
  isKeyId(keyId)
    ? await readState(log, streamOf(keyId), { initialState, evolve })
    : { state: initialState(), version: 0n };

/** Optimistic concurrency: reads a key, decides and appends, and again after a version conflict. Null: nothing is to be done. */
const decideOnKey = async <Change extends KeyChange | null>(
  deps: KeyDeps,
  keyId: string,
  decide: (stored: StreamState<State>, now: Date) => Change,
): Promise<Change> => {
  for (let round = 0; round < maxRounds; round += 1) {
    const change = decide(await stateOf(deps, keyId), deps.clock());
    if (change === null) return change;
    const outcomes = await deps.log.append(change.appends, { within: change.within });
    deps.credentials.forget();
    if (outcomes.every(({ outcome }) => outcome === 'appended')) return change;
  }
  throw new Refusal('SERVICE_UNAVAILABLE', 'This key is being changed by other requests.', null, 1);
};

/** A key that is not stored yet: the result for the caller, its event and its row. */
type UnsavedKey = {
  readonly made: NewKey;
  readonly event: KeyCreated;
  readonly credential: Parameters<KeyCredentials['insertIn']>[1];
};

const keyOf = (
  caller: StoredCall,
  wanted: WantedKey & { readonly rolledFrom: string | null },
  now: Date,
): UnsavedKey => {
  const fullKey = newSecret();
  const keyId = newId('key');
  const prefix = prefixOf(fullKey);
  const { accountId } = caller;
  const expiresAt = inUtc(wanted.expiresAt);
  const data = { ...wanted, expiresAt, accountId, keyId, prefix, by: caller.actor.id };
  const event = createKey.decide({ type: 'CreateKey', data, metadata: { now } });
  const { scopes, capCredits, capPeriod = 'period', warnAt = [] } = wanted;
  const secretHash = hashOfSecret(fullKey);
  const kept = { keyId, accountId, scopes, capCredits, capPeriod, warnAt, expiresAt };
  return { made: { keyId, fullKey, prefix }, event, credential: { ...kept, secretHash, createdAt: event.data.at } };
};

/** Times are compared as text, so every expiry has one form: UTC with milliseconds. */
const inUtc = (time: string | null): string | null => (time === null ? null : new Date(time).toISOString());

const keptBy =
  ({ credentials, maxKeys }: KeyDeps, { credential }: UnsavedKey) =>
  async (transaction: Transaction): Promise<void> => {
    if (!(await credentials.insertIn(transaction, credential, maxKeys))) {
      const message = `An account may have at most ${maxKeys} active keys; revoke one first.`;
      throw invalidRequest(message, { path: 'keys', code: 'too_many' }, { limit: maxKeys });
    }
  };

const revocation = (
  { credentials }: KeyDeps,
  caller: StoredCall,
  keyId: string,
  { state, version }: StreamState<State>,
  now: Date,
): KeyChange | null => {
  const data = { accountId: caller.accountId, keyId, by: caller.actor.id };
  const [event] = revokeKey.decide({ type: 'RevokeKey', data, metadata: { now } }, state);
  if (event === undefined) return null;
  const row = { keyId, revokedAt: event.data.at, expiresAt: null };
  return { appends: [appendOf(caller, event, version)], within: (transaction) => credentials.endIn(transaction, row) };
};

/** The new key and the end of the old one are appended together, so of two concurrent rolls one succeeds. */
const rolled = async (deps: KeyDeps, caller: StoredCall, keyId: string, overlapMs: number): Promise<NewKey> => {
  const { made } = await decideOnKey(deps, keyId, ({ state, version }, now) => {
    const old = requireOwn(state, caller.accountId);
    const { name, scopes } = old;
    const next = keyOf(caller, { name, scopes, ...capOf(old), expiresAt: null, rolledFrom: keyId }, now);
    const expiresAt = new Date(now.getTime() + overlapMs).toISOString();
    const rolledTo = next.made.keyId;
    const data = { accountId: caller.accountId, keyId, rolledTo, expiresAt, by: caller.actor.id };
    const [end] = rollKey.decide({ type: 'RollKey', data, metadata: { now } }, state);
    return {
      made: next.made,
      appends: [appendOf(caller, next.event, 0n), appendOf(caller, end, version)],
      within: async (transaction: Transaction) => {
        await keptBy(deps, next)(transaction);
        await deps.credentials.endIn(transaction, { keyId, revokedAt: null, expiresAt: end.data.expiresAt });
      },
    };
  });
  return made;
};

export type Keys = ReturnType<typeof manageKeys>;

/** The other events happen once in the life of a key. */
const eventIdOf = ({ type, data: { keyId } }: KeyEvent, after: bigint): string =>
  uuidOf(type === 'KeyCapSet' ? `${type}|${keyId}|${after}` : `${type}|${keyId}`);

const appendOf = (caller: StoredCall, event: KeyEvent, expected: bigint): Append<KeyEvent> => ({
  stream: streamOf(event.data.keyId),
  expected,
  events: [newEvent<KeyEvent>(event, eventIdOf(event, expected), metaOf(caller, event.data.at))],
});
