import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { postgresIdempotency } from '#src/adapters/postgres/idempotency-store-postgres.ts';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { systemClock } from '#src/kernel/clock.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { onlyKey } from '#test/support/keys.ts';
import { formsOf } from '#test/support/leaks.ts';

const answer = {
  status: 200,
  headers: { 'Content-Type': 'text/plain', 'X-Credits-Event': 'evt_1' },
  body: Buffer.from([0, 255, 10, 65]),
};

let database: TestDatabase;
let pool: Pool;
let names = 0;
const scopeOfTest = () => {
  names += 1;
  return { accountId: 'acc_1', route: 'POST /v1/transcripts', key: `key-${names}` };
};
const open = (answerKeys = onlyKey(1), by = pool, keptBytesPerAccount = 1_000_000) =>
  postgresIdempotency({
    pool: by,
    answerKeys,
    clock: systemClock,
    keptBytesPerAccount,
    onFailure: (error) => {
      throw error;
    },
  });
const begun = async (store: ReturnType<typeof open>, scope: ReturnType<typeof scopeOfTest>) => {
  const outcome = await store.begin(scope, 'same');
  assert.equal(outcome.outcome, 'begun');
  return outcome.outcome === 'begun' ? outcome.deduplicationKey : '';
};
const age = (sql: string, key: string) => pool.query(`UPDATE idempotency_keys SET ${sql} WHERE key = $1`, [key]);

describe('idempotency keys in Postgres', () => {
  before(async () => {
    database = await testDatabase();
    pool = postgresPool({ url: database.url, applicationName: 'test' });
  });
  after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });

  it('replay the stored answer byte for byte', async () => {
    await using store = open();
    const scope = scopeOfTest();
    const deduplicationKey = await begun(store, scope);
    await store.complete(scope, deduplicationKey, answer);
    assert.deepEqual(await store.begin(scope, 'same'), { outcome: 'answered', answer });
  });

  it('are bound to no request after an attempt that changed nothing', async () => {
    await using store = open();
    const scope = scopeOfTest();
    await store.forget(scope, await begun(store, scope));
    assert.equal((await store.begin(scope, 'other')).outcome, 'begun');
  });

  it('store a bounded number of bytes for an account and day, and repeat the work beyond it', async () => {
    await using store = open(onlyKey(1), pool, 2 * answer.body.length);
    const outcomes: string[] = [];
    for (const accountId of ['acc_1', 'acc_1', 'acc_1', 'acc_2']) {
      const scope = { ...scopeOfTest(), accountId };
      const deduplicationKey = await begun(store, scope);
      await store.complete(scope, deduplicationKey, answer);
      const again = await store.begin(scope, 'same');
      outcomes.push(again.outcome);
      if (again.outcome === 'begun') {
        assert.deepEqual([again.deduplicationKey, again.wasAnswered], [deduplicationKey, true]);
      }
    }
    assert.deepEqual(outcomes, ['answered', 'answered', 'begun', 'answered']);
  });

  it('store answers encrypted and bound to their row', async () => {
    await using store = open();
    const [scope, elsewhere] = [scopeOfTest(), scopeOfTest()];
    const secret = { ...answer, body: Buffer.from('whsec_CANARY') };
    await store.complete(scope, await begun(store, scope), secret);
    const kept = await pool.query('SELECT row_to_json(k)::text AS row FROM idempotency_keys AS k');
    const text = kept.rows.map(({ row }) => row).join();
    for (const form of formsOf('whsec_CANARY')) assert.ok(!text.includes(form), form);

    await store.complete(elsewhere, await begun(store, elsewhere), answer);
    const copied = `body = (SELECT body FROM idempotency_keys WHERE key = '${scope.key}')`;
    await age(copied, elsewhere.key);
    assert.equal((await store.begin(elsewhere, 'same')).outcome, 'begun');
  });

  it('start again under the same deduplication key if the answer was encrypted with another secret', async () => {
    await using before = open();
    await using after = open(onlyKey(2));
    const scope = scopeOfTest();
    const deduplicationKey = await begun(before, scope);
    await before.complete(scope, deduplicationKey, answer);
    assert.equal(await begun(after, scope), deduplicationKey);
    await after.complete(scope, deduplicationKey, answer);
    assert.deepEqual(await after.begin(scope, 'same'), { outcome: 'answered', answer });
  });

  it('let one of many concurrent requests start, across processes', async () => {
    await using one = open();
    await using other = open();
    const scope = scopeOfTest();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : other).begin(scope, 'same')),
    );
    const counted = Map.groupBy(outcomes, ({ outcome }) => outcome);
    assert.equal(counted.get('begun')?.length, 1);
    assert.equal(counted.get('in_progress')?.length, 19);
  });

  it('refuse another request under the same key, whether answered or not', async () => {
    await using store = open();
    const scope = scopeOfTest();
    const deduplicationKey = await begun(store, scope);
    assert.deepEqual(await store.begin(scope, 'other'), { outcome: 'reused' });
    await store.complete(scope, deduplicationKey, answer);
    assert.deepEqual(await store.begin(scope, 'other'), { outcome: 'reused' });
  });

  it('are separate for each account and route', async () => {
    await using store = open();
    const scope = scopeOfTest();
    const keys = new Set([
      await begun(store, scope),
      await begun(store, { ...scope, accountId: 'acc_2' }),
      await begun(store, { ...scope, route: 'POST /v1/jobs' }),
    ]);
    assert.equal(keys.size, 3);
  });

  it('start again under the same deduplication key after a release', async () => {
    await using store = open();
    const scope = scopeOfTest();
    const deduplicationKey = await begun(store, scope);
    await store.release(scope, deduplicationKey);
    assert.equal(await begun(store, scope), deduplicationKey);
  });

  it('are bound to no request after a first attempt that was refused, and to their own after a later one', async () => {
    await using store = open();
    const scope = scopeOfTest();
    await store.forget(scope, await begun(store, scope));
    assert.equal((await store.begin(scope, 'another')).outcome, 'begun');
    const again = scopeOfTest();
    const deduplicationKey = await begun(store, again);
    await store.release(again, deduplicationKey);
    await store.forget(again, await begun(store, again));
    assert.equal((await store.begin(again, 'another')).outcome, 'reused');
    assert.equal(await begun(store, again), deduplicationKey);
  });

  it('record until they expire that a response was sent and not kept, whatever later attempts return', async () => {
    await using store = open();
    const scope = scopeOfTest();
    const deduplicationKey = await begun(store, scope);
    await store.release(scope, deduplicationKey);
    const known = async () => {
      const outcome = await store.begin(scope, 'same');
      return outcome.outcome === 'begun' && outcome.wasAnswered;
    };
    assert.equal(await known(), false);
    await store.complete(scope, deduplicationKey, null);
    assert.equal(await known(), true);
    await store.release(scope, deduplicationKey);
    assert.equal(await known(), true);
    await store.release(scope, deduplicationKey);
    await age('expires_at = now()', scope.key);
    assert.equal(await known(), false);
  });

  it('start again under the same deduplication key after their process died', async () => {
    await using dead = open();
    await using alive = open();
    const scope = scopeOfTest();
    const deduplicationKey = await begun(dead, scope);
    const waiting = await alive.begin(scope, 'same');
    assert.equal(waiting.outcome, 'in_progress');
    assert.ok(waiting.outcome === 'in_progress' && waiting.retryAfterS <= 5);

    await age("leased_until = now() - interval '1 ms'", scope.key);
    assert.equal(await begun(alive, scope), deduplicationKey);

    await dead.release(scope, deduplicationKey);
    assert.equal((await dead.begin(scope, 'same')).outcome, 'in_progress');
  });

  it('start again if an answer could not be stored, however busy their process is', async () => {
    const query = (text: string, values: unknown[]) =>
      text.includes('SET status = $5') ? Promise.reject(new Error('the connection broke')) : pool.query(text, values);
    await using store = open(undefined, Object.assign(Object.create(pool), { query }));
    const [lost, busy] = [scopeOfTest(), scopeOfTest()];
    const deduplicationKey = await begun(store, lost);
    await begun(store, busy);
    await assert.rejects(store.complete(lost, deduplicationKey, answer), /the connection broke/);
    await age("leased_until = now() - interval '1 s'", lost.key);
    await age("leased_until = now() - interval '1 s'", busy.key);
    const isLeased = async (key: string) =>
      (await pool.query('SELECT FROM idempotency_keys WHERE key = $1 AND leased_until > now()', [key])).rowCount === 1;
    while (!(await isLeased(busy.key))) await pause(100);
    assert.equal(await isLeased(lost.key), false);
    await using another = open();
    assert.equal(await begun(another, lost), deduplicationKey);
  });

  it('keep the first answer if a process that was considered dead answers later', async () => {
    await using slow = open();
    await using quick = open();
    const scope = scopeOfTest();
    const deduplicationKey = await begun(slow, scope);
    await age('leased_until = now()', scope.key);
    await begun(quick, scope);
    await quick.complete(scope, deduplicationKey, answer);
    await slow.complete(scope, deduplicationKey, { ...answer, body: Buffer.from('late') });
    assert.deepEqual(await slow.begin(scope, 'same'), { outcome: 'answered', answer });
  });

  it('expire after a day, and then start a new operation', async () => {
    await using store = open();
    const scope = scopeOfTest();
    const deduplicationKey = await begun(store, scope);
    await store.complete(scope, deduplicationKey, answer);
    await age('expires_at = now()', scope.key);
    assert.notEqual(await begun(store, scope), deduplicationKey);
  });

  it('are deleted when they have expired, and no others', async () => {
    await using store = open();
    const [old, present] = [scopeOfTest(), scopeOfTest()];
    await begun(store, old);
    await begun(store, present);
    await age('expires_at = now()', old.key);
    assert.ok((await store.sweep()) >= 1);
    const { rows } = await pool.query('SELECT key FROM idempotency_keys WHERE key = ANY($1)', [[old.key, present.key]]);
    assert.deepEqual(rows, [{ key: present.key }]);
  });
});
