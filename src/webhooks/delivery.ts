import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { type EventOf, event, orNull } from '../eventlog/event-schema.ts';
import { uuidOf } from '../kernel/ids.ts';
import { webhookKind } from './payload.ts';

/*
 * One notification for one receiver. Bound: two events and one per attempt (some dozen). A replay is a delivery of its
 * own with the same event id, so that a receiver can recognize the duplicate.
 */
export const streamOf = (deliveryId: string): string => `delivery-${deliveryId}`;

/** One event is delivered to one URL once; each replay is a delivery of its own. */
export const deliveryIdOf = (eventId: string, url: string, replay: string | null): string =>
  `dlv_${uuidOf(`${eventId}|${url}|${replay ?? ''}`).replaceAll('-', '')}`;

/** The event id that receivers see, derived from the id of the event in the log. */
export const eventIdOf = (cause: string): string => `evt_${uuidOf(`${cause}|webhook`).replaceAll('-', '')}`;

const attemptFailure = z
  .enum([
    'http_status',
    'redirect',
    'timeout',
    'connect_failed',
    'connection_lost',
    'dns_failed',
    'tls_failed',
    'tls_expired',
    'tls_wrong_host',
    'blocked_address',
    'http_not_allowed',
    'port_not_allowed',
    'internal_error',
  ])
  .meta({
    id: 'AttemptFailure',
    description:
      'why an attempt failed. `dns_failed`: the name has no public address. `blocked_address`: the address is not public. `tls_expired` and `tls_wrong_host`: the certificate has expired or is not yet valid, or is for another name. `internal_error`: a fault of the service, before anything was sent',
  });

export type AttemptFailure = z.output<typeof attemptFailure>;

/** The first fields of each event. */
const ofDelivery = {
  deliveryId: field.deliveryId,
  accountId: field.accountId,
  webhookId: orNull(field.webhookId, 'a URL given with a job or follow'),
};

export const deliveryEvents = {
  DeliveryRequested: event('A webhook is to be delivered.', {
    ...ofDelivery,
    url: field.url,
    eventId: field.eventId,
    kind: webhookKind,
    jobId: orNull(field.jobId, 'not about a run of a job'),
    run: orNull(field.run, 'not about a run of a job'),
    subject: z
      .record(z.string(), z.union([z.string(), z.int(), z.null()]))
      .readonly()
      .exactOptional()
      .describe('`data` of the webhook; absent: the end of a run of a job, or a test'),
    happenedAt: z.string().exactOptional().describe('when that happened; RFC 3339, UTC; absent whenever `subject` is'),
    replayOf: orNull(field.replayOf, 'none'),
    at: field.at,
  }),
  DeliveryAttemptFailed: event('An attempt failed.', {
    ...ofDelivery,
    attempt: field.attempt,
    why: attemptFailure,
    httpStatus: orNull(field.httpStatus, 'no response'),
    durationMs: field.durationMs,
    retryAt: orNull(field.retryAt, 'this was the last attempt'),
    at: field.at,
  }),
  DeliverySucceeded: event('The receiver answered with a 2xx status.', {
    ...ofDelivery,
    attempt: field.attempt,
    httpStatus: field.httpStatus,
    durationMs: field.durationMs,
    at: field.at,
  }),
  DeliveryGivenUp: event('The delivery failed and is not retried.', {
    ...ofDelivery,
    why: z
      .enum(['exhausted', 'gone', 'disabled', 'internal_error'])
      .describe(
        '`exhausted`: the last attempt failed. `gone`: the receiver answered 410. `disabled`: the webhook was disabled or removed. `internal_error`: faults of the service prevented every attempt',
      ),
    at: field.at,
  }),
};

export type DeliveryEvent = EventOf<typeof deliveryEvents>;
export type DeliveryRequested = EventOf<typeof deliveryEvents, 'DeliveryRequested'>;
export type DeliveryAttemptFailed = EventOf<typeof deliveryEvents, 'DeliveryAttemptFailed'>;

export type State = {
  readonly requested: DeliveryRequested['data'] | null;
  readonly status: 'pending' | 'succeeded' | 'failed';
  readonly attempts: number;
};

export const initialState = (): State => ({ requested: null, status: 'pending', attempts: 0 });

export const evolve = (state: State, { type, data }: DeliveryEvent): State => {
  switch (type) {
    case 'DeliveryRequested':
      return { ...state, requested: data };
    case 'DeliveryAttemptFailed':
      return { ...state, attempts: data.attempt };
    case 'DeliverySucceeded':
      return { ...state, status: 'succeeded', attempts: data.attempt };
    case 'DeliveryGivenUp':
      return { ...state, status: 'failed' };
  }
};

/** The id of an event of a delivery: an event that is decided twice is stored once. */
export const idOf = (stream: string, { type, data }: DeliveryEvent): string => {
  switch (type) {
    case 'DeliveryRequested':
    case 'DeliveryGivenUp':
      return uuidOf(`${stream}|${type}`);
    case 'DeliveryAttemptFailed':
    case 'DeliverySucceeded':
      return uuidOf(`${stream}|${type}|${data.attempt}`);
  }
};
