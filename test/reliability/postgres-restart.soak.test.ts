import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { Client } from 'pg';
import { findOsUser, provideBinaries } from '#src/adapters/embedded-postgres/binaries.ts';
import { startPostmaster } from '#src/adapters/embedded-postgres/cluster.ts';
import { openEmbeddedPostgres } from '#src/adapters/embedded-postgres/embedded-postgres.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { samples } from '#test/simulator/samples.ts';
import { silentLogger, startTestApp, type TestApp } from '#test/support/app.ts';
import { chargesOf } from '#test/support/balances.ts';
import { over } from '#test/support/job-watch.ts';
import { type OwnPostgres, startOwnPostgres } from '#test/support/own-postgres.ts';
import { dataFolder } from '#test/support/program.ts';
import { until } from '#test/support/queue.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { errorIn, jsonIn, type UsageJson } from '#test/support/response-json.ts';
import { operate } from '#test/support/run-operator.ts';

let postgres: OwnPostgres;
let app: TestApp;
const errors: string[] = [];
const logger = { ...silentLogger, error: (message: string) => void errors.push(message) };

/** Restarts a server that runs. */
const restarted = async (signal: 'SIGINT' | 'SIGQUIT', meanwhile?: () => Promise<unknown>): Promise<void> => {
  assert.ok(await postgres.isRunning());
  await postgres.restart(signal, meanwhile);
};

/** What the superuser of the server is answered, on a connection of its own. */
const asked = async <Row extends object>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> => {
  const client = new Client({ connectionString: postgres.url });
  client.on('error', () => undefined);
  await client.connect();
  const answer = client.query<Row>(sql, [...values]);
  return (await answer.finally(() => client.end().catch(() => undefined))).rows;
};

/**
 * The disk is full for a while: no file of the server grows beyond 8 MB, half a segment of its log, which Postgres
 * takes for a full disk, also where an ordinary user runs it. It ends when it cannot write its log, and again as it recovers.
 */
const filledUp = async (isFelt: () => Promise<void>): Promise<void> => {
  const { folder, dataFolder: parent, settings } = postgres;
  const user = await findOsUser();
  const binaries = await provideBinaries(user, parent, () => undefined);
  const limited = join(parent, 'postgres-without-space');
  const script = `#!/bin/sh\nulimit -f 16384\nexec '${binaries.postgres}' "$@"\n`;
  await writeFile(limited, script, { mode: 0o755 });
  const cluster = { folder, user, binaries: { ...binaries, postgres: limited }, settings };
  await asked('SELECT pg_switch_wal()');
  await restarted('SIGINT', async () => assert.equal(await startPostmaster(cluster), 'ready'));
  await assert.rejects(async () => {
    for (let left = 16; left > 0; left -= 1) {
      await asked(`SELECT pg_logical_emit_message(true, 'filling', repeat('x', 1000000))`);
    }
  });
  await isFelt();
  const said = await readFile(join(folder, 'postgres.log'), 'utf8');
  assert.match(said, /PANIC: +could not write to log file.*File too large/);
  await postgres.restart('SIGQUIT');
};

type Outcome = { readonly status: number; readonly event: string | null; readonly at: number };

/** Requests one after the other until it is stopped; every answer that is no success must be an honest 503. */
const callersOf = (key: string, paths: readonly string[]) => {
  let isOver = false;
  const seen: Outcome[] = [];
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
      await pause(80);
    }
  };
  const calling = Promise.all(paths.map(call));
  return {
    seen,
    [Symbol.dispose]: () => {
      isOver = true;
    },
    stop: async (): Promise<readonly Outcome[]> => {
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
    const answer = await app.get(`/v1/transcripts/${samples.regional}`, { key, headers: { 'Idempotency-Key': name } });
    await answer.arrayBuffer();
    if (answer.status === 200) return answer.headers.get('X-Credits-Event');
    if (![409, 503].includes(answer.status)) return `answered ${answer.status}`;
    await pause(100);
  }
  return 'never answered';
};

const itemsOfJob = 24;

/** A job that goes on for some seconds, over videos that no other one has read. */
const longJob = async (key: string, webhook_url: string, turn: number): Promise<string> => {
  app.simulator.plan({ endpoint: 'reel', times: itemsOfJob, does: { kind: 'delay', ms: 700 } });
  const ids = Array.from({ length: itemsOfJob }, (_, n) => generatedId('vid', turn * itemsOfJob + n));
  const made = await app.post('/v1/jobs', { ids, webhook_url }, { key });
  assert.equal(made.status, 202, await made.clone().text());
  return ((await made.json()) as { job_id: string }).job_id;
};

/** The items of a job that were charged, as often as they were. */
const chargedItems = async (jobId: string): Promise<readonly unknown[]> => {
  const rows = await asked<{ item: string }>(
    `SELECT data ->> 'itemId' AS item FROM es_event
     WHERE type = 'ReservationSettled' AND data ->> 'jobId' = $1`,
    [jobId],
  );
  return rows.map(({ item }) => item);
};

/** What sessions of the program listen to. */
const heard = async (): Promise<readonly string[]> => {
  const rows = await asked<{ query: string }>(
    `SELECT query FROM pg_stat_activity WHERE query ILIKE 'LISTEN %' ORDER BY query`,
  );
  return rows.map(({ query }) => query);
};

/** What `steno verify` says. A database that is slow to take connections is asked again (exit code 9). */
const verified = async (environment: Readonly<Record<string, string>>) => {
  for (let tries = 5; ; tries -= 1) {
    const told = await operate(environment, 'verify', '--json');
    if (told.code !== 9 || tries === 1) return told;
  }
};

type Fault = (isFelt: () => Promise<void>) => Promise<void>;

describe('Postgres that restarts', () => {
  before(async () => {
    postgres = await startOwnPostgres();
    const environment = { OUTBOUND_ALLOW: '127.0.0.0/8' };
    app = await startTestApp({ database: postgres, logger, environment });
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
  });

  describe('Postgres under load', () => {
    const faults = [
      ['that restarts fast', () => restarted('SIGINT')],
      ['that restarts at once', () => restarted('SIGQUIT')],
      ['whose disk is full for a while', filledUp],
    ] as const satisfies readonly [string, Fault][];
    for (const [turn, [how, fault]] of faults.entries()) {
      it(`${how} is 503 with Retry-After, then served again within 5 s; no charge is lost or made twice, a job goes on`, async () => {
        await using receiver = await startReceiver();
        const busy = await app.createAccount({ credits: itemsOfJob });
        const listening = await heard();
        assert.ok(listening.length > 1);
        const free = await app.createAccount({ plan: 'enterprise' });
        const insistent = await app.createAccount({ plan: 'enterprise' });
        const transcript = `/v1/transcripts/${samples.prose}`;
        using load = callersOf(free.key, [
          ...[transcript, transcript, transcript, transcript],
          ...['/v1/usage', '/v1/ledger?limit=3', `${transcript}/languages`],
        ]);
        while (load.seen.length < 40) await pause(10);
        const jobId = await longJob(busy.key, receiver.url, turn);
        while ((await chargedItems(jobId)).length === 0) await pause(20);
        const isFelt = async () => {
          const since = load.seen.length;
          while (!load.seen.slice(since).some(({ status }) => status === 503)) await pause(10);
        };
        const restart = fault(isFelt);
        const operations = Promise.all(Array.from({ length: 12 }, (_, n) => insisted(insistent.key, `operation-${n}`)));
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
        assert.ok(refused > 0, 'the fault was felt');
        const charged = await chargesOf(postgres.url, free.accountId);
        const answered = seen.flatMap(({ event, status }) => (status === 200 ? (event ?? []) : []));
        const known = new Set(charged.map(({ eventId }) => eventId));
        const ofTranscripts = answered.filter((event) => known.has(event));
        assert.equal(new Set(answered).size, answered.length, 'no answer names the charge of another');
        assert.ok(charged.length - ofTranscripts.length <= refused);

        const kept = await chargesOf(postgres.url, insistent.accountId);
        assert.deepEqual(kept.map(({ eventId }) => eventId).sort(), [...events].sort());
        assert.equal(kept.length, 12);
        const usage = await jsonIn<UsageJson>(await app.get('/v1/usage', { key: insistent.key }));
        assert.equal(usage.credits_used, 12);
        const job = await over(app, busy.key, jobId);
        assert.deepEqual([job.status, job.completed_items], ['completed', itemsOfJob]);
        const items = await chargedItems(jobId);
        assert.deepEqual([items.length, new Set(items).size], [itemsOfJob, itemsOfJob]);
        await receiver.count(1);
        assert.equal(new Set(receiver.received.map(({ json }) => json.id)).size, 1);
        // Each session that was lost is opened again after a wait of its own.
        await until(async () => isDeepStrictEqual(await heard(), listening));
        assert.deepEqual(await heard(), listening);
        const { code, stdout } = await verified(app.environment);
        assert.equal(code, 0, stdout);
      });
    }
  });

  describe('Postgres that comes back without its last commits', () => {
    const answered = async (on: TestApp, key: string) => {
      for (let left = 100; left > 0; left -= 1) {
        const answer = await on.get(`/v1/transcripts/${samples.prose}`, { key });
        await answer.arrayBuffer();
        const event = answer.headers.get('X-Credits-Event');
        if (answer.status === 200 && event !== null) return event;
        await pause(100);
      }
      throw new Error('no answer was charged');
    };

    it('is not appended to: the process names the lost event, and refuses work until it is restarted', async () => {
      const { accountId, key } = await app.createAccount({ plan: 'pro' });
      const kept = await answered(app, key);
      const [now, before] = ['data', 'data.before'].map((name) => join(postgres.folder, name));
      assert.ok(now && before);
      await restarted('SIGINT', () => promisify(execFile)('cp', ['-a', now, before]));
      const lost = [await answered(app, key), await answered(app, key)];
      await restarted('SIGINT', async () => {
        await rename(now, `${now}.later`);
        await rename(before, now);
      });

      const isLost = async () => {
        const ready = await app.get('/api/health/ready');
        const { checks } = (await ready.json()) as { checks: { event_store: string } };
        return checks.event_store === 'failed' && errors.length > 0;
      };
      const refused = new Set<string>();
      for (let left = 200; left > 0 && !(await isLost()); left -= 1) {
        const answer = await app.get(`/v1/transcripts/${samples.prose}`, { key });
        refused.add(answer.status === 200 ? 'served' : (await errorIn(answer)).code);
      }
      refused.add((await errorIn(await app.get(`/v1/transcripts/${samples.prose}`, { key }))).code);
      assert.deepEqual([...refused], ['SERVICE_UNAVAILABLE']);
      const [message = ''] = errors.filter((error) => error.startsWith('the log has lost its end'));
      const [, lostEvent = ''] = /event (\S+) at position \d+ was acknowledged and is not there/.exec(message) ?? [];
      assert.equal(lostEvent, lost.at(-1));
      assert.match(message, /restart every process to go on without what was lost/);
      const left = await chargesOf(postgres.url, accountId);
      assert.deepEqual(
        left.map(({ eventId }) => eventId),
        [kept],
      );

      await app[Symbol.asyncDispose]();
      await using next = await startTestApp({ database: postgres });
      const event = await answered(next, key);
      assert.ok(!lost.includes(event));
      const { code, stdout } = await verified(next.environment);
      assert.equal(code, 0, stdout);
    });
  });

  describe('a copy of the data folder', () => {
    it('is a complete installation: the same entries, hashes, bills and read models, proved by rebuilding them', async () => {
      const create = ['account', 'create', '--email', 'copied@example.com', '--json'];
      const made = await operate(app.environment, ...create, '--password', 'a long passphrase');
      const { account_id: account } = JSON.parse(made.stdout);
      await operate(app.environment, 'grant', '--account', account, '--credits', '7');
      const told = async (url: string) => {
        const environment = { ...app.environment, DATABASE_URL: url };
        const period = ['--from', '2026-01-01', '--to', '2100-01-01'];
        const answers = [
          await operate(environment, 'ledger', 'export', '--account', account),
          await operate(environment, 'replay', '--account', account, ...period),
          await verified(environment),
        ];
        return answers.map(({ code, stdout }) => [code, stdout]);
      };
      const before = await told(postgres.url);
      assert.equal(JSON.parse(before[2]?.[1]?.toString() ?? '').ok, true);

      await using copied = await dataFolder();
      const { folder } = postgres;
      const copy = () => promisify(execFile)('cp', ['-a', folder, join(copied.folder, 'postgres')]);
      await restarted('SIGINT', copy);
      const dataDir = copied.folder;
      await using other = await openEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
      assert.deepEqual(await told(other.url), before);
      const environment = { ...app.environment, DATABASE_URL: other.url };
      const rebuild = ['projections', 'rebuild', '--side-by-side', '--json'];
      const { code, stdout } = await operate(environment, ...rebuild);
      const differences = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).differences);
      assert.deepEqual([code, new Set(differences)], [0, new Set([0])]);
    });
  });
});
