import assert from 'node:assert/strict';
import { mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Client } from 'pg';
import { archivesOf } from '#src/app/archives.ts';
import { version } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import type { PartProgress } from '#src/edges/cli/operator-interface.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { startSimulator } from '#test/simulator/main.ts';
import { silentLogger, startTestApp, type TestApp } from '#test/support/app.ts';
import { testDatabase, usedDatabase } from '#test/support/database.ts';
import { over } from '#test/support/job-watch.ts';
import { browser } from '#test/support/journey.ts';
import { plantedPassword } from '#test/support/leaks.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { jsonIn, type UsageJson } from '#test/support/response-json.ts';
import { operate } from '#test/support/run-operator.ts';

const email = 'owner@example.org';
const password = plantedPassword('owner');
const settings = {
  CAPTCHA_MIN_SOLVE_MS: '0',
  OUTBOUND_ALLOW: '127.0.0.0/8',
  // The second attempt of a delivery waits in the queue.
  WEBHOOK_SCHEDULE: '0s,5h',
};

const onDatabase = async <Result>(url: string, work: (client: Client) => Promise<Result>) => {
  const client = new Client({ connectionString: url });
  await client.connect();
  return await work(client).finally(() => client.end());
};

/** What a start and the auditor write, and what is folded when a decision asks for it. */
const ofAStart = /^(processes|worker_pools|schema_migrations|audit_state|es_(projection|subscription|snapshot))$/;

/** A digest of the rows of every table, read models and the queue among them. */
const digestsOf = (url: string): Promise<Readonly<Record<string, string>>> =>
  onDatabase(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`,
    );
    const digests: Record<string, string> = {};
    for (const { name } of rows) {
      if (ofAStart.test(name)) continue;
      const sum = await client.query<{ digest: string }>(
        `SELECT count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' ORDER BY t::text COLLATE "C"), '')) AS digest FROM "${name}" AS t`,
      );
      digests[name] = sum.rows[0]?.digest ?? '';
    }
    const queue = await client.query<{ key: string }>(
      'SELECT key FROM graphile_worker.jobs WHERE key IS NOT NULL ORDER BY key',
    );
    return { ...digests, queue: queue.rows.map(({ key }) => key).join(' ') };
  });

const rowsOf = (url: string, table: string): Promise<number> =>
  onDatabase(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
    return rows[0]?.count ?? 0;
  });

/** The same request under the same key, as a client sends it that lost the first answer. */
const batch = async (app: Pick<TestApp, 'post'>, key: string) => {
  const answer = await app.post(
    '/v1/transcripts',
    { ids: [generatedId('vid', 1), generatedId('vid', 2)] },
    { key, headers: { 'Idempotency-Key': 'a-batch' } },
  );
  return { isReplayed: answer.headers.get('idempotent-replayed'), text: await answer.text() };
};

const creditsOf = async (app: Pick<TestApp, 'get'>, key: string): Promise<number> =>
  (await jsonIn<UsageJson>(await app.get('/v1/usage', { key }))).credits_remaining;

/** An owner with a key, a webhook, charges, a job and a delivery that is tried again later. */
/** Reads a video and keeps it in the library of the account. */
const keep = async (app: TestApp, key: string): Promise<void> => {
  const read = await app.get(`/v1/transcripts/${generatedId('vid', 5)}?keep=true`, { key });
  assert.equal(read.status, 200, await read.text());
};

const kept = async (app: TestApp, key: string): Promise<number> => {
  const library = await app.get('/v1/library', { key });
  return ((await library.json()) as { videos: unknown[] }).videos.length;
};

const lived = async (app: TestApp, receiver: { readonly url: string }) => {
  const page = browser([app.url]);
  const body = { email, password, ...(await page.solved()) };
  await page.json(201, page.send('POST', '/api/auth/register', { body }));
  await page.json(200, page.send('POST', '/api/auth/login', { body: { email, password } }));
  const { key } = await page.json<{ key: { fullKey: string } }>(
    201,
    page.send('POST', '/api/account/keys', { body: { name: 'Schlüssel \u2028 "eins"' } }),
  );
  const webhook = { url: receiver.url };
  await page.json(201, page.send('POST', '/api/account/webhooks', { body: webhook }));
  const secret = key.fullKey;
  const answered = await batch(app, secret);
  await keep(app, secret);
  const job = await app.post('/v1/jobs', { ids: [generatedId('vid', 3), 'no video'] }, { key: secret });
  const { job_id: jobId } = (await job.json()) as { job_id: string };
  await over(app, secret, jobId);
  return { key: secret, answered, jobId };
};

describe('a backup', () => {
  it('brings the whole service back on a new database, or nothing of it', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'steno-backup-'));
    const file = join(folder.path, 'all.ndjson.zst');
    await using simulator = await startSimulator();
    await using receiver = await startReceiver(() => ({ status: 500 }));
    await using source = await usedDatabase();
    const before = await (async () => {
      await using app = await startTestApp({ database: source, simulator, environment: settings });
      const before = await lived(app, receiver);
      await receiver.count(1);
      // The failed attempt is stored, and its reaction has queued the next one.
      for (;;) {
        const waiting = await rowsOf(
          source.url,
          `graphile_worker.jobs WHERE task_identifier = 'deliver-webhook' AND run_at > now() + interval '1 h'`,
        );
        if (waiting > 0) break;
        await pause(20);
      }
      return { ...before, credits: await creditsOf(app, before.key), environment: app.environment };
    })();
    const verified = await operate(before.environment, 'verify', '--json');
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);

    const backup = await operate(before.environment, 'backup', file, '--json');
    assert.equal(backup.code, 0, backup.stderr);
    const held = JSON.parse(backup.stdout);
    assert.ok(held.events > 20 && held.rows > 5 && held.tasks > 0, backup.stdout);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.match(backup.stderr, /is not encrypted.*SECRET_KEY is not in it/);
    const second = await operate(before.environment, 'backup', file);
    assert.deepEqual([second.code, second.stderr.includes('already exists')], [1, true]);

    // What was changed or cut off is refused, and leaves nothing.
    await using fresh = await testDatabase();
    const environment = { ...before.environment, DATABASE_URL: fresh.url };
    const text = zstdDecompressSync(await readFile(file)).toString();
    const bytes = await readFile(file);
    const end = text.lastIndexOf('{"end"');
    const [firstLine = ''] = text.split('\n', 1);
    for (const [name, content, message] of [
      ['changed.ndjson', text.replace('"amount": 1,', '"amount": 2,'), /was changed/],
      ['short.ndjson', text.slice(0, end), /truncated/],
      ['line.ndjson', text.slice(0, end - 100), /cut off within a line/],
      ['fewer.ndjson', text.replace(/^\{"event".*\n/m, ''), /was changed/],
      ['cut.ndjson.zst', bytes.subarray(0, bytes.length >> 1), /cannot be decompressed: it is truncated or damaged/],
      ['other.txt', 'no archive\n', /not an archive of Steno/],
      [
        'huge.ndjson.zst',
        zstdCompressSync(Buffer.concat([Buffer.from(`${firstLine}\n`), Buffer.alloc(65 << 20)])),
        /line 2 is longer than 67108864 bytes/,
      ],
      ['empty', '', /empty/],
    ] as const) {
      const bad = join(folder.path, name);
      assert.notEqual(content, text, name);
      await writeFile(bad, content);
      const refused = await operate(environment, 'restore', bad);
      assert.equal(refused.code, 1, name);
      assert.match(refused.stderr, message, name);
      for (const table of ['es_event', 'es_stream', 'account_profiles', 'key_credentials']) {
        assert.equal(await rowsOf(fresh.url, table), 0, `${name}: ${table}`);
      }
    }
    const missing = await operate(environment, 'restore', join(folder.path, 'none'));
    assert.deepEqual([missing.code, /ENOENT: no such file/.test(missing.stderr)], [1, true]);
    const otherKey = { ...environment, SECRET_KEY: 'nV5xXr9tLy3MqS8uZc2OdK6iEg0HbF4v' };
    const foreign = await operate(otherKey, 'restore', file);
    assert.match(foreign.stderr, /^steno: SECRET_KEY is not the one that the backup was made with/);

    await using elsewhere = await testDatabase();
    const lost = { ...otherKey, DATABASE_URL: elsewhere.url };
    const adopted = await operate(lost, 'restore', file, '--lost-secret');
    assert.equal(adopted.code, 0, adopted.stderr);
    assert.match((await operate(lost, 'account', 'list')).stdout, /owner@example\.org/);

    const empty = await operate(environment, 'verify');
    assert.equal(empty.code, 0, empty.stderr);
    assert.equal(await rowsOf(fresh.url, 'verification'), 1);
    const restored = await operate(environment, 'restore', file, '--json');
    assert.equal(restored.code, 0, restored.stderr);
    assert.deepEqual(JSON.parse(restored.stdout), held);
    const reached: PartProgress[] = [];
    const lines = archivesOf(() => [loadConfig(environment), { logger: silentLogger }], version).write(
      { content: 'backup', until: null },
      { signal: new AbortController().signal, onProgress: (part) => reached.push(part) },
    );
    for await (const _ of lines);
    const total = held.events + held.rows + held.tasks;
    assert.deepEqual(reached.at(-1), { what: 'lines', done: total, total });
    assert.ok(reached.every((part) => part.total === total));
    assert.deepEqual(await digestsOf(fresh.url), await digestsOf(source.url));
    const proved = await operate(environment, 'verify', '--json');
    assert.equal(proved.code, 0, proved.stdout + proved.stderr);
    assert.equal(proved.stdout, verified.stdout);
    const again = await operate(environment, 'restore', file);
    assert.match(again.stderr, /^steno: the database is not empty \(es_event, account_profiles, /);

    await using app = await startTestApp({ database: fresh, simulator, environment: settings });
    assert.equal(await creditsOf(app, before.key), before.credits);
    assert.deepEqual(await batch(app, before.key), { ...before.answered, isReplayed: 'true' });
    assert.equal(await creditsOf(app, before.key), before.credits);
    const job = await app.get(`/v1/jobs/${before.jobId}/results`, { key: before.key });
    assert.equal(job.status, 200, await job.text());
    const page = browser([app.url]);
    await page.json(200, page.send('POST', '/api/auth/login', { body: { email, password } }));
    const { keys } = await page.json<{ keys: { name: string }[] }>(200, page.send('GET', '/api/account/keys'));
    assert.deepEqual(
      keys.map(({ name }) => name),
      ['Schlüssel \u2028 "eins"'],
    );
    const charged = await app.get(`/v1/transcripts/${generatedId('vid', 4)}`, { key: before.key });
    assert.equal(charged.status, 200, await charged.text());
    assert.equal(await creditsOf(app, before.key), before.credits - 1);
    // Another account begins a library beside the one that was restored.
    const other = await app.createAccount();
    await keep(app, other.key);
    assert.deepEqual([await kept(app, before.key), await kept(app, other.key)], [1, 1]);
    const beside = await operate(environment, 'restore', file);
    assert.match(beside.stderr, /^steno: process \d+ on \S+ runs on this database \(all\): stop it/);
  });

  it('contains every sequence: those of identity columns, and the positions of the log', async () => {
    await using database = await testDatabase();
    const sequences = await onDatabase(database.url, (client) =>
      client.query(`SELECT relname FROM pg_class AS c WHERE relkind = 'S'
        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = c.oid AND deptype = 'i')`),
    );
    assert.deepEqual(sequences.rows, [{ relname: 'es_position' }]);
  });
});

describe('the export of events', () => {
  it('stops at a position, and its import has the same events and books, without personal data', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'steno-events-'));
    const file = join(folder.path, 'events.ndjson');
    await using app = await startTestApp();
    const { key } = await app.createAccount({ credits: 10 });
    await (await app.get(`/v1/transcripts/${generatedId('vid', 1)}`, { key })).arrayBuffer();
    const { rows } = await app.core.pool.query<{ head: string }>('SELECT max(position)::text AS head FROM es_event');
    const until = rows[0]?.head ?? '';
    await (await app.get(`/v1/transcripts/${generatedId('vid', 2)}`, { key })).arrayBuffer();

    const wanted = ['events', 'export', '--until', until, '-o', file, '--json'];
    const exported = await operate(app.environment, ...wanted);
    assert.equal(exported.code, 0, exported.stderr);
    const held = JSON.parse(exported.stdout);
    assert.deepEqual([held.last_position, held.rows, held.tasks], [until, 0, 0]);
    const piped = await operate(app.environment, 'events', 'export', '--until', until);
    const lines = (content: string): readonly string[] => content.split('\n').slice(1, -2);
    assert.deepEqual(lines(piped.stdout), lines(await readFile(file, 'utf8')));

    await using fresh = await testDatabase();
    const environment = { ...app.environment, DATABASE_URL: fresh.url };
    const wrong = await operate(environment, 'restore', file);
    assert.match(wrong.stderr, /contains only events.*steno events import/);
    const imported = await operate(environment, 'events', 'import', file, '--json');
    assert.equal(imported.code, 0, imported.stderr);
    assert.deepEqual(JSON.parse(imported.stdout), held);
    const proved = await operate(environment, 'verify', '--json');
    assert.equal(proved.code, 0, proved.stdout + proved.stderr);
    assert.equal(await rowsOf(fresh.url, 'account_profiles'), 0);
    const bad = await operate(environment, 'events', 'export', '--until', 'soon');
    assert.equal(bad.code, 2);
  });
});
