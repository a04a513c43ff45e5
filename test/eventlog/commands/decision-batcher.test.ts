import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Event } from '@event-driven-io/emmett';
import { InvalidAppendError } from '#src/eventlog/append/serialize-appends.ts';
import { type DecisionBatcher, decisionBatcher } from '#src/eventlog/commands/decision-batcher.ts';
import { LogUnavailableError } from '#src/eventlog/unavailable-error.ts';
import { idOf } from '#test/support/eventlog.ts';
import { memoryEventLog } from '#test/support/memory-event-log.ts';

type Noted = Event<'Noted', { text: string }>;

const meta = { occurred_at: '2026-11-21T10:00:00.000Z' };

/** A writer whose state is the texts so far, on a log of which appends without and with its lock are counted. */
const counted = (
  fault?: LogUnavailableError,
  more: { readonly copy?: (texts: readonly string[]) => string[] } = {},
) => {
  const log = memoryEventLog();
  const counts = { appends: 0, locks: 0, read: 0 };
  const writer = decisionBatcher<readonly string[], Noted>({
    log: {
      ...log,
      append: async (appends) => {
        counts.appends += 1;
        return await log.append(appends);
      },
      appendLocked: async (...args) => {
        counts.locks += 1;
        if (fault !== undefined) throw fault;
        const [stream, from, decide, options] = args;
        const counting: typeof decide = (tail) => {
          counts.read += tail.length;
          // As after a deadlock: what is decided first is not stored.
          decide(tail);
          return decide(tail);
        };
        return await log.appendLocked(stream, from, counting, options);
      },
    },
    ...more,
    initialState: () => [],
    evolve: (texts, { data }) => [...texts, data.text],
    idOf: (stream, _, version) => idOf(`${stream} ${version}`),
  });
  return { log, counts, writer };
};

/** Answers with how many texts there are after this one. */
const note = (writer: DecisionBatcher<readonly string[], Noted>, text: string): Promise<number> =>
  writer.run('notes', { decide: () => [{ type: 'Noted', data: { text } }], answer: (texts) => texts.length, meta });

describe('decisions on one stream in one group', () => {
  it('succeed although the log cannot store the events of two of them', async () => {
    const { log, counts, writer } = counted();
    const texts = Array.from({ length: 32 }, (_, n) => (n === 7 ? 'no\0' : n === 20 ? 'nor \ud800' : `text ${n}`));
    const settled = await Promise.allSettled(texts.map((text) => note(writer, text)));
    const refused = settled.flatMap((one, n) => (one.status === 'rejected' ? [n] : []));
    assert.deepEqual(refused, [7, 20]);
    for (const n of refused) {
      const one = settled[n];
      assert.ok(one?.status === 'rejected' && one.reason instanceof InvalidAppendError);
    }
    const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    assert.deepEqual(
      answers,
      answers.map((_, at) => at + 1),
    );
    const stored = (await log.read<Noted>('notes')).map(({ data }) => data.text);
    assert.deepEqual(
      stored,
      texts.filter((_, n) => !refused.includes(n)),
    );
    // One of them all, then one of each.
    assert.equal(counts.locks, 1 + texts.length);
  });

  it('take no lock while no other process writes to the stream, and read only what another has written', async () => {
    const { log, counts, writer } = counted(undefined, { copy: (texts) => [...texts] });
    assert.deepEqual(await Promise.all([note(writer, 'a'), note(writer, 'b')]), [1, 2]);
    assert.equal(await note(writer, 'c'), 3);
    assert.deepEqual(counts, { appends: 1, locks: 1, read: 0 });

    const by = { id: idOf('by another'), type: 'Noted', schemaVersion: 1, data: { text: 'd' }, meta };
    await log.append([{ stream: 'notes', expected: 3n, events: [by] }]);
    assert.equal(await note(writer, 'e'), 5);
    assert.deepEqual(counts, { appends: 2, locks: 2, read: 1 });

    assert.equal(await note(writer, 'f'), 6);
    assert.deepEqual(counts, { appends: 2, locks: 3, read: 1 });
    assert.equal((await log.read('notes')).length, 6);
  });

  it('that lead to no event are made on the newest state', async () => {
    const { log, writer } = counted(undefined, { copy: (texts) => [...texts] });
    await note(writer, 'a');
    const by = { id: idOf('by another'), type: 'Noted', schemaVersion: 1, data: { text: 'b' }, meta };
    await log.append([{ stream: 'notes', expected: 1n, events: [by] }]);
    const seen = await writer.run('notes', { decide: () => [], answer: (texts) => texts, meta });
    assert.deepEqual(seen, ['a', 'b']);
  });

  it('keep no state with events that the log cannot store', async () => {
    const { log, writer } = counted(undefined, { copy: (texts) => [...texts] });
    await note(writer, 'a');
    await assert.rejects(note(writer, 'no\0'), InvalidAppendError);
    assert.equal(await note(writer, 'b'), 2);
    assert.equal((await log.read('notes')).length, 2);
  });

  it('are all rejected without a retry when the log is unavailable', async () => {
    const away = new LogUnavailableError('appending', null);
    const { counts, writer } = counted(away);
    const settled = await Promise.allSettled(['a', 'b', 'c'].map((text) => note(writer, text)));
    assert.deepEqual(
      settled.map((one) => one.status === 'rejected' && one.reason),
      [away, away, away],
    );
    assert.equal(counts.locks, 1);
  });
});
