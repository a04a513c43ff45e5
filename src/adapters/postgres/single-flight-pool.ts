import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { isUnavailable } from '../../eventlog/unavailable-error.ts';
import { elapsedMs } from '../../kernel/clock.ts';

/** Pause after a failed attempt (ms). */
const retryPauseMs = 50;
const rejectedAtOnce = 10;

type ConnectCallback = Parameters<Pool['connect']>[0];
type ConnectResult = Parameters<ConnectCallback>;

/**
 * A pool that makes one connection attempt at a time, at most twenty a second, while the database is away. Callers share
 * the outcome of the next attempt. Separate attempts were most of the processor time of an outage, and a database
 * that starts would have to refuse thousands of them before the first statement.
 */
export class SingleFlightPool extends Pool {
  /** Live connections. A set, because the pool may emit `remove` twice for one: on release and on a socket error. */
  readonly #connections = new Set<PoolClient>();
  /** When the last attempt failed; null after a connection. */
  #failedAtMs: number | null = null;
  /** Callers that wait for the next attempt; null while each caller connects itself. */
  #waiting: ConnectCallback[] | null = null;

  constructor(config: PoolConfig) {
    super(config);
    this.on('connect', (client) => {
      this.#connections.add(client);
      this.#failedAtMs = null;
    });
    this.on('remove', (client) => {
      this.#connections.delete(client);
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | undefined {
    if (callback !== undefined) {
      this.#connect(callback);
      return;
    }
    return new Promise((resolve, reject) => {
      this.#connect((error, client) => (client === undefined ? reject(error) : resolve(client)));
    });
  }

  #connect(callback: ConnectCallback): void {
    if (this.#failedAtMs === null || this.#connections.size > 0) {
      this.#try(callback);
      return;
    }
    if (this.#waiting === null) {
      this.#waiting = [];
      const leftMs = this.#failedAtMs + retryPauseMs - elapsedMs();
      setTimeout(() => this.#probe(), Math.max(0, leftMs));
    }
    this.#waiting.push(callback);
  }

  #try(callback: ConnectCallback): void {
    super.connect((...result: ConnectResult) => {
      const [error] = result;
      if (error !== undefined && this.#connections.size === 0 && isUnavailable(error)) {
        this.#failedAtMs = elapsedMs();
      }
      callback(...result);
    });
  }

  #probe(): void {
    const first = this.#waiting?.shift();
    this.#try((...result) => {
      const waiting = this.#waiting ?? [];
      this.#waiting = null;
      first?.(...result);
      const [error] = result;
      if (error === undefined) for (const one of waiting) this.#connect(one);
      else refuse(waiting, error);
    });
  }
}

/** In chunks, so that other work of the event loop runs in between. */
const refuse = (waiting: readonly ConnectCallback[], error: Error, from = 0): void => {
  const next = from + rejectedAtOnce;
  for (const one of waiting.slice(from, next)) one(error, undefined, () => {});
  if (next < waiting.length) setImmediate(refuse, waiting, error, next);
};
