import type { IncomingMessage } from 'node:http';
import type { Commands } from '../../../commands.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Limiter } from '../../../kernel/limiter.ts';
import type { MeasuredResponse } from '../../../kernel/metrics.ts';
import type { Tracer } from '../../../kernel/tracing.ts';
import type { Queries } from '../../../queries.ts';
import type { HttpSettings } from '../settings.ts';
import type { TrustedProxies } from './client-address.ts';
import type { Failure, IsUnavailable } from './error-response.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { AddressLimits } from './rate-limit.ts';
import type { HttpResponse } from './response.ts';

/** One answered request, for the log, metrics and the objectives. Holds no path, query, key or address. */
export type AnsweredRequest = MeasuredResponse & {
  /** As in the response. */
  readonly requestId: string;
  /** Made by the service; events of web requests are stored under it. */
  readonly ownId: string;
  /** Of the Error body, null on success. */
  readonly code: string | null;
  readonly accountId: string | null;
  readonly creditsCharged: number | null;
  /** Null when no captions were read. */
  readonly isCacheHit: boolean | null;
};

export type Fault = {
  readonly requestId: string;
  readonly route: string | null;
  readonly error: unknown;
  /** See `Failure`. */
  readonly isOutage: boolean;
};

/** Dependencies of the middleware of every route. */
export type MiddlewareDeps = Pick<HttpSettings, 'maxInFlight' | 'timeLimitMs'> & {
  readonly commands: Pick<Commands, 'recordFailure' | 'requireAuthorization'>;
  readonly queries: Pick<Queries, 'findKeyHolder' | 'findTokenHolder'>;
  readonly limiter: Limiter;
  readonly idempotency: IdempotencyStore;
  readonly clock: Clock;
  readonly proxies: TrustedProxies;
  readonly limits: AddressLimits;
  /** The service is reached by https only. */
  readonly isHttps: boolean;
  /** Aborts at the start of a shutdown: clients of streams reconnect to another process. */
  readonly draining: AbortSignal;
  /** Whether an error says that the database could not be queried: answered 503, not 500. */
  readonly isUnavailable: IsUnavailable;
  /** An HTML page for a failure; null for a response in the Error shape. */
  readonly errorPage: (request: IncomingMessage, failure: Failure, requestId: string) => Promise<HttpResponse | null>;
  /** Null: tracing is off. */
  readonly tracer: Tracer | null;
  readonly onFault: (fault: Fault) => void;
  readonly onAnswered: (answered: AnsweredRequest) => void;
};
