import type { LiveProcess } from '../adapters/processes.ts';
import { readingConnections } from '../adapters/read-connections.ts';
import type { ServerInfo } from '../adapters/server-info.ts';
import type { Config } from '../config.ts';
import type { Check } from '../edges/cli/operator-interface.ts';

/** Connections of a process besides its pools: those for queries, one for LISTEN, one for heartbeats, and two that hold advisory locks. */
const connectionsBesidePools = readingConnections + 4;
/** Connections reserved for Postgres and its operators. */
const spareConnections = 10;

type Processes = Readonly<Record<LiveProcess['role'], number>>;

/** The maximum number of connections of these processes, with a margin. */
export const connectionsWanted = (
  { database: { poolSizes }, worker }: Pick<Config, 'database' | 'worker'>,
  { api, worker: workers, all }: Processes,
): number =>
  api * (poolSizes.api + connectionsBesidePools) +
  workers * (poolSizes.worker + connectionsBesidePools + worker.poolSize) +
  all * (poolSizes.api + connectionsBesidePools + worker.poolSize) +
  spareConnections;

/**
 * Counts every running process, and one for each role without a process; if nothing runs, one process for
 * both roles. Each is assumed to have the pools of this configuration.
 */
export const checkConnections = (
  config: Config,
  { maxConnections: most }: ServerInfo,
  running: readonly LiveProcess[],
): Check => {
  const name = 'connections';
  const count = (role: LiveProcess['role']): number =>
    running.filter((one) => one.role === role).length;
  const all = running.length === 0 ? 1 : count('all');
  const api = all === 0 ? Math.max(1, count('api')) : count('api');
  const worker = all === 0 ? Math.max(1, count('worker')) : count('worker');
  const wanted = connectionsWanted(config, { api, worker, all });
  const message = `${wanted} wanted (API ${api + all}, worker ${worker + all}, ${spareConnections} to spare), the server gives ${most}`;
  if (wanted <= most) return { name, status: 'ok', message, fix: null };
  return {
    name,
    status: 'failed',
    message,
    fix: 'lower DATABASE_POOL_SIZE or WORKER_POOL_SIZE, or raise max_connections',
  };
};
