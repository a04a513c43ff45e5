import { randomUUID } from 'node:crypto';
import { systemCall } from '#src/app/open-core.ts';
import { type App, startApp } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import type { PlanKey } from '#src/contract/plan-keys.ts';
import { planOf } from '#src/credits/plans/plans.ts';
import type { Logger } from '#src/kernel/logger.ts';
import { type Simulator, startSimulator } from '#test/simulator/main.ts';
import { type TestDatabase, usedDatabase } from '#test/support/database.ts';
import { logOfRun, plantedPassword } from '#test/support/leaks.ts';
import { startAgain } from '#test/support/start-again.ts';

/** The SECRET_KEY of every process that a test starts: processes that share a database need the same. */
export const testSecret = 'mZ4vWq8sKx2LpR7tYb1NcJ5hDf9GaE3u';

export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};

/** An account with its first key. */
export type TestAccount = { readonly accountId: string; readonly key: string };

export type RequestOptions = {
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** Requests to a running program, in this process or another. */
export type Client = {
  get(path: string, asked?: RequestOptions): Promise<Response>;
  post(path: string, body: unknown, asked?: RequestOptions): Promise<Response>;
};

export type TestApp = AsyncDisposable &
  Client & {
    readonly url: string;
    readonly databaseUrl: string;
    readonly core: App['core'];
    readonly simulator: Simulator;
    /**
     * Creates an account through the application. `credits`: its exact balance; the rest of what the plan includes
     * is spent by one charge of the kind `job_item`.
     */
    createAccount(options?: { readonly plan?: PlanKey; readonly credits?: number }): Promise<TestAccount>;
    /** The environment for another process on the same database and platform. */
    readonly environment: Readonly<Record<string, string>>;
  };

/** An HTTP client of the program at an address. */
export const clientOf = (url: string): Client => {
  const headersOf = ({ key = null, headers = {} }: RequestOptions) => ({
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
    ...headers,
  });
  const signalOf = ({ signal }: RequestOptions) => (signal === undefined ? {} : { signal });
  return {
    get: (path, asked = {}) => fetch(`${url}${path}`, { headers: headersOf(asked), ...signalOf(asked) }),
    post: (path, body, asked = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headersOf(asked) },
        body: JSON.stringify(body),
        ...signalOf(asked),
      }),
  };
};

/**
 * Starts the program in this process, on a new database (or `database`, which is kept) and with a
 * new simulated platform (or `simulator`, which is kept). `environment`: further settings.
 */
export const startTestApp = async (
  overrides: {
    readonly database?: Pick<TestDatabase, 'url'>;
    readonly simulator?: Simulator;
    readonly environment?: Readonly<Record<string, string>>;
    readonly logger?: Logger;
  } = {},
): Promise<TestApp> => {
  await using stack = new AsyncDisposableStack();
  const database = overrides.database ?? stack.use(await usedDatabase({ isSearched: true }));
  const simulator = overrides.simulator ?? stack.use(await startSimulator());
  const environment = {
    DATABASE_URL: database.url,
    SECRET_KEY: testSecret,
    PLATFORM_ORIGIN: simulator.origin,
    PORT: '0',
    SHUTDOWN_DRAIN: '0s',
    // Each start and each account hashes a password. Tests of hashing use the default parameters.
    PASSWORD_HASH_MEMORY_KIB: '1024',
    PASSWORD_HASH_PASSES: '1',
    ...overrides.environment,
  };
  const { logger = logOfRun } = overrides;
  const app = stack.use(await startAgain(() => startApp(loadConfig(environment), { logger })));
  const { url, core } = app;
  if (url === null) throw new Error('a worker has no HTTP address');
  const parts = stack.move();

  return {
    ...clientOf(url),
    url,
    databaseUrl: database.url,
    core,
    simulator,
    environment,
    createAccount: async ({ plan = 'free', credits } = {}) => {
      const { accountId, apiKey } = await core.commands.createAccount({
        email: `${randomUUID()}@example.com`,
        password: plantedPassword('passphrase'),
        name: null,
        plan,
      });
      const included = planOf(plan).includedCredits;
      if (credits !== undefined) await spend(core, accountId, included - credits);
      return { accountId, key: apiKey };
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};

const spend = async ({ ledger }: App['core'], accountId: string, amount: number): Promise<void> => {
  if (amount === 0) return;
  const charge = { what: 'spent before', operation: 'job_item', requests: 1, videoId: null } as const;
  await ledger.charge(systemCall(accountId), [{ ...charge, amount }]);
};
