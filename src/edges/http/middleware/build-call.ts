import type { Actor, Call, Channel } from '../../../kernel/call.ts';
import { newUuid } from '../../../kernel/ids.ts';
import type { KeyHolder } from '../../../queries.ts';
import type { RequestInfo } from '../endpoint.ts';

/** W3C Trace Context, version 00. */
const traceparentForm = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The `traceparent` of a request when it is one, else null. */
export const traceparentOf = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' && traceparentForm.test(value) ? value : null;

/** The call of a key. Each request is an operation of its own, whatever request id the caller chose. */
export const callOfKey = (requestInfo: RequestInfo, holder: KeyHolder): Call => ({
  accountId: holder.accountId,
  actor: { type: 'key', id: holder.keyId },
  channel: 'rest',
  requestId: requestInfo.requestId,
  operationKey: newUuid(),
  isRepeatable: false,
  capCredits: holder.capCredits,
  traceparent: traceparentOf(requestInfo.request.headers['traceparent']),
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
  channel,
  requestId: requestInfo.ownId,
  operationKey: newUuid(),
  isRepeatable: false,
  capCredits: null,
  traceparent: traceparentOf(requestInfo.request.headers['traceparent']),
  signal: requestInfo.signal,
});
