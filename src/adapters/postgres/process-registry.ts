import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { openClient } from '../../eventlog/connection.ts';
import { elapsedMs } from '../../kernel/clock.ts';
import { newUuid } from '../../kernel/ids.ts';
import { logFirstFailure } from '../../kernel/log-first-failure.ts';

export type ProcessRole = 'all' | 'api' | 'worker';

/** A role that is exclusive on a database unless `isShared`. */
export type Claim = { readonly what: 'api' | 'worker'; readonly isShared: boolean };

/** Options of `registerProcess`. `url` is a direct connection. */
export type Place = {
  readonly url: string;
  /** Creates the socket of its connection; by default the driver does. */
  readonly sockets?: () => Socket;
  readonly role: ProcessRole;
  readonly claims: readonly Claim[];
  /** The ids of the keys that it has, its SECRET_KEY first. */
  readonly keyIds: readonly string[];
  /** Makes the message of the refusal from the holder of the claim, such as `API process 17 on host a`. */
  readonly refusal: (who: string) => string;
  readonly onNotice?: (message: string, cause: unknown) => void;
};

export type LiveProcess = {
  readonly processId: string;
  readonly role: ProcessRole;
  readonly host: string;
  readonly osPid: number;
  /** The ids of the keys that it has, its SECRET_KEY first; none for an older version. */
  readonly keyIds: readonly string[];
};

/** The registration of this process; disposing it releases its claims. */
export type Registration = { readonly processId: string; [Symbol.asyncDispose](): Promise<void> };

const lockClass = 20261122;
const lockOf = { api: 1, worker: 2 } as const;
const beatMs = 5_000;
/** How long a process waits for the connection of a killed predecessor to end. */
const predecessorTimeoutMs = 3_000;
/** Query timeout: these queries read a row or take a lock. */
const answerTimeoutMs = 5_000;
/** Rows of processes without a heartbeat for this long are removed. */
const staleAfter = '1 minute';

/**
 * Registers this process. Each claim is a session advisory lock, so it ends with the process however
 * that ends; rows in `processes` only name the holder. Throws, naming the other process, if a claim is
 * taken: two API processes with separate counters would silently double every rate limit.
 */
export const registerProcess = async (options: Place): Promise<Registration> => {
  const { role, keyIds, onNotice = () => {} } = options;
  const processId = newUuid();
  const ending = new AbortController();
  let client = await hold(options, processId);
  const row = { processId, role, keyIds };
  await insert(client, row);

  const failures = logFirstFailure((cause) =>
    onNotice('the registration of this process is lost; taking it again', cause),
  );
  const beat = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await pause(beatMs, undefined, { signal: ending.signal }).catch(() => undefined);
      if (ending.signal.aborted) return;
      try {
        const { rowCount } = await client.query('UPDATE processes SET beat_at = now() WHERE process_id = $1', [
          processId,
        ]);
        if (rowCount === 0) await insert(client, row);
        failures.succeeded();
      } catch (cause) {
        // The database went away or failed over: the claim is taken again as soon as it answers.
        failures.failed(cause);
        await client.end().catch(() => undefined);
        client = await hold(options, processId).catch(() => client);
      }
    }
  };
  const beating = beat();
  return {
    processId,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await beating;
      await client.query('DELETE FROM processes WHERE process_id = $1', [processId]).catch(() => undefined);
      await client.end().catch(() => undefined);
    },
  };
};

/** The processes that are connected now, the oldest first; at most 1,000. None before the first migration. */
export const listProcesses = async (url: string): Promise<readonly LiveProcess[]> => {
  await using client = await openClient({
    ...{ url, applicationName: 'steno processes', queryTimeoutMs: answerTimeoutMs },
  });
  return await readProcesses(client);
};

const readProcesses = async (client: Client): Promise<readonly LiveProcess[]> => {
  const table = await client.query(`SELECT to_regclass('processes') AS name`);
  if (table.rows[0]?.name === null) return [];
  const { rows } = await client.query(
    `SELECT process_id AS "processId", role, host, os_pid AS "osPid",
       coalesce(nullif(to_jsonb(processes) -> 'secret_ids', 'null'), '[]') AS "keyIds"
     FROM processes
     JOIN pg_stat_activity ON application_name = 'steno ' || process_id
     ORDER BY started_at
     LIMIT 1000`,
  );
  return rows;
};

const hold = async ({ url, sockets, claims, refusal }: Place, processId: string): Promise<Client> => {
  const client = await openClient({
    ...{ url, sockets, applicationName: `steno ${processId}`, queryTimeoutMs: answerTimeoutMs },
  });
  try {
    const deadline = elapsedMs() + predecessorTimeoutMs;
    for (const claim of claims) {
      while (!(await tryLock(client, claim))) {
        if (elapsedMs() > deadline) throw new Error(refusal(await whoHolds(client, claim)));
        await pause(100);
      }
    }
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
};

const tryLock = async (client: Client, { what, isShared }: Claim): Promise<boolean> => {
  const { rows } = await client.query<{ held: boolean }>(
    `SELECT pg_try_advisory_lock${isShared ? '_shared' : ''}($1, $2) AS held`,
    [lockClass, lockOf[what]],
  );
  return rows[0]?.held === true;
};

const whoHolds = async (client: Client, { what }: Claim): Promise<string> => {
  const name = what === 'api' ? 'API process' : 'worker process';
  const others = await readProcesses(client);
  const other = others.find(({ role }) => role === 'all' || role === what);
  return other === undefined ? `another ${name}` : `${name} ${other.osPid} on ${other.host}`;
};

const insert = async (
  client: Client,
  { processId, role, keyIds }: Pick<LiveProcess, 'processId' | 'role' | 'keyIds'>,
): Promise<void> => {
  await client.query('DELETE FROM processes WHERE beat_at < now() - $1::interval', [staleAfter]);
  await client.query('INSERT INTO processes (process_id, role, host, os_pid, secret_ids) VALUES ($1, $2, $3, $4, $5)', [
    processId,
    role,
    hostname(),
    process.pid,
    keyIds,
  ]);
};
