import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pipelinedAppends } from '#src/eventlog/append/pipelined-append.ts';
import type { SerializedAppend } from '#src/eventlog/append/serialize-appends.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';

const appendTo = (stream: string): SerializedAppend => ({
  stream,
  expected: 1n,
  events: [],
  index: 0,
});

/** A line on a pool of so many connections; every append takes some milliseconds. `sent` counts them by stream. */
const lineOn = async (max: number) => {
  const opened = await logOnPostgres({ max });
  const sent: string[] = [];
  const inLine = pipelinedAppends(opened.pool, async (client, { stream }) => {
    const place = sent.push(stream);
    await client.query('SELECT pg_sleep(0.003)');
    return { outcome: 'conflict', version: BigInt(place), existingIds: [] };
  });
  return {
    pool: opened.pool,
    sent,
    /** Appends one behind the other, two at a time, until `isOver`. */
    busy: async (stream: string, isOver: () => boolean): Promise<void> => {
      let behind = inLine(appendTo(stream), null);
      while (!isOver()) {
        const next = inLine(appendTo(stream), null);
        await behind;
        behind = next;
      }
      await behind;
    },
    inLine,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
};

describe('a line of appends to one stream', () => {
  it('lets others have its connection now and then, though it is never idle', async () => {
    await using line = await lineOn(2);
    let isServed = false;
    const isOver = () => isServed || line.sent.length > 2_000;
    const lines = ['a', 'b'].map((stream) => line.busy(stream, isOver));
    await pause(20);
    await line.pool.query('SELECT 1');
    isServed = true;
    await Promise.all(lines);
    assert.ok(line.sent.length < 200, `${line.sent.length} appends went before`);
  });

  it('keeps the order of its appends when it changes its connection', async () => {
    await using line = await lineOn(1);
    const answers: bigint[] = [];
    let isOver = false;
    let served = 0;
    const others = async () => {
      for (; !isOver; served += 1) await line.pool.query('SELECT pg_sleep(0.001)');
    };
    const asking = others();
    const all: Promise<unknown>[] = [];
    for (let n = 0; n < 60; n += 1) {
      all.push(
        line.inLine(appendTo('s'), null).then((outcome) => {
          if (outcome.outcome === 'conflict') answers.push(outcome.version);
        }),
      );
      await pause(2);
    }
    await Promise.all(all);
    const servedMeanwhile = served;
    isOver = true;
    await asking;
    assert.ok(servedMeanwhile > 1, 'the connection changed hands');
    assert.deepEqual(
      answers,
      answers.map((_, at) => BigInt(at + 1)),
    );
  });
});
