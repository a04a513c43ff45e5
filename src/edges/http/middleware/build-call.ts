import type { Actor, Call, Channel } from '../../../kernel/call.ts';
import { newUuid } from '../../../kernel/ids.ts';
import type { KeyHolder } from '../../../queries.ts';
import type { Visit } from '../endpoint.ts';

/** W3C Trace Context, version 00. */
const traceparentForm = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The `traceparent` of a request when it is one, else null. */
export const traceparentOf = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' && traceparentForm.test(value) ? value : null;

/** The call of a key. Two requests are two operations, whatever request id their caller chose. */
export const callOfKey = (visit: Visit, holder: KeyHolder): Call => ({
  accountId: holder.accountId,
  actor: { type: 'key', id: holder.keyId },
  channel: 'rest',
  requestId: visit.requestId,
  operationKey: newUuid(),
  isRepeatable: false,
  capCredits: holder.capCredits,
  traceparent: traceparentOf(visit.request.headers['traceparent']),
  signal: visit.signal,
});

/**
 * The call of a signed-in user or a visitor. It has a request id made by the service: the history of an account
 * finds the address behind an event by it, so a caller must not choose it.
 */
export const callAs = (
  visit: Visit,
  {
    accountId,
    actor,
    channel = 'web',
  }: { readonly accountId: string; readonly actor: Actor; readonly channel?: Channel },
): Call => ({
  accountId,
  actor,
  channel,
  requestId: visit.ownId,
  operationKey: newUuid(),
  isRepeatable: false,
  capCredits: null,
  traceparent: traceparentOf(visit.request.headers['traceparent']),
  signal: visit.signal,
});
