import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventLog } from '#src/eventlog/event-log.ts';
import { LogUnavailableError } from '#src/eventlog/unavailable-error.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { callOf, ledgerOn, manualClock, openBook, transcriptCharge } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const account = 'acc_1';
const day = 86_400_000;

/** A log whose parts a test replaces, as the ledger of one process sees it. */
const behind = (log: EventLog, replaced: (log: EventLog) => Partial<EventLog>): EventLog => ({
  ...log,
  ...replaced(log),
});

const opened = async (plan: 'free' | 'starter' | 'enterprise' = 'starter') => {
  const standing = manualClock('2026-01-10T09:00:00Z');
  const log = memoryEventLog({ clock: standing.clock });
  await openBook(log, account, { plan, clock: standing.clock });
  return { ...standing, log };
};

const call = (deduplicationKey: string) => callOf(account, { deduplicationKey });

const isRefusedForCredits = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'INSUFFICIENT_CREDITS';

describe('commands of one account that are decided together', () => {
  it('never spend credits that expired while they were reserved', async () => {
    const { log, clock, moveBy } = await opened();
    const ledger = ledgerOn(log, { clock });
    await ledger.charge(call('all of the plan'), [transcriptCharge(1_000)]);
    const expiresAt = new Date(clock().getTime() + day).toISOString();
    await ledger.grant(call('grant'), { reference: 'gift', amount: 100, expiresAt });
    const job = { reservationId: 'rsv_1', jobId: 'job_1' };
    await ledger.reserve(call('job'), { ...job, amount: 100 });
    moveBy(2 * day);

    const released = ledger.release(call('job'), { ...job, itemId: null, amount: null, why: 'job_ended' });
    const charged = ledger.charge(call('late'), [transcriptCharge(50)]);

    await assert.rejects(charged, isRefusedForCredits);
    await released;
    assert.equal((await ledger.balance(call('look'), { fresh: true })).remaining, 0);
  });

  it('are charged although more batches wait than fit into one append', async () => {
    const { log, clock } = await opened('enterprise');
    const ledger = ledgerOn(log, { clock });
    const videos = Array.from({ length: 50 }, (_, video) => transcriptCharge(1, `video ${video}`));

    const posted = await Promise.all(
      Array.from({ length: 250 }, (_, batch) => ledger.charge(call(`batch ${batch}`), videos)),
    );

    assert.ok(posted.every(({ credits }) => credits === 50));
  });

  it('do not fail because the log cannot store one of them', async () => {
    const { log, clock } = await opened();
    const ledger = ledgerOn(log, { clock });
    for (const requestId of ['req\0', 'req\ud800']) {
      const bad = ledger.charge(callOf(account, { deduplicationKey: requestId, requestId }), [
        transcriptCharge(1),
        transcriptCharge(2, 'another'),
      ]);
      const good = ledger.charge(call(`good beside ${requestId.length}`), [transcriptCharge(1)]);

      await assert.rejects(bad, TypeError);
      await good;
    }
    assert.equal((await ledger.balance(call('look'), { fresh: true })).remaining, 999);
  });

  it('are answered as charged although the state that refuses another cannot be read', async () => {
    const { log, clock } = await opened();
    const broken = behind(log, () => ({ readById: () => Promise.reject(new LogUnavailableError('reading', null)) }));
    const ledger = ledgerOn(broken, { clock });
    const refused = ledger.charge(call('too much'), [transcriptCharge(2_000)]);
    const charged = ledger.charge(call('enough'), [transcriptCharge(1)]);

    await assert.rejects(refused, LogUnavailableError);
    assert.equal((await charged).credits, 1);
  });
});

describe('the command handler of a ledger', () => {
  it('finds out whether an append was stored, however long its connection took to break', async () => {
    const { log, clock } = await opened();
    let isBroken = true;
    const slow = behind(log, (real) => ({
      append: async (appends) => {
        const outcomes = await real.append(appends);
        if (!isBroken) return outcomes;
        isBroken = false;
        await new Promise((resolve) => setTimeout(resolve, 620));
        throw new LogUnavailableError('appending', null);
      },
    }));
    const ledger = ledgerOn(slow, { clock, timeoutMs: 600 });

    const posted = await ledger.charge(call('once'), [transcriptCharge(7)]);

    assert.deepEqual([posted.credits, posted.isRepeat], [7, true]);
    assert.equal((await ledger.balance(call('look'), { fresh: true })).remaining, 993);
  });

  it('refuses what is not covered while another process writes without a pause', async () => {
    const { log, clock } = await opened();
    const other = ledgerOn(log, { clock });
    let writes = 0;
    const busy = behind(log, (real) => ({
      versionOf: async (stream) => {
        writes += 1;
        const failed = { operation: 'transcript', code: 'VIDEO_NOT_FOUND' } as const;
        await other.record(call(`failure ${writes}`), failed);
        return await real.versionOf(stream);
      },
    }));
    const ledger = ledgerOn(busy, { clock, timeoutMs: 200 });

    await assert.rejects(ledger.charge(call('too much'), [transcriptCharge(2_000)]), isRefusedForCredits);
  });

  it('keeps snapshots of a later book as of the previous one', async () => {
    const { log, clock } = await opened();
    const kept: { stream: string; version: bigint }[] = [];
    const watched = behind(log, (real) => ({
      saveSnapshot: async (stream, foldVersion, snapshot) => {
        kept.push({ stream, version: snapshot.version });
        await real.saveSnapshot(stream, foldVersion, snapshot);
      },
    }));
    const ledger = ledgerOn(watched, { clock, maxEvents: 100 });

    for (let i = 0; i < 160; i += 1) {
      await ledger.charge(call(`charge ${i}`), [transcriptCharge(1)]);
    }

    const later = kept.filter(({ stream }) => stream.endsWith('.0002'));
    assert.ok(later.length >= 2, `${later.length} snapshots of the second book`);
  });
});
