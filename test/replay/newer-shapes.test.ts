import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { appendOf } from '#src/accounts/append-events.ts';
import { genesisHash, verifyChain } from '#src/eventlog/hash-chain.ts';
import type { Upcasters } from '#src/eventlog/upcasting.ts';
import { catalogue } from '#src/events.ts';
import { type ItemsQueued, streamOf } from '#src/jobs/item-group.ts';
import type { JobCreated } from '#src/jobs/job.ts';
import { appendStarted } from '#src/jobs/job-streams.ts';
import { manageKeys } from '#src/keys/manage-keys.ts';
import { endWebhooks } from '#src/webhooks/end-webhooks.ts';
import { booksOf, callOf, ledgerOn, manualClock, openBook, transcriptCharge } from '#test/support/credits.ts';
import { idOf } from '#test/support/eventlog.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

/*
 * No event has a further version yet. Here every type has: what is declared in one place (`upcasters`) is what writers
 * store, and the log takes nothing else.
 */

const upcasters: Upcasters = Object.fromEntries(Object.keys(catalogue).map((type) => [type, { 1: (data) => data }]));
const call = callOf('acc_1');

const opened = () => {
  const standing = manualClock('2026-11-21T10:00:00Z');
  const { clock } = standing;
  const log = memoryEventLog({ clock, upcasters });
  const stored = async (stream: string) =>
    (await log.read(stream)).map(({ type, schemaVersion }) => [type, schemaVersion]);
  return { ...standing, log, stored };
};

/** The data of the first event of this type among the streams that are kept. */
const dataOf = <Data>(chapter: string, type: string): Data => {
  const lines = readFileSync(new URL(`${chapter}.ndjson`, import.meta.url), 'utf8').split('\n');
  const line = lines.find((one) => one.includes(`"type":"${type}"`));
  assert(line !== undefined);
  return JSON.parse(line).data;
};

describe('a type of event with a newer version is written in that version', () => {
  it('by the ledger, whose hashes cover the version', async () => {
    const { log, clock, moveTo } = opened();
    await openBook(log, 'acc_1', { plan: 'starter', clock, upcasters });
    const ledger = ledgerOn(log, { clock, upcasters });
    await ledger.charge(call, [transcriptCharge(3)]);
    moveTo('2026-12-21T00:00:00Z');
    await ledger.rollPeriod(call);
    let at = { hash: genesisHash, version: 0n };
    for (const book of await booksOf(log, 'acc_1')) {
      const { fault, hash } = verifyChain(book, at);
      assert.equal(fault, null);
      at = { hash, version: 0n };
      assert.ok(book.every(({ schemaVersion }) => schemaVersion === 2));
    }
  });

  it('by accounts', async () => {
    const { log, stored } = opened();
    const ended = { type: 'SessionEnded', data: { accountId: 'acc_1', at: '' } } as const;
    await log.append([appendOf('session-1', 0n, ended, { id: idOf('ended'), cause: call })]);
    assert.deepEqual(await stored('session-1'), [['SessionEnded', 2]]);
  });

  it('by keys', async () => {
    const { log, clock, stored } = opened();
    const keys = manageKeys({
      log: { ...log, append: (appends) => log.append(appends) },
      credentials: { forget: () => {} } as Parameters<typeof manageKeys>[0]['credentials'],
      clock,
      maxKeys: 1,
    });
    const wanted = { name: 'first', scopes: [], capCredits: null, expiresAt: null };
    const { keyId } = await keys.create(call, wanted);
    assert.deepEqual(await stored(`key-${keyId}`), [['KeyCreated', 2]]);
  });

  it('by jobs', async () => {
    const { log, clock, stored } = opened();
    const job: JobCreated = { type: 'JobCreated', data: dataOf('jobs', 'JobCreated') };
    const queued: ItemsQueued = { type: 'ItemsQueued', data: dataOf('items', 'ItemsQueued') };
    const started = { job: [job], groups: [queued] };
    await appendStarted({ log, clock }, call, { jobId: 'job_1', version: 0n }, started);
    assert.deepEqual(await stored('job-job_1'), [['JobCreated', 2]]);
    assert.deepEqual(await stored(streamOf('job_1', queued.data.group)), [['ItemsQueued', 2]]);
  });

  it('by webhooks when they end', async () => {
    const { log, clock, stored } = opened();
    const data = dataOf<object>('webhooks', 'WebhookRegistered');
    const registered = { type: 'WebhookRegistered', data: { ...data, accountId: 'acc_1' } };
    const meta = { occurred_at: clock().toISOString() };
    const event = { id: idOf('registered'), schemaVersion: 2, ...registered, meta };
    await log.append([{ stream: 'webhooks-acc_1', expected: 0n, events: [event] }]);
    const appends = await endWebhooks({ log })('acc_1', clock(), {});
    await log.append(appends);
    assert.deepEqual(await stored('webhooks-acc_1'), [
      ['WebhookRegistered', 2],
      ['WebhookRemoved', 2],
    ]);
  });
});
