import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AbandonedWorkStore, abandonedWork } from '#src/credits/abandoned-work.ts';
import { admitWork } from '#src/credits/admit-work.ts';
import type { Call } from '#src/kernel/call.ts';
import { semaphore } from '#src/kernel/semaphore.ts';
import { callOf, manualClock } from '#test/support/credits.ts';

const memoryStore = (): AbandonedWorkStore => {
  const counters = new Map<string, number>();
  return {
    add: async (names, credits) => {
      for (const name of names) counters.set(name, (counters.get(name) ?? 0) + credits);
    },
    read: async (names) => names.map((name) => counters.get(name) ?? 0),
  };
};

const opened = (atOnce: Parameters<typeof semaphore>[0] = { total: 9 }) => {
  const { clock, moveBy } = manualClock('2026-01-10T23:58:30Z');
  const limits = { creditsPerMinute: 10, creditsPerDay: 25 };
  const abandoned = abandonedWork({ store: memoryStore(), clock, limits });
  return { abandoned, moveBy, admit: admitWork({ places: semaphore(atOnce), abandoned }) };
};

const left = (given: Partial<Call> = {}) => callOf('acc_1', { ...given, signal: AbortSignal.abort(new Error('left')) });

/** Work that is begun for so many credits and then sees that its caller has left. */
const begunAndLeft = async (
  { admit }: ReturnType<typeof opened>,
  credits: number,
  call: Call = left(),
): Promise<void> => {
  await assert.rejects(
    admit(call, async (begun) => {
      begun('one', credits);
      call.signal.throwIfAborted();
    }),
    { message: 'left' },
  );
};

const isAdmitted = ({ admit }: ReturnType<typeof opened>, call: Call = callOf('acc_1')) =>
  admit(call, async () => 'admitted');

describe('abandoned work', () => {
  it('is refused with the time to wait once there is too much of it in a minute', async () => {
    const parts = opened();
    await begunAndLeft(parts, 5);
    assert.equal(await isAdmitted(parts), 'admitted');
    await begunAndLeft(parts, 5);
    const limit = 10;
    const reset = Date.parse('2026-01-10T23:59:00Z') / 1_000;
    await assert.rejects(isAdmitted(parts), {
      code: 'RATE_LIMITED',
      retryAfterS: 30,
      details: { policy: 'abandoned', limit, reset },
    });
    parts.moveBy(30_000);
    assert.equal(await isAdmitted(parts), 'admitted');
  });

  it('is refused until the next day once there is too much of it in a day', async () => {
    const parts = opened();
    await begunAndLeft(parts, 25);
    await assert.rejects(isAdmitted(parts), { code: 'RATE_LIMITED', retryAfterS: 90 });
    parts.moveBy(90_000);
    assert.equal(await isAdmitted(parts), 'admitted');
  });

  it('counts for its account alone, and for visitors by their network', async () => {
    const parts = opened();
    await begunAndLeft(parts, 10, left({ network: '192.0.2.7' }));
    assert.equal(await isAdmitted(parts), 'admitted');
    const other = callOf('vis_2', { network: '192.0.2.7' });
    await assert.rejects(isAdmitted(parts, other), { code: 'RATE_LIMITED' });
  });

  it('counts each part of the work once, at its highest price', async () => {
    const parts = opened();
    const call = left();
    const work = parts.admit(call, async (begun) => {
      for (const credits of [1, 5, 1]) begun('one', credits);
      begun('other', 4);
      call.signal.throwIfAborted();
    });
    await assert.rejects(work, { message: 'left' });
    assert.equal(await isAdmitted(parts), 'admitted');
    await begunAndLeft(parts, 1);
    await assert.rejects(isAdmitted(parts), { code: 'RATE_LIMITED' });
  });

  it('is not work that had not begun, that failed, or whose time was up', async () => {
    const parts = opened();
    const isLate = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
    await begunAndLeft(parts, 0);
    for (const signal of [new AbortController().signal, isLate]) {
      const work = parts.admit(callOf('acc_1', { signal }), async (begun) => {
        begun('one', 99);
        throw new Error('failed');
      });
      await assert.rejects(work, { message: 'failed' });
    }
    assert.equal(await isAdmitted(parts), 'admitted');
  });
});

describe('concurrent work', () => {
  it('is refused above the limit of a caller and above the total limit, before it begins', async () => {
    const parts = opened({ total: 3, perKey: 2 });
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const begin = (accountId: string) => parts.admit(callOf(accountId), () => end);
    const isFull = { code: 'SERVICE_UNAVAILABLE', retryAfterS: 2 };
    const running = [begin('acc_1'), begin('acc_1')];
    await assert.rejects(begin('acc_1'), isFull);
    running.push(begin('acc_2'));
    await assert.rejects(begin('acc_3'), isFull);
    resolve();
    await Promise.all(running);
    assert.equal(await isAdmitted(parts), 'admitted');
  });
});
