import type { Actor, Call, Channel } from '../../../kernel/call.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { currentTraceparent, parseTraceparent } from '../../../kernel/tracing.ts';
import type { KeyHolder, TokenHolder } from '../../../queries.ts';
import { countedAddress } from './client-address.ts';
import type { RequestInfo } from './route.ts';

/** The span of a request; while tracing is off, that of its caller. Null: there is none. */
const traceparentOf = ({ request }: Pick<RequestInfo, 'request'>): string | null =>
  currentTraceparent() ?? parseTraceparent(request.headers['traceparent']);

/** What every call has of its request. Each request is a call of its own, whatever request id the caller chose. */
const ofRequest = (requestInfo: RequestInfo) => ({
  deduplicationKey: newUuid(),
  isRepeatable: false,
  traceparent: traceparentOf(requestInfo),
  signal: requestInfo.signal,
});

/** The call of a key. */
export const callOfKey = (
  requestInfo: RequestInfo,
  { accountId, keyId, capCredits, capPeriod, warnAt }: KeyHolder,
): Call => ({
  ...ofRequest(requestInfo),
  accountId,
  actor: { type: 'key', id: keyId },
  channel: 'rest',
  requestId: requestInfo.requestId,
  capCredits,
  capPeriod,
  warnAt,
});

/** The call of an authorized application. `requireAuthorized`: see `Call`. */
export const callOfToken = (
  requestInfo: RequestInfo,
  { accountId, authorizationId, budget }: TokenHolder,
  requireAuthorized: () => Promise<void>,
): Call => ({
  ...ofRequest(requestInfo),
  accountId,
  actor: { type: 'authorization', id: authorizationId },
  channel: 'rest',
  requestId: requestInfo.requestId,
  capCredits: null,
  ...{ authorizationId, budget, requireAuthorized },
});

/**
 * The call of a signed-in user or a visitor. Its request id is made by the service, because the history of an account
 * finds the address of an event by it.
 */
export const callAs = (
  requestInfo: RequestInfo,
  {
    accountId,
    actor,
    channel = 'web',
  }: { readonly accountId: string; readonly actor: Actor; readonly channel?: Channel },
): Call => ({
  ...ofRequest(requestInfo),
  ...{ accountId, actor, channel },
  ...(actor.type === 'visitor' ? { network: countedAddress(requestInfo.address) } : {}),
  requestId: requestInfo.ownId,
  capCredits: null,
});

/** The cause of an event by a caller who is not signed in. */
export const requestOf = (requestInfo: RequestInfo) =>
  ({ channel: 'web', requestId: requestInfo.ownId, traceparent: traceparentOf(requestInfo) }) as const;
