import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type FailedRequest, failureCounter } from '#src/credits/failure-counter.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { booksOf, callOf, ledgerOn, manualClock, openBook } from '#test/support/credits.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

const account = 'acc_1';
const call = callOf(account);
const failed: FailedRequest = { operation: 'transcript', code: 'VIDEO_NOT_FOUND' };
const minuteMs = 60_000;

const opened = async (test: TestContext) => {
  test.mock.timers.enable({ apis: ['setTimeout'] });
  const { clock } = manualClock('2026-11-21T10:00:00Z');
  const log = memoryEventLog({ clock });
  await openBook(log, account, { clock });
  const { record } = ledgerOn(log, { clock });
  const counter = failureCounter(record);
  /** Requests that each event counts, in the order of the log. */
  const stored = async () =>
    (await booksOf(log, account))
      .flat()
      .flatMap(({ type, data }) => (type === 'OperationFailed' && 'code' in data ? (data.requests ?? 1) : []));
  /** A minute passes, and what it stores is stored. */
  const passMinute = async (): Promise<void> => {
    test.mock.timers.tick(minuteMs);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { counter, record, stored, passMinute };
};

describe('failed requests', () => {
  it('are stored as one event per minute: the first immediately, the others with their number', async (test) => {
    const { counter, stored, passMinute } = await opened(test);
    for (let n = 0; n < 5; n += 1) await counter.count(call, failed);
    assert.deepEqual(await stored(), [1]);
    await passMinute();
    assert.deepEqual(await stored(), [1, 4]);
    await counter.count(call, failed);
    assert.deepEqual(await stored(), [1, 4]);
    await passMinute();
    assert.deepEqual(await stored(), [1, 4, 1]);
    await passMinute();
    await counter.count(call, failed);
    assert.deepEqual(await stored(), [1, 4, 1, 1]);
  });

  it('of another key, operation or code have events of their own', async (test) => {
    const { counter, stored } = await opened(test);
    const other = callOf(account, { actor: { type: 'key', id: 'key_other' } });
    await counter.count(call, failed);
    await counter.count(other, failed);
    await counter.count(call, { ...failed, operation: 'raw' });
    await counter.count(call, { ...failed, code: 'VIDEO_UNAVAILABLE' });
    assert.deepEqual(await stored(), [1, 1, 1, 1]);
  });

  it('are all stored when the process stops', async (test) => {
    const { counter, stored } = await opened(test);
    for (let n = 0; n < 3; n += 1) await counter.count(call, failed);
    await counter[Symbol.asyncDispose]();
    assert.deepEqual(await stored(), [1, 2]);
  });

  it('are counted once if the log stored an event and its response was lost', async (test) => {
    const { record, stored, passMinute } = await opened(test);
    let isLost = true;
    const counter = failureCounter(async (context, ended) => {
      await record(context, ended);
      if (isLost) throw new Error('connection lost');
    });
    for (let n = 0; n < 3; n += 1) await counter.count(call, failed);
    isLost = false;
    await passMinute();
    assert.deepEqual(await stored(), [1]);
    await passMinute();
    assert.deepEqual(await stored(), [1, 2]);
  });

  it('of an account that does not exist are not retried', async (test) => {
    const { passMinute } = await opened(test);
    let tries = 0;
    const counter = failureCounter(async () => {
      tries += 1;
      throw new Refusal('NOT_FOUND', 'There is no such account.');
    });
    await counter.count(call, failed);
    await passMinute();
    await passMinute();
    assert.equal(tries, 1);
  });
});
