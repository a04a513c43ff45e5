import type { Event } from '@event-driven-io/emmett';
import { uuidOf } from '../kernel/ids.ts';
import type { WebhookKind } from './payload.ts';

/*
 * One notification for one receiver. Bound: two events and one per attempt (some dozen). A replay is a delivery of its
 * own with the same event id, so that a receiver can recognize the duplicate.
 */
export const streamOf = (deliveryId: string): string => `delivery-${deliveryId}`;

/** One event is delivered to one URL once; each replay is a delivery of its own. */
export const deliveryIdOf = (eventId: string, url: string, replay: string | null): string =>
  `dlv_${uuidOf(`${eventId}|${url}|${replay ?? ''}`).replaceAll('-', '')}`;

/** The event id that receivers see, derived from the id of the event in the log. */
export const eventIdOf = (cause: string): string =>
  `evt_${uuidOf(`${cause}|webhook`).replaceAll('-', '')}`;

/** A receiver is to be told. `jobId` and `run` are null for a test; `webhookId` for the URL of a job. */
export type DeliveryRequested = Event<
  'DeliveryRequested',
  {
    deliveryId: string;
    accountId: string;
    webhookId: string | null;
    url: string;
    eventId: string;
    kind: WebhookKind;
    jobId: string | null;
    run: number | null;
    replayOf: string | null;
    at: string;
  }
>;

/**
 * Why an attempt failed. `dns_failed`: the name has no public address. `blocked_address`: the address is not public.
 * `tls_expired` and `tls_wrong_host`: the certificate is out of its dates, or made for another name. `internal_error`:
 * a fault of the service, before anything was sent.
 */
export type AttemptFailure =
  | 'http_status'
  | 'redirect'
  | 'timeout'
  | 'connect_failed'
  | 'connection_lost'
  | 'dns_failed'
  | 'tls_failed'
  | 'tls_expired'
  | 'tls_wrong_host'
  | 'blocked_address'
  | 'http_not_allowed'
  | 'port_not_allowed'
  | 'internal_error';

/** An attempt failed; the next one is due at `retryAt`. Null: it was the last. */
export type DeliveryAttemptFailed = Event<
  'DeliveryAttemptFailed',
  {
    deliveryId: string;
    accountId: string;
    webhookId: string | null;
    attempt: number;
    why: AttemptFailure;
    httpStatus: number | null;
    durationMs: number;
    retryAt: string | null;
    at: string;
  }
>;

/** The receiver took it: any 2xx. */
export type DeliverySucceeded = Event<
  'DeliverySucceeded',
  {
    deliveryId: string;
    accountId: string;
    webhookId: string | null;
    attempt: number;
    httpStatus: number;
    durationMs: number;
    at: string;
  }
>;

/**
 * It is not tried any more. `disabled`: the webhook was disabled or removed meanwhile. `internal_error`: a fault of ours
 * kept it from being sent, at every try.
 */
export type DeliveryGivenUp = Event<
  'DeliveryGivenUp',
  {
    deliveryId: string;
    accountId: string;
    webhookId: string | null;
    why: 'exhausted' | 'gone' | 'disabled' | 'internal_error';
    at: string;
  }
>;

export type DeliveryEvent =
  | DeliveryRequested
  | DeliveryAttemptFailed
  | DeliverySucceeded
  | DeliveryGivenUp;

/** The types of the events of this file, in the order of `docs/events.md`. */
export const eventTypes = {
  DeliveryRequested: true,
  DeliveryAttemptFailed: true,
  DeliverySucceeded: true,
  DeliveryGivenUp: true,
} satisfies Readonly<Record<DeliveryEvent['type'], true>>;

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
