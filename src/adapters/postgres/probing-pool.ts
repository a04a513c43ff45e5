import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { isUnavailable } from '../../eventlog/unavailable-error.ts';
import { elapsedMs } from '../../kernel/clock.ts';

/** How long after a try that failed nobody makes another (ms). */
const restMs = 50;
const refusedAtOnce = 10;

type Connected = Parameters<Pool['connect']>[0];
type Told = Parameters<Connected>;

/**
 * A pool that asks a database that is away once at a time, twenty times a second at most: who comes after a try that
 * failed waits for the next one, and is told what that is told. Each of them trying for itself was most of the work of
 * an outage, and a database that starts would answer thousands of them before the first statement.
 */
export class ProbingPool extends Pool {
  /** Those that are there. The pool may tell of one twice that it is gone: when it is let go, and when its socket fails. */
  readonly #connections = new Set<PoolClient>();
  /** When the last try failed, if there has been no connection since. */
  #failedAtMs: number | null = null;
  /** Who waits for the next try; null while everybody tries for himself. */
  #waiting: Connected[] | null = null;

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
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | undefined {
    if (callback !== undefined) {
      this.#connect(callback);
      return;
    }
    return new Promise((resolve, reject) => {
      this.#connect((error, client) => (client === undefined ? reject(error) : resolve(client)));
    });
  }

  #connect(callback: Connected): void {
    if (this.#failedAtMs === null || this.#connections.size > 0) {
      this.#try(callback);
      return;
    }
    if (this.#waiting === null) {
      this.#waiting = [];
      const leftMs = this.#failedAtMs + restMs - elapsedMs();
      setTimeout(() => this.#probe(), Math.max(0, leftMs));
    }
    this.#waiting.push(callback);
  }

  #try(callback: Connected): void {
    super.connect((...told: Told) => {
      const [error] = told;
      if (error !== undefined && this.#connections.size === 0 && isUnavailable(error)) {
        this.#failedAtMs = elapsedMs();
      }
      callback(...told);
    });
  }

  #probe(): void {
    const first = this.#waiting?.shift();
    this.#try((...told) => {
      const waiting = this.#waiting ?? [];
      this.#waiting = null;
      first?.(...told);
      const [error] = told;
      if (error === undefined) for (const one of waiting) this.#connect(one);
      else refuse(waiting, error);
    });
  }
}

/** Some at a time, and others have a turn in between: what each of them does with it takes a while. */
const refuse = (waiting: readonly Connected[], error: Error, from = 0): void => {
  const next = from + refusedAtOnce;
  for (const one of waiting.slice(from, next)) one(error, undefined, () => {});
  if (next < waiting.length) setImmediate(refuse, waiting, error, next);
};
