import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import {
  blockAppends,
  erasePersonalTextsIn,
  unblockAppends,
  withPersonalTexts,
} from '#src/adapters/postgres/personal-text-store.ts';
import type { NewEvent, RecordedEvent } from '#src/eventlog/event-log.ts';
import { personalTextFields } from '#src/events.ts';
import { newUuid } from '#src/kernel/ids.ts';
import { outcomeOf } from '#test/support/accounts.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';

type StoredEvent = Pick<RecordedEvent, 'stream' | 'type' | 'schemaVersion' | 'data'>;

let database: Awaited<ReturnType<typeof logOnPostgres>>;
const opened = () => {
  const { pool, log } = database;
  return withPersonalTexts(log, { pool, key: Buffer.alloc(32, 7), personalTextFields });
};

const registered = (accountId: string, url: string, actor: 'user' | 'key' = 'user'): NewEvent => ({
  id: newUuid(),
  type: 'WebhookRegistered',
  schemaVersion: 1,
  data: { accountId, webhookId: 'whk_1', url, description: null },
  meta: { occurred_at: '2026-11-21T10:00:00.000Z', actor: { type: actor, id: 'x' } },
});

const erase = async (accountId: string) => {
  await blockAppends(database.pool, accountId);
  await database.log.append(
    [
      {
        stream: `account-${accountId}`,
        expected: 0n,
        events: [{ ...registered(accountId, ''), type: 'AccountErased' }],
      },
    ],
    { within: (transaction) => erasePersonalTextsIn(transaction, accountId) },
  );
};

describe('the personal texts of an account', () => {
  before(async () => {
    database = await logOnPostgres();
  });
  after(() => database[Symbol.asyncDispose]());

  it('are stored beside the log, read with their stream, and shared by equal texts', async () => {
    const log = opened();
    const url = 'https://jo.example/hook';
    await log.append([{ stream: 'w-1', expected: 0n, events: [registered('acc_1', url)] }]);
    const outcomes = await log.appendLocked('w-1', 1n, (tail) => {
      assert.equal(tail[0]?.data['url'], url);
      return [{ stream: 'w-1', expected: 1n, events: [registered('acc_1', url)] }];
    });
    assert.equal(outcomes[0]?.outcome, 'appended');

    const shown = await log.read('w-1');
    assert.deepEqual(
      shown.map(({ data }) => data['url']),
      [url, url],
    );
    const kept = await database.log.read('w-1');
    const references = new Set(kept.map(({ data }) => data['url']));
    assert.equal(references.size, 1, 'a receiver can be told apart by its reference');
    assert.match(String([...references][0]), /^wrd_[0-9a-f]{32}$/);
    assert.doesNotMatch(
      JSON.stringify(kept, (_, value) => String(value)),
      /jo\.example/,
    );
  });

  it('are restored before a locked append reads its stream, whose own effects are stored too', async () => {
    const log = opened();
    const url = 'https://jo.example/own';
    await log.append([{ stream: 'w-9', expected: 0n, events: [registered('acc_9', url)] }]);
    const seen: unknown[] = [];
    const appending = log.appendLocked(
      'w-9',
      1n,
      (tail) => {
        assert.deepEqual(tail, []);
        return [{ stream: 'w-9', expected: 1n, events: [registered('acc_9', url)] }];
      },
      {
        reading: async (_, tail) => {
          seen.push(...tail.map(({ data }) => data['url']));
          return [];
        },
        within: async () => {
          throw new Error('the effect fails');
        },
      },
    );
    await assert.rejects(appending, /the effect fails/);
    assert.deepEqual(seen, [url]);
    assert.equal((await log.read('w-9')).length, 1);
  });

  it('have different references for each account, and may themselves look like one', async () => {
    const log = opened();
    const text = `wrd_${'a'.repeat(32)}`;
    for (const account of ['acc_2', 'acc_3']) {
      const events = [registered(account, text)];
      await log.append([{ stream: `w-${account}`, expected: 0n, events }]);
      assert.equal((await log.read(`w-${account}`))[0]?.data['url'], text);
    }
    const urls = await Promise.all(
      ['acc_2', 'acc_3'].map(async (id) => (await database.log.read(`w-${id}`))[0]?.data['url']),
    );
    assert.equal(new Set([text, ...urls]).size, 3);
  });

  it('are deleted with the account, which takes no new streams afterwards', async () => {
    const log = opened();
    const events = [registered('acc_4', 'https://jo.example/4')];
    await log.append([{ stream: 'w-4', expected: 0n, events }]);
    await erase('acc_4');
    assert.equal((await log.read('w-4'))[0]?.data['url'], '');
    for (const [actor, code] of [
      ['user', 'UNAUTHENTICATED'],
      ['key', 'INVALID_API_KEY'],
    ] as const) {
      const more = [registered('acc_4', 'https://jo.example/5', actor)];
      const late = [
        log.append([{ stream: 'w-5', expected: 0n, events: more }]),
        log.appendLocked('w-4', 1n, () => [{ stream: 'w-4', expected: 1n, events: more }]),
      ];
      assert.deepEqual(await Promise.all(late.map(outcomeOf)), [code, code]);
    }
    const { rows } = await database.pool.query(`SELECT text FROM account_words WHERE account_id = 'acc_4'`);
    assert.deepEqual(rows, []);
    assert.equal(await log.versionOf('w-5'), 0n);
  });

  it('are accepted again if an erasure has failed, but not if it is complete', async () => {
    const log = opened();
    await database.pool.query(
      `INSERT INTO account_profiles
         (account_id, user_id, mailbox_hash, email, password_hash, registered_at)
       VALUES ('acc_7', 'u', 'm', 'e', 'p', now())`,
    );
    const add = (stream: string) =>
      outcomeOf(log.append([{ stream, expected: 0n, events: [registered('acc_7', 'x')] }]));
    await blockAppends(database.pool, 'acc_7');
    assert.equal(await add('w-71'), 'UNAUTHENTICATED');
    await unblockAppends(database.pool, 'acc_7');
    assert.equal(await add('w-72'), 'done');
    await erase('acc_7');
    await database.pool.query(`DELETE FROM account_profiles WHERE account_id = 'acc_7'`);
    await unblockAppends(database.pool, 'acc_7');
    assert.equal(await add('w-73'), 'UNAUTHENTICATED');
  });

  it('are read from events that hold the text itself', async () => {
    const stored = ['keys', 'webhooks', 'deliveries', 'jobs'].flatMap((chapter) =>
      readFileSync(new URL(`../../replay/${chapter}.ndjson`, import.meta.url), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as StoredEvent),
    );
    const meta = { occurred_at: '2026-11-21T10:00:00.000Z' };
    for (const [stream, own] of Map.groupBy(stored, (one) => one.stream)) {
      const events = own.map(({ stream: _, ...event }) => ({ ...event, id: newUuid(), meta }));
      await database.log.append([{ stream, expected: 0n, events }]);
      assert.deepEqual(
        (await opened().read(stream)).map(({ data }) => data),
        own.map(({ data }) => data),
      );
    }
  });
});
