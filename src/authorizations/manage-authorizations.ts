import { type Append, type EventLog, metaOf, type StoredCall, type Transaction } from '../eventlog/event-log.ts';
import { newEvent } from '../eventlog/new-event.ts';
import { readState, type StreamState } from '../eventlog/read/read-state.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId, uuidOf } from '../kernel/ids.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import {
  type AuthorizationEnded,
  type AuthorizationEvent,
  type AuthorizationGranted,
  evolve,
  initialState,
  isAuthorizationId,
  type State,
  streamOf,
} from './authorization.ts';
import type { AuthorizationStore } from './authorization-store.ts';
import * as endAuthorization from './end-authorization.ts';
import * as grantAuthorization from './grant-authorization.ts';

/** What an owner agrees to. `expiresAt`: RFC 3339 in UTC with milliseconds. */
export type WantedAuthorization = Readonly<
  Pick<AuthorizationGranted['data'], 'clientId' | 'scopes' | 'creditsPerDay' | 'creditsTotal' | 'expiresAt'>
> & { readonly clientName: string };

/** Active authorizations of one account, and those that it may make within a day, at most. */
const maxAuthorizations = 100;
/** Attempts after version conflicts. */
const maxRounds = 10;

type Why = AuthorizationEnded['data']['why'];

type Deps = {
  readonly log: Pick<EventLog, 'append' | 'read'>;
  readonly store: AuthorizationStore;
  readonly clock: Clock;
};

/** The end of one authorization, for a transaction of another module. */
type AuthorizationEnd = {
  readonly appends: readonly Append[];
  readonly within: (transaction: Transaction) => Promise<void>;
};

export type Authorizations = ReturnType<typeof manageAuthorizations>;

/**
 * The commands of this module. Refusals: NOT_FOUND, INVALID_REQUEST (too many, an expiry in the past),
 * SERVICE_UNAVAILABLE after repeated version conflicts.
 */
export const manageAuthorizations = (deps: Deps) => ({
  /** Resolves to the id of the new authorization. */
  grant: async (caller: StoredCall, { clientName, ...wanted }: WantedAuthorization): Promise<string> => {
    const authorizationId = newId('aut');
    const { accountId, actor } = caller;
    const data = { ...wanted, accountId, authorizationId, by: actor.id };
    const event = grantAuthorization.decide({ type: 'GrantAuthorization', data, metadata: { now: deps.clock() } });
    await deps.log.append([appendOf(caller, event, 0n)], { within: keptBy(deps, event, clientName) });
    return authorizationId;
  },
  /** Ends it within a second everywhere; a second time changes nothing. */
  end: (caller: StoredCall, authorizationId: string, why: Why): Promise<void> =>
    endOne(deps, caller, authorizationId, why),
  /** Ends one of any account, on behalf of its application. Nothing happens for an unknown one. */
  revoke: async (
    cause: Pick<StoredCall, 'requestId' | 'traceparent'>,
    authorizationId: string,
    why: 'client' | 'replay',
  ): Promise<void> => {
    const { state } = await stateOf(deps, authorizationId);
    if (state.status !== 'active') return;
    const { accountId } = state;
    const { requestId, traceparent } = cause;
    const actor = { type: 'authorization', id: authorizationId } as const;
    await endOne(deps, { accountId, actor, channel: 'web', requestId, traceparent }, authorizationId, why);
  },
  /** The ends of all authorizations of an account, for the transaction that ends the account. */
  endAll: async (caller: StoredCall): Promise<readonly AuthorizationEnd[]> => {
    const ends: AuthorizationEnd[] = [];
    for (const authorizationId of await deps.store.activeIds(caller.accountId)) {
      const end = endingOf(deps, caller, authorizationId, 'account', await stateOf(deps, authorizationId));
      if (end !== null) ends.push(end);
    }
    return ends;
  },
  /** Throws UNAUTHENTICATED when the authorization has ended or expired. */
  requireActive: async (authorizationId: string): Promise<void> => {
    if (await deps.store.isActive(authorizationId)) return;
    throw new Refusal('UNAUTHENTICATED', 'The authorization of this application has ended.');
  },
});

/** Optimistic concurrency: reads, decides and appends again after a version conflict. */
const endOne = async (deps: Deps, caller: StoredCall, authorizationId: string, why: Why): Promise<void> => {
  for (let round = 0; round < maxRounds; round += 1) {
    const end = endingOf(deps, caller, authorizationId, why, await stateOf(deps, authorizationId));
    if (end === null) return;
    const outcomes = await deps.log.append(end.appends, { within: end.within });
    if (outcomes.every(({ outcome }) => outcome !== 'conflict')) return;
  }
  throw new Refusal('SERVICE_UNAVAILABLE', 'This authorization is being changed by other requests.', null, 1);
};

const stateOf = async ({ log }: Pick<Deps, 'log'>, authorizationId: string): Promise<StreamState<State>> =>
  isAuthorizationId(authorizationId)
    ? await readState(log, streamOf(authorizationId), { initialState, evolve })
    : { state: initialState(), version: 0n };

/** Null: it has ended already. */
const endingOf = (
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  caller: StoredCall,
  authorizationId: string,
  why: Why,
  { state, version }: StreamState<State>,
): AuthorizationEnd | null => {
  const data = { accountId: caller.accountId, authorizationId, why, by: caller.actor.id };
  const [event] = endAuthorization.decide({ type: 'EndAuthorization', data, metadata: { now: clock() } }, state);
  if (event === undefined) return null;
  const row = { authorizationId, endedAt: event.data.at };
  return { appends: [appendOf(caller, event, version)], within: (transaction) => store.endIn(transaction, row) };
};

const keptBy =
  ({ store }: Pick<Deps, 'store'>, { data }: AuthorizationGranted, clientName: string) =>
  async (transaction: Transaction): Promise<void> => {
    const { by: _, at: createdAt, ...authorization } = data;
    if (await store.insertIn(transaction, { ...authorization, clientName, createdAt }, maxAuthorizations)) return;
    const message = `An account may have at most ${maxAuthorizations} authorizations, and create as many a day; end one first.`;
    const field = { path: 'authorizations', code: 'too_many' };
    throw invalidRequest(message, field, { limit: maxAuthorizations });
  };

const appendOf = (caller: StoredCall, event: AuthorizationEvent, expected: bigint): Append<AuthorizationEvent> => {
  const { authorizationId, at } = event.data;
  const id = uuidOf(`${event.type}|${authorizationId}`);
  return {
    stream: streamOf(authorizationId),
    expected,
    events: [newEvent<AuthorizationEvent>(event, id, metaOf(caller, at))],
  };
};
