import type { Actor, Call, Channel } from '../../../kernel/call.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { currentTraceparent, parseTraceparent } from '../../../kernel/tracing.ts';
import type { KeyHolder, TokenHolder } from '../../../queries.ts';
import { countedAddress } from './client-address.ts';
import type { RequestInfo } from './route.ts';

/** The span of a request; while tracing is off, that of its caller. Null: there is none. */
const traceparentOf = ({ request }: Pick<RequestInfo, 'request'>): string | null =>
  currentTraceparent() ?? parseTraceparent(request.headers['traceparent']);

/** The call of a key. Each request is a call of its own, whatever request id the caller chose. */
export const callOfKey = (requestInfo: RequestInfo, holder: KeyHolder): Call => ({
  accountId: holder.accountId,
  actor: { type: 'key', id: holder.keyId },
  channel: 'rest',
  requestId: requestInfo.requestId,
  deduplicationKey: newUuid(),
  isRepeatable: false,
  capCredits: holder.capCredits,
  capPeriod: holder.capPeriod,
  warnAt: holder.warnAt,
  traceparent: traceparentOf(requestInfo),
  signal: requestInfo.signal,
});

/** The call of an authorized application. `requireAuthorized`: see `Call`. */
export const callOfToken = (
  requestInfo: RequestInfo,
  { accountId, authorizationId, budget }: TokenHolder,
  requireAuthorized: () => Promise<void>,
): Call => ({
  accountId,
  actor: { type: 'authorization', id: authorizationId },
  authorizationId,
  channel: 'rest',
  requestId: requestInfo.requestId,
  deduplicationKey: newUuid(),
  isRepeatable: false,
  capCredits: null,
  budget,
  requireAuthorized,
  traceparent: traceparentOf(requestInfo),
  signal: requestInfo.signal,
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
  accountId,
  actor,
  ...(actor.type === 'visitor' ? { network: countedAddress(requestInfo.address) } : {}),
  channel,
  requestId: requestInfo.ownId,
  deduplicationKey: newUuid(),
  isRepeatable: false,
  capCredits: null,
  traceparent: traceparentOf(requestInfo),
  signal: requestInfo.signal,
});

/** The cause of an event by a caller who is not signed in. */
export const requestOf = (requestInfo: RequestInfo) =>
  ({ channel: 'web', requestId: requestInfo.ownId, traceparent: traceparentOf(requestInfo) }) as const;
