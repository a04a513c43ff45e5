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

/** A writer whose state is the texts so far, on a log of which every append is counted. */
const counted = (fault?: LogUnavailableError) => {
  const log = memoryEventLog();
  const counts = { appends: 0 };
  const writer = decisionBatcher<readonly string[], Noted>({
    log: {
      ...log,
      appendLocked: async (...args) => {
        counts.appends += 1;
        if (fault !== undefined) throw fault;
        return await log.appendLocked(...args);
      },
    },
    initialState: () => [],
    evolve: (texts, { data }) => [...texts, data.text],
    idOf: (stream, _, version) => idOf(`${stream} ${version}`),
  });
  return { log, counts, writer };
};

/** Answers with how many texts there are after this one. */
const note = (writer: DecisionBatcher<readonly string[], Noted>, text: string): Promise<number> =>
  writer.run('notes', {
    decide: () => [{ type: 'Noted', data: { text } }],
    answer: (texts) => texts.length,
    meta,
  });

describe('decisions on one stream in one group', () => {
  it('succeed although the log cannot store the events of two others', async () => {
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
    assert.equal(counts.appends, 1 + texts.length);
  });

  it('are all rejected without a retry when the log is unavailable', async () => {
    const away = new LogUnavailableError('appending', null);
    const { counts, writer } = counted(away);
    const settled = await Promise.allSettled(['a', 'b', 'c'].map((text) => note(writer, text)));
    assert.deepEqual(
      settled.map((one) => one.status === 'rejected' && one.reason),
      [away, away, away],
    );
    assert.equal(counts.appends, 1);
  });
});
