import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemCall } from '#src/app/open-core.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { captionsOf } from '#test/support/library.ts';
import { errorIn, jsonIn } from '#test/support/response-json.ts';

const newest = { limit: 10, before: null, requestId: null };

/** Holds a table, so that its queries last until it is released. */
const held = async ({ core: { pool } }: TestApp, table: 'usage' | 'library_versions') => {
  const client = await pool.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  let isHeld = true;
  const release = async () => {
    if (!isHeld) return;
    isHeld = false;
    await client.query('ROLLBACK');
    client.release();
  };
  /** Queries that wait for the table. */
  const waiting = async (): Promise<number> => {
    const { rows } = await client.query<{ count: number }>(
      'SELECT count(*)::int FROM pg_locks WHERE NOT granted AND relation = to_regclass($1)',
      [table],
    );
    return rows[0]?.count ?? 0;
  };
  return { release, waiting, [Symbol.asyncDispose]: release };
};

describe('lists, reports and searches whose duration grows with an account', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp();
  });
  after(() => app[Symbol.asyncDispose]());

  it('leave connections for the queries of others, and are refused to one account beyond two hundred at once', async () => {
    const [large, other] = [await app.createAccount({ plan: 'pro' }), await app.createAccount({ plan: 'pro' })];
    const { queries, commands } = app.core;
    const { webhook } = await commands.registerWebhook(systemCall(large.accountId), {
      url: 'https://93.184.215.14/hooks',
      kinds: ['job.completed'],
      description: null,
    });
    const { statements } = await jsonIn<{ statements: { period: string }[] }>(await app.get('/v1/statements', large));
    for (const { key } of [large, other]) await jsonIn(await app.get('/v1/usage', { key }));
    const asOf = new Date().toISOString();

    await using usage = await held(app, 'usage');
    const waiting = Array.from({ length: 201 }, () => app.get('/v1/usage', large));
    const refused = await Promise.race(waiting);
    assert.deepEqual([refused.status, refused.headers.get('Retry-After')], [429, '5']);
    const { code, details } = await errorIn(refused);
    assert.deepEqual([code, details], ['RATE_LIMITED', { policy: 'account_reads', limit: 200 }]);

    const long = [
      ...[`/v1/usage?as_of=${asOf}`, `/v1/ledger?as_of=${asOf}`, '/v1/ledger?cost_tag=team', '/v1/jobs'],
      ...[`/v1/statements/${statements[0]?.period}`],
    ];
    for (const path of long) assert.equal((await app.get(path, large)).status, 429, path);
    const { accountId } = large;
    const byCredits = { by: 'credits', isDescending: true } as const;
    for (const read of [
      () => queries.ledger(accountId, { ...newest, order: byCredits }),
      () => queries.ledger(accountId, { ...newest, kind: 'transcript' }),
      () => queries.accountUsage(accountId, 30),
      () => queries.webhookDeliveries(accountId, webhook.webhookId, newest),
      () => queries.jobDeliveries(accountId, 'job_1', newest),
      () => commands.recoverDeliveries(systemCall(accountId), { webhookId: webhook.webhookId, since: asOf }),
    ])
      await assert.rejects(read, { code: 'RATE_LIMITED' });

    for (const path of ['/v1/ledger', '/v1/ledger?request_id=req_1', '/v1/statements'])
      assert.equal((await app.get(path, large)).status, 200, path);
    for (const path of [
      '/v1/ledger',
      `/v1/ledger?as_of=${asOf}`,
      '/v1/jobs',
      `/v1/statements/${statements[0]?.period}`,
    ])
      assert.equal((await app.get(path, other)).status, 200, path);

    await usage.release();
    const answers = await Promise.all(waiting);
    assert.equal(answers.filter(({ status }) => status === 200).length, 200);
    assert.equal((await app.get('/v1/jobs', large)).status, 200);
  });

  it('leave connections for charges, where an account searches its library with a filter', async () => {
    const [large, other] = [await app.createAccount({ plan: 'pro' }), await app.createAccount({ plan: 'pro' })];
    const { commands } = app.core;
    const call = systemCall(large.accountId);
    await commands.keepCaptions(call, captionsOf('searched001', ['The lens of the lighthouse.']));
    const filter = { language: 'en', channel: null, from: null, to: null };
    const search = () => commands.browseLibrary(call, { query: 'lens', limit: 1, filter });
    assert.equal((await search()).length, 1);

    await using versions = await held(app, 'library_versions');
    const searches = Promise.all(Array.from({ length: 60 }, search));
    while ((await versions.waiting()) === 0);
    for (let charges = 0; charges < 5; charges += 1)
      assert.equal((await app.get(`/v1/transcripts/${samples.prose}`, other)).status, 200);
    assert.equal(await versions.waiting(), 1);
    await versions.release();
    assert.ok((await searches).every((hits) => hits.length === 1));
  });
});
