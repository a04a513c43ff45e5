import type { Call } from '../kernel/call.ts';
import type { EventMeta } from './event-log.ts';

/** What of a call is stored with the events that it causes. */
export type StoredCall = Pick<
  Call,
  'accountId' | 'actor' | 'channel' | 'requestId' | 'traceparent'
>;

/** What surrounds an event that a call causes. `at`: when it happened, RFC 3339. */
export const metaOf = (
  { accountId, actor, channel, requestId, traceparent }: StoredCall,
  at: string,
): EventMeta => ({
  occurred_at: at,
  request_id: requestId,
  account_id: accountId,
  actor: { type: actor.type, id: actor.id },
  channel,
  ...(traceparent === null ? {} : { traceparent }),
});
