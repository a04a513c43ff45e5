import type { Pool } from 'pg';
import { postgresPool } from '../adapters/postgres/pool.ts';

/** Timeout of a command for a connection (ms). Longer than that of a server, because callers of a server try again. */
export const connectTimeoutOfCommandMs = 10_000;

/** A pool of one connection with the timeout of a command, for a command that does not open the application. */
export const commandPool = (url: string, applicationName = 'steno'): Pool =>
  postgresPool({ url, applicationName, max: 1, acquireTimeoutMs: connectTimeoutOfCommandMs });
