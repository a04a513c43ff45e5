import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { logFirstFailure } from '../../kernel/log-first-failure.ts';
import type { Logger } from '../../kernel/logger.ts';
import { openClient } from '../connection.ts';
import type { PostgresEventLog } from '../postgres-event-log.ts';

const channel = 'es_appended';
/** At most one NOTIFY in this time, whatever is appended: 50 a second for each process. */
const minIntervalMs = 20;
const reconnectMs = 1_000;
const applicationName = 'event log notifications';
const timeoutMs = 2_000;

type Notifications = {
  readonly log: Pick<PostgresEventLog, 'onOwnAppended' | 'wake'>;
  readonly pool: Pool;
  readonly url: string;
  /** Makes the socket of the connection; by default `pg` makes it. */
  readonly sockets?: (() => Socket) | undefined;
  /** Other channels to listen on over the same connection, with what takes their payloads. */
  readonly channels?: Readonly<Record<string, (payload: string) => void>>;
  readonly logger?: Pick<Logger, 'warn'>;
};

/**
 * Sends a NOTIFY to other processes after this one has appended, and wakes the subscriptions of this process when
 * another one has. A notification is only a hint: it is sent after the commit, so that it costs appends nothing, and
 * polling finds events whose notification was lost. `url` must be a direct connection: LISTEN does not work through a
 * transaction pooler.
 */
export const appendNotifications = (deps: Notifications): AsyncDisposable => {
  const { log, pool } = deps;
  const stopping = new AbortController();
  let sending: Promise<void> | null = null;
  let last = 0n;

  const send = async (): Promise<void> => {
    for (let sent = 0n; sent < last && !stopping.signal.aborted; ) {
      sent = last;
      await pool.query('SELECT pg_notify($1, $2)', [channel, String(sent)]).catch(() => undefined);
      await pause(minIntervalMs);
    }
    sending = null;
  };
  const unsubscribe = log.onOwnAppended((position) => {
    last = position > last ? position : last;
    sending ??= send();
  });
  const listening = listen(deps, stopping.signal);

  return {
    [Symbol.asyncDispose]: async () => {
      unsubscribe();
      stopping.abort();
      await Promise.all([listening, sending]);
    },
  };
};

/** Listens until it is stopped. A lost connection is opened again, and wakes once for everything missed meanwhile. */
const listen = async (
  { log, url, sockets, channels = {}, logger }: Notifications,
  signal: AbortSignal,
): Promise<void> => {
  const failures = logFirstFailure((error) =>
    logger?.warn('notifications of appends are not received; subscriptions poll', { error }),
  );
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    if (!isFirst) await pause(reconnectMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const ended = Promise.withResolvers<void>();
    const end = (): void => ended.resolve();
    signal.addEventListener('abort', end, { once: true });
    try {
      const timeouts = { connectTimeoutMs: timeoutMs, queryTimeoutMs: timeoutMs };
      await using client = await openClient({ url, applicationName, ...timeouts, sockets });
      client.on('end', end).on('error', end);
      client.on('notification', ({ channel: from, payload = '' }) => {
        if (from === channel) log.wake(positionIn(payload));
        else channels[from]?.(payload);
      });
      for (const one of [channel, ...Object.keys(channels)]) await client.query(`LISTEN ${one}`);
      log.wake(0n);
      failures.succeeded();
      if (!signal.aborted) await ended.promise;
    } catch (error) {
      failures.failed(error);
    }
    signal.removeEventListener('abort', end);
  }
};

/** Any client may notify the channel: a payload that is not a position wakes too. */
const positionIn = (payload: string): bigint => (/^\d{1,19}$/.test(payload) ? BigInt(payload) : 0n);
