import type { Call } from '../kernel/call.ts';
import type { EventMeta } from './event-log.ts';

/** The members of a call that are stored with the events it causes. */
export type StoredCall = Pick<
  Call,
  'accountId' | 'actor' | 'channel' | 'requestId' | 'traceparent'
>;

/** The metadata of an event that a call causes. `at`: when it happened, RFC 3339. */
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
