import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openEmbeddedPostgres } from '#src/adapters/embedded-postgres.ts';
import { samples } from '#test/simulator/samples.ts';
import { errorIn, jsonIn, type UsageJson } from '#test/support/answers.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { chargesOf } from '#test/support/balances.ts';
import { operate } from '#test/support/operator.ts';
import { dataFolder, isAlive } from '#test/support/program.ts';

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

type Data = Awaited<ReturnType<typeof dataFolder>>;
type Postgres = Awaited<ReturnType<typeof openEmbeddedPostgres>>;

let data: Data;
let postgres: Postgres;
let app: TestApp;
let settings: Record<string, string>;

const open = () => openEmbeddedPostgres({ dataDir: data.folder, settings });

before(async () => {
  data = await dataFolder();
  settings = { port: String(await freePort()), fsync: 'off' };
  postgres = await open();
  app = await startTestApp({ database: postgres });
});
after(async () => {
  await app[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
  await data[Symbol.asyncDispose]();
});

/** Ends the server as `pg_ctl stop -m fast` (SIGINT) or `-m immediate` (SIGQUIT) do, and starts it on the same port. */
const restarted = async (signal: 'SIGINT' | 'SIGQUIT'): Promise<void> => {
  const pid = await data.postmasterPid();
  assert.ok(pid);
  process.kill(pid, signal);
  while (isAlive(pid)) await pause(10);
  await pause(300);
  const gone = postgres;
  postgres = await open();
  await gone[Symbol.asyncDispose]().catch(() => undefined);
};

type Seen = { readonly status: number; readonly event: string | null; readonly at: number };

/** Requests one after the other until it is stopped; every answer that is no success must be an honest 503. */
const callersOf = (key: string, paths: readonly string[]) => {
  let isOver = false;
  const seen: Seen[] = [];
  const surprises: unknown[] = [];
  const call = async (path: string): Promise<void> => {
    while (!isOver) {
      const answer = await app.get(path, { key });
      const event = answer.headers.get('X-Credits-Event');
      seen.push({ status: answer.status, event, at: performance.now() });
      if (answer.status === 200) await answer.arrayBuffer();
      else {
        const { code } = await errorIn(answer);
        const later = answer.headers.get('Retry-After');
        if (code !== 'SERVICE_UNAVAILABLE' || later === null) surprises.push([path, code, later]);
      }
      // Slow enough for the limit of the plan, which is not what is tested.
      await pause(20);
    }
  };
  const calling = Promise.all(paths.map(call));
  return {
    seen,
    stop: async (): Promise<readonly Seen[]> => {
      isOver = true;
      await calling;
      assert.deepEqual(surprises, []);
      return seen;
    },
  };
};

/** Sends one request under one key until it is answered, as a client is told to. */
const insisted = async (key: string, name: string): Promise<string | null> => {
  for (let left = 150; left > 0; left -= 1) {
    const answer = await app.get(`/v1/transcripts/${samples.regional}`, {
      key,
      headers: { 'Idempotency-Key': name },
    });
    await answer.arrayBuffer();
    if (answer.status === 200) return answer.headers.get('X-Credits-Event');
    if (![409, 503].includes(answer.status)) return `answered ${answer.status}`;
    await pause(100);
  }
  return 'never answered';
};

describe('Postgres that restarts under load', () => {
  for (const [how, signal] of [
    ['fast', 'SIGINT'],
    ['immediate', 'SIGQUIT'],
  ] as const) {
    it(`(${how}) is 503 with Retry-After, then served again within 5 s; no charge is lost or made twice`, async () => {
      const free = await app.createAccount({ plan: 'enterprise' });
      const insistent = await app.createAccount({ plan: 'enterprise' });
      const transcript = `/v1/transcripts/${samples.prose}`;
      const load = callersOf(free.key, [
        ...[transcript, transcript, transcript, transcript],
        ...['/v1/usage', '/v1/ledger?limit=3', `${transcript}/languages`],
      ]);
      while (load.seen.length < 40) await pause(10);
      const restart = restarted(signal);
      const operations = Promise.all(
        Array.from({ length: 12 }, (_, n) => insisted(insistent.key, `${how}-${n}`)),
      );
      const liveness = await app.get('/api/health');
      assert.equal(liveness.status, 200);
      await restart;
      const back = performance.now();
      const isServed = () => load.seen.some(({ status, at }) => status === 200 && at > back);
      while (!isServed()) {
        assert.ok(performance.now() - back < 5_000, 'it is not served again within 5 s');
        await pause(10);
      }
      const events = await operations;
      const seen = await load.stop();

      const refused = seen.filter(({ status }) => status === 503).length;
      assert.ok(refused > 0, 'the restart was felt');
      const charged = await chargesOf(postgres.url, free.accountId);
      const answered = seen.flatMap(({ event, status }) => (status === 200 ? (event ?? []) : []));
      const known = new Set(charged.map(({ eventId }) => eventId));
      const ofTranscripts = answered.filter((event) => known.has(event));
      assert.equal(
        new Set(answered).size,
        answered.length,
        'no answer names the charge of another',
      );
      assert.ok(charged.length - ofTranscripts.length <= refused);

      const kept = await chargesOf(postgres.url, insistent.accountId);
      assert.deepEqual(kept.map(({ eventId }) => eventId).sort(), [...events].sort());
      assert.equal(kept.length, 12);
      const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key: insistent.key }));
      assert.equal(usage.credits_used, 12);
      const { code, stdout } = await operate(app.environment, 'verify', '--json');
      assert.equal(code, 0, stdout);
    });
  }
});
