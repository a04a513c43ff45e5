import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { transcriptFormats } from '#src/contract/formats.ts';
import { startSimulator } from '#test/simulator/main.ts';
import { samples } from '#test/simulator/samples.ts';
import { type Client as Caller, clientOf, startTestApp, testSecret } from '#test/support/app.ts';
import { usedDatabase } from '#test/support/database.ts';
import { startProgram } from '#test/support/program.ts';
import { type EntryJson, jsonIn, type UsageJson } from '#test/support/response-json.ts';
import { operate } from '#test/support/run-operator.ts';

/** Ids, hashes and moments differ between any two runs; what they look like does not. */
const timeless = (text: string): string =>
  text
    .replace(/\b(acc|key|req)_[0-9a-f]{32}/g, '$1_')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'uuid')
    .replace(/\b[0-9a-f]{64}\b/g, 'hash')
    .replace(/T\d\d:\d\d:\d\d\.\d{3}Z/g, 'T…Z');

/** What one program says on the same day to the same questions. */
const told = async (caller: Caller, key: string): Promise<string[]> => {
  const paths = [
    ...transcriptFormats.map((format) => `/v1/transcripts/${samples.manyLanguages}?format=${format}&timestamps=true`),
    `/v1/transcripts/${samples.upcoming}`,
    `/v1/transcripts/${samples.manyLanguages}/raw`,
    '/v1/usage?days=3',
    '/v1/ledger?limit=100',
  ];
  const texts: string[] = [];
  for (const path of paths) texts.push(timeless(await (await caller.get(path, { key })).text()));
  return texts;
};

describe('a time zone far from UTC, of the machine and of the database', () => {
  it('changes no answer, no day of usage and no billing period', async () => {
    await using simulator = await startSimulator();
    await using here = await startTestApp({ simulator });
    await using database = await usedDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const name = new URL(database.url).pathname.slice(1);
    await client.query(`ALTER DATABASE ${name} SET timezone = 'Pacific/Kiritimati'`);
    await client.end();
    const environment = { DATABASE_URL: database.url, SECRET_KEY: testSecret, PLATFORM_ORIGIN: simulator.origin };
    await using program = startProgram([], { ...environment, TZ: 'Pacific/Kiritimati' });
    const there = clientOf(await program.ready);
    const created = await operate(
      environment,
      ...['account', 'create', '--email', 'far@example.com', '--password', 'a long passphrase'],
      '--json',
    );
    const { api_key: farKey } = JSON.parse(created.stdout);
    const { key } = await here.createAccount();

    let [near, far] = await Promise.all([told(here, key), told(there, farKey)]);
    const day = new Date().toISOString().slice(0, 10);
    if (near.at(-2) !== far.at(-2)) {
      // Midnight fell between the two: usage of both is of the same day now.
      [near, far] = await Promise.all([told(here, key), told(there, farKey)]);
    }
    assert.deepEqual(far, near);
    const usage = await jsonIn<UsageJson>(await there.get('/v1/usage?days=1', { key: farKey }));
    assert.ok((usage.daily[0]?.day ?? '') >= day);
    const { entries } = await jsonIn<{ entries: EntryJson[] }>(
      await there.get('/v1/ledger?limit=100', { key: farKey }),
    );
    const opened = entries.find(({ type }) => type === 'BookOpened');
    assert.match(String(opened?.data['closesAt']), /^\d{4}-\d\d-\d\dT00:00:00\.000Z$/);
  });
});
