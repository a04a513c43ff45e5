import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import type { Logger } from '../../kernel/logger.ts';
import { toldOnce } from '../../kernel/told-once.ts';
import type { PostgresEventLog } from '../postgres-event-log.ts';

const channel = 'es_appended';
/** At most one NOTIFY in this time, whatever is appended: 50 a second for each process. */
const quietMs = 20;
const reconnectMs = 1_000;

/**
 * Tells other processes that this one has appended, and wakes this one when they have: their subscriptions need not
 * wait for their next look. A hint alone: it is sent after the commit, so it costs appends nothing, and what is lost
 * of it the next look finds. `url` must be a direct connection: LISTEN does not pass a transaction pooler.
 */
export const appendNotifications = (deps: {
  readonly log: Pick<PostgresEventLog, 'onOwnAppended' | 'wake' | 'announced'>;
  readonly pool: Pool;
  readonly url: string;
  /** What the connection goes over; sockets of its own unless said otherwise. */
  readonly sockets?: (() => Socket) | undefined;
  readonly logger?: Pick<Logger, 'warn'>;
}): AsyncDisposable => {
  const { log, pool } = deps;
  const stopping = new AbortController();
  let sending: Promise<void> | null = null;
  let last = 0n;

  const send = async (): Promise<void> => {
    for (let sent = 0n; sent < last && !stopping.signal.aborted; ) {
      sent = last;
      await pool.query('SELECT pg_notify($1, $2)', [channel, String(sent)]).catch(() => undefined);
      await pause(quietMs);
    }
    sending = null;
  };
  const unsubscribe = log.onOwnAppended((position) => {
    last = position > last ? position : last;
    sending ??= send();
  });
  const hearing = hear({ ...deps, signal: stopping.signal });

  return {
    [Symbol.asyncDispose]: async () => {
      unsubscribe();
      stopping.abort();
      await Promise.all([hearing, sending]);
    },
  };
};

/** Listens until it is stopped; a lost connection is made anew, and what was missed meanwhile is one wake. */
const hear = async (deps: {
  readonly log: Pick<PostgresEventLog, 'wake' | 'announced'>;
  readonly url: string;
  readonly sockets?: (() => Socket) | undefined;
  readonly logger?: Pick<Logger, 'warn'>;
  readonly signal: AbortSignal;
}): Promise<void> => {
  const { log, url, sockets, logger, signal } = deps;
  const told = toldOnce((error) =>
    logger?.warn('announcements of appends are not heard; subscriptions poll', { error }),
  );
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    if (!isFirst) await pause(reconnectMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const ended = Promise.withResolvers<void>();
    const client = new Client({
      connectionString: url,
      application_name: 'event log announcements',
      connectionTimeoutMillis: 2_000,
      query_timeout: 2_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      ...(sockets === undefined ? {} : { stream: sockets }),
    });
    const end = (): void => ended.resolve();
    client.on('end', end).on('error', end);
    signal.addEventListener('abort', end, { once: true });
    try {
      await client.connect();
      client.on('notification', ({ payload }) => log.wake(positionIn(payload)));
      await client.query(`LISTEN ${channel}`);
      log.announced(true);
      log.wake(0n);
      told.succeeded();
      if (!signal.aborted) await ended.promise;
    } catch (error) {
      told.failed(error);
    }
    log.announced(false);
    signal.removeEventListener('abort', end);
    await client.end().catch(() => undefined);
  }
};

/** Anybody may send on the channel: what is no position is a wake all the same. */
const positionIn = (payload: string | undefined): bigint =>
  payload !== undefined && /^\d{1,19}$/.test(payload) ? BigInt(payload) : 0n;
