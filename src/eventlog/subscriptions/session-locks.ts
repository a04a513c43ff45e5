import type { Pool, PoolClient } from 'pg';
import { elapsedMs } from '../../kernel/clock.ts';

/** Any number that nothing else on the database uses as the first half of an advisory lock. */
const lockClass = 20260122;
/** The server ends a session that is silent for this long and releases its locks, for example when its process hangs. */
const idleSessionTimeoutMs = 15_000;
const heartbeatMs = 5_000;

export type SessionLocks = ReturnType<typeof sessionLocks>;

/**
 * Session-level advisory locks of this process, all on one connection of the pool, which must not go through a
 * transaction pooler. Locks that are not free are tried again every `retryMs`. They elect the process that does some
 * work; because a session may end unnoticed, what it writes needs a fence of its own.
 */
export const sessionLocks = (pool: Pool, { retryMs }: { readonly retryMs: number }) => {
  const held = new Set<string>();
  let client: PoolClient | null = null;
  let heartbeat: NodeJS.Timeout | undefined;
  let nextTryMs = 0;

  const lose = (lost: PoolClient): void => {
    if (client !== lost) return;
    client = null;
    held.clear();
    clearInterval(heartbeat);
    lost.release(true);
  };
  const connect = async (): Promise<PoolClient> => {
    const connected = await pool.connect();
    client = connected;
    connected.once('error', () => lose(connected)).once('end', () => lose(connected));
    heartbeat = setInterval(() => {
      connected.query('SELECT 1').catch(() => lose(connected));
    }, heartbeatMs);
    heartbeat.unref();
    return connected;
  };
  const onSession = async <Result>(work: (on: PoolClient) => Promise<Result>): Promise<Result> => {
    const isNew = client === null;
    const session = client ?? (await connect());
    try {
      if (isNew) await session.query(`SET idle_session_timeout = ${idleSessionTimeoutMs}`);
      return await work(session);
    } catch (error) {
      lose(session);
      throw error;
    }
  };

  return {
    /** Takes the free locks among `names` and returns those that this session holds. */
    acquire: async (names: readonly string[]): Promise<ReadonlySet<string>> => {
      const missing = names.filter((name) => !held.has(name));
      if (missing.length > 0 && elapsedMs() >= nextTryMs) {
        const { rows } = await onSession((session) =>
          session.query<{ name: string }>(
            `SELECT name FROM unnest($1::text[]) AS name
             WHERE pg_try_advisory_lock(${lockClass}, hashtext(name))`,
            [missing],
          ),
        );
        for (const { name } of rows) held.add(name);
        nextTryMs = elapsedMs() + retryMs;
      }
      return new Set(names.filter((name) => held.has(name)));
    },
    release: async (name: string): Promise<void> => {
      if (!held.delete(name)) return;
      await onSession((session) => session.query(`SELECT pg_advisory_unlock(${lockClass}, hashtext($1))`, [name]));
    },
    /** Releases all locks and gives the connection back. */
    close: async (): Promise<void> => {
      if (client === null) return;
      const closing = client;
      // Ending the session releases the locks too, but some time later.
      await closing.query('SELECT pg_advisory_unlock_all()').catch(() => undefined);
      lose(closing);
    },
  };
};
