import type { LiveProcess } from '../adapters/processes.ts';
import { readingConnections } from '../adapters/read-connections.ts';
import type { ServerInfo } from '../adapters/server-info.ts';
import type { Config } from '../config.ts';
import type { Check } from '../edges/cli/operator-interface.ts';

/** Of each process beside its pools: those that read, the one that listens to notifications, the one of the heartbeat, and two that hold locks. */
const connectionsBesidePools = readingConnections + 4;
/** Connections that Postgres and its operators need beside ours. */
const spareConnections = 10;

type Processes = Readonly<Record<LiveProcess['role'], number>>;

/** Connections that so many processes open at most, with some to spare. */
export const connectionsWanted = (
  { database: { poolSizes }, worker }: Pick<Config, 'database' | 'worker'>,
  { api, worker: workers, all }: Processes,
): number =>
  api * (poolSizes.api + connectionsBesidePools) +
  workers * (poolSizes.worker + connectionsBesidePools + worker.poolSize) +
  all * (poolSizes.api + connectionsBesidePools + worker.poolSize) +
  spareConnections;

/**
 * Of every process that runs, and of one for each role that none has: where nothing runs at all, a single one for
 * both. Each has the pools of this configuration.
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
