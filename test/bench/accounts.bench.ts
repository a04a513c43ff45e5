import { Agent, request } from 'node:http';
import { openCredentials } from '#src/adapters/passwords/argon2.ts';
import { startApp } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import type { Logger } from '#src/kernel/logger.ts';
import { startSimulator } from '#test/simulator/main.ts';
import { shippedHashing } from '#test/support/accounts.ts';
import { testDatabase } from '#test/support/database.ts';
import { browser } from '#test/support/journey.ts';
import { startProgram } from '#test/support/program.ts';
import type { Row } from './row.ts';

export const name = 'accounts';

const secret = 'mZ4vWq8sKx2LpR7tYb1NcJ5hDf9GaE3u';
const password = 'correct horse battery staple';
const video = 'teatime-gb1';

export const run = async (): Promise<readonly Row[]> => [...(await keyCheck()), ...(await signIns())];

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => silent };

/** Limits high enough for all sign-ins of the bench from one machine. */
const wide = {
  SECRET_KEY: secret,
  CAPTCHA_MIN_SOLVE_MS: '0',
  TRUSTED_PROXIES: '127.0.0.1',
  LOGIN_FAILURES_PER_15_MIN: '100000',
  LOGIN_FAILURES_PER_IP_15_MIN: '100000',
  LOG_LEVEL: 'error',
};

/** The cost of key authentication in a cached read, sequentially, in one process. */
const keyCheck = async (): Promise<readonly Row[]> => {
  await using simulator = await startSimulator();
  await using database = await testDatabase();
  const environment = {
    ...wide,
    DATABASE_URL: database.url,
    PLATFORM_ORIGIN: simulator.origin,
    PORT: '0',
    SHUTDOWN_DRAIN: '0s',
  };
  await using app = await startApp(loadConfig(environment), { logger: silent });
  const url = app.url ?? '';
  const key = await keyOf(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const read = () => asked(`${url}/v1/transcripts/${video}`, { agent, headers: { authorization: `Bearer ${key}` } });
  for (let n = 0; n < 100; n += 1) await read();

  const reads = await timesOf(1_000, read);
  // Medians, because other work on the machine interrupts a few of the calls and would raise the mean.
  const hundreds = await timesOf(200, async () => {
    for (let n = 0; n < 100; n += 1) await app.core.queries.findKeyHolder(key);
  });
  agent.destroy();
  const [readUs, checkUs] = [quantile(reads, 0.5) * 1_000, quantile(hundreds, 0.5) * 10];
  return [
    { case: 'cached read over HTTP, one caller, p50', value: Math.round(readUs), unit: 'µs' },
    { case: 'key check, median of hundreds', value: Number(checkUs.toFixed(2)), unit: 'µs' },
    {
      case: 'key check, share of a cached read',
      value: Number(((100 * checkUs) / readUs).toFixed(2)),
      unit: '%',
      goal: 5,
      goalKind: 'at most',
    },
  ];
};

/** Sign-ins per second against bare hashing, and the latency of liveness while 200 sign-ins are queued. */
const signIns = async (): Promise<readonly Row[]> => {
  const bare = await bareHashes();
  await using database = await testDatabase();
  await using program = startProgram([], { ...wide, DATABASE_URL: database.url });
  const url = await program.ready;
  const page = browser([url]);
  await register(page);
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  let caller = 0;
  // Each request has its own client address, as requests of many people do.
  const signIn = (email: string): Promise<number> => {
    caller += 1;
    const from = `10.${(caller >> 16) & 255}.${(caller >> 8) & 255}.${caller & 255}`;
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': from };
    const body = JSON.stringify({ email, password });
    return asked(`${url}/api/auth/login`, { agent, method: 'POST', headers, body });
  };

  const idle = await liveness(url, async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  });
  const started = performance.now();
  const signedIn = 160;
  await inParallel(8, signedIn, async () => {
    const status = await signIn('bench@example.org');
    if (status !== 200) throw new Error(`a sign-in was answered ${status}`);
  });
  const perSecond = signedIn / ((performance.now() - started) / 1_000);
  const busy = await liveness(url, async () => {
    const waves = 3;
    for (let wave = 0; wave < waves; wave += 1) {
      await Promise.all(Array.from({ length: 200 }, (_, n) => signIn(`nobody-${n}@example.org`)));
    }
  });
  agent.destroy();
  return [
    {
      case: 'sign-ins, 8 callers, against bare argon2id at 4 threads',
      value: Number(perSecond.toFixed(1)),
      unit: 'sign-ins/s',
      baseline: Number(bare.toFixed(1)),
      ratio: Number((perSecond / bare).toFixed(2)),
    },
    { case: 'liveness with nobody in line, p99', value: round(quantile(idle, 0.99)), unit: 'ms' },
    {
      case: 'liveness while 200 sign-ins wait, p99',
      value: round(quantile(busy, 0.99)),
      unit: 'ms',
      baseline: round(quantile(idle, 0.99)),
      goal: 100,
      goalKind: 'at most',
    },
    { case: 'liveness while 200 sign-ins wait, max', value: round(Math.max(...busy)), unit: 'ms' },
  ];
};

const bareHashes = async (): Promise<number> => {
  const pepper = Buffer.alloc(32, 1);
  const passwords = await openCredentials({ pepper, hashing: shippedHashing });
  const stored = await passwords.withHashingSlot((turn) => turn.hash(password));
  const count = 120;
  const started = performance.now();
  await inParallel(8, count, () =>
    passwords.withHashingSlot((turn) => turn.verify(password, { hash: stored, pepper })),
  );
  return count / ((performance.now() - started) / 1_000);
};

const register = async (page: ReturnType<typeof browser>): Promise<void> => {
  const body = { email: 'bench@example.org', password, ...(await page.solved()) };
  await page.json(201, page.send('POST', '/api/auth/register', { body }));
};

const keyOf = async (url: string): Promise<string> => {
  const page = browser([url]);
  await register(page);
  const body = { email: 'bench@example.org', password };
  await page.json(200, page.send('POST', '/api/auth/login', { body }));
  const made = await page.json<{ key: { fullKey: string } }>(201, page.send('POST', '/api/account/keys', { body: {} }));
  return made.key.fullKey;
};

/** Latencies of liveness in milliseconds, polled every 5 ms on a separate connection while `work` runs. */
const liveness = async (url: string, work: () => Promise<void>): Promise<readonly number[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  const done = { isDone: false };
  const watching = (async () => {
    while (!done.isDone) {
      const started = performance.now();
      await asked(`${url}/api/health`, { agent });
      times.push(performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  await work();
  done.isDone = true;
  await watching;
  agent.destroy();
  return times;
};

type PlatformClient = {
  readonly agent: Agent;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

/** The status of one response, after its body was read. */
const asked = (url: string, { body, ...options }: PlatformClient): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end(body);
  });

const inParallel = async (callers: number, count: number, work: () => Promise<unknown>): Promise<void> => {
  let left = count;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left > 0) {
        left -= 1;
        await work();
      }
    }),
  );
};

const timesOf = async (count: number, work: () => Promise<unknown>): Promise<readonly number[]> => {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return times;
};

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;

const round = (value: number): number => Number(value.toFixed(1));
