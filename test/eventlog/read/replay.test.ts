import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { FoldedEvent } from '#src/eventlog/event-rows.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import type { ReplayOptions } from '#src/eventlog/read/replay.ts';
import { event, logOnPostgres } from '#test/support/eventlog.ts';

type TestLog = Awaited<ReturnType<typeof logOnPostgres>>;

/** Appends them in this order, in streams of their own. */
const written = async ({ log }: TestLog, events: readonly ReturnType<typeof event>[]) => {
  for (const [n, one] of events.entries()) {
    await log.append([{ stream: `s-${n}`, expected: 'any', events: [one] }]);
  }
  return (await log.readAll({ after: 0n, limit: 10_000 })).events;
};

const replayed = async (log: TestLog['log'], options: ReplayOptions) => {
  const events: FoldedEvent[] = [];
  for await (const batch of log.replayFolded(options)) events.push(...batch);
  return events;
};

describe('a replay', () => {
  it('yields the wanted events once and in order, for every page size', async () => {
    await using opened = await logOnPostgres();
    // Dense, rare and absent: pages that are full, that hold few events, and that hold none.
    const isWanted = (n: number) => n < 40 || n % 31 === 0 || n >= 180;
    const all = await written(
      opened,
      Array.from({ length: 220 }, (_, n) => event(`e${n}`, { n }, isWanted(n) ? 'Wanted' : 'Other')),
    );
    const positions = all.map(({ position }) => position);
    const property = fc.asyncProperty(
      fc.nat(219),
      fc.nat(219),
      fc.integer({ min: 1, max: 60 }),
      fc.boolean(),
      async (one, other, pageSize, ofFields) => {
        const after = (positions[Math.min(one, other)] ?? 0n) - 1n;
        const upTo = positions[Math.max(one, other)] ?? 0n;
        const got = await replayed(opened.log, {
          after,
          upTo,
          types: ['Wanted'],
          pageSize,
          fields: ofFields ? { n: 'integer' } : undefined,
        });
        const expected = all.filter(({ type, position }) => type === 'Wanted' && position > after && position <= upTo);
        assert.deepEqual(
          got,
          expected.map(({ type, data, position }) => ({ type, data, position })),
        );
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('reads any text unchanged, and distinguishes an empty text from a missing one', async () => {
    await using opened = await logOnPostgres();
    const texts = ['', '\n', '\u001f', '\u001f,', '\u001f-', ',', '\\N', 'null', '"', 'a\u001fb', '𝄞'];
    const data = [
      ...texts.map((name) => ({ name, amount: 1 })),
      { name: null, amount: null },
      { amount: -2 },
      { name: 'last' },
    ];
    await written(
      opened,
      data.map((one, n) => event(`e${n}`, one)),
    );
    const all = { after: 0n, upTo: 1_000n, types: ['Noted'] };
    const whole = await replayed(opened.log, all);
    assert.deepEqual(
      whole.map((one) => one.data),
      data,
    );
    const fields = await replayed(opened.log, { ...all, fields: { name: 'text', amount: 'integer' } });
    assert.deepEqual(
      fields.map((one) => one.data),
      data.map((one) => ({ name: null, amount: null, ...one })),
    );
  });

  it('fails when a page cannot be read, instead of ending there', async () => {
    await using opened = await logOnPostgres();
    await written(
      opened,
      Array.from({ length: 50 }, (_, n) => event(`e${n}`)),
    );
    let queries = 0;
    const failing = new Proxy(opened.pool, {
      get: (pool, name) => {
        if (name !== 'query') return Reflect.get(pool, name);
        return (...args: Parameters<typeof pool.query>) => {
          queries += 1;
          return queries === 3 ? Promise.reject(new Error('no page')) : pool.query(...args);
        };
      },
    });
    const log = postgresEventLog({ pool: failing });
    const options = { after: 0n, upTo: 50n, types: ['Noted'], pageSize: 5 };
    await assert.rejects(replayed(log, options), /no page/);
  });
});
