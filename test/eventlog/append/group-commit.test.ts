import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupCommit } from '#src/eventlog/append/group-commit.ts';
import type { SerializedAppend } from '#src/eventlog/append/serialize-appends.ts';
import type { AppendOutcome } from '#src/eventlog/event-log.ts';
import { event, logOnPostgres } from '#test/support/eventlog.ts';

const append = (stream: string): readonly SerializedAppend[] => [
  { stream, expected: 1n, events: [{ id: stream, type: 'Noted', schemaVersion: 1, data: '{}', meta: '{}' }] },
];

const appended: AppendOutcome = { outcome: 'appended', version: 2n, firstPosition: 1n, lastPosition: 1n };
const conflict: AppendOutcome = { outcome: 'conflict', version: 9n, existingIds: [] };
/** Of an append that would have been stored without the others of its group. */
const notAtFault: AppendOutcome = { outcome: 'conflict', version: 1n, existingIds: [] };

/** A store whose transactions end when the test resolves them. */
const heldStore = () => {
  const groups: { readonly streams: string[]; readonly end: PromiseWithResolvers<void> }[] = [];
  const store = async (appends: readonly SerializedAppend[]) => {
    const end = Promise.withResolvers<void>();
    groups.push({ streams: appends.map(({ stream }) => stream), end });
    await end.promise;
    const isRefused = appends.some(({ stream }) => stream === 'refused');
    const others = isRefused ? notAtFault : appended;
    return appends.map(({ stream }) => (stream === 'refused' ? conflict : others));
  };
  return { store, groups, streams: () => groups.map(({ streams }) => streams) };
};

/** Longer than any wait of these tests, also on a busy machine. */
const maxWaitMs = 60_000;

type Store = Parameters<typeof groupCommit>[0]['together'];

const oneTransaction = (store: Store) => ({ together: store, alone: store, isFaultOfOne: () => false });

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Appends one event to each stream; every wave is one turn of the event loop. */
const inWaves = async (commit: ReturnType<typeof groupCommit>, ...waves: readonly string[][]) => {
  const answers: ReturnType<typeof commit>[] = [];
  for (const wave of waves) {
    answers.push(...wave.map((stream) => commit(append(stream))));
    await turn();
  }
  return answers;
};

describe('group commit', () => {
  it('commits the appends of one event loop turn together', async () => {
    const { store, groups, streams } = heldStore();
    const commit = groupCommit({ ...oneTransaction(store), maxWaitMs });
    const waves = [['b', 'a'], ['b'], ['d', 'c', 'é', 'z'], ['f', 'e']];
    const answers = await inWaves(commit, ...waves);
    assert.deepEqual(streams(), [['b', 'a'], ['b']]);
    groups[0]?.end.resolve();
    await turn();
    assert.deepEqual(streams(), [['b', 'a'], ['b'], ['d', 'c', 'é', 'z', 'f', 'e']]);
    for (const { end } of groups) end.resolve();
    for (const answer of answers) assert.deepEqual(await answer, [appended]);
  });

  it('splits many appends between two idle transactions', async () => {
    const { store, groups, streams } = heldStore();
    const commit = groupCommit({ ...oneTransaction(store), maxWaitMs });
    const names = Array.from({ length: 17 }, (_, n) => `s${String(n).padStart(2, '0')}`);
    const answers = await inWaves(commit, names);
    assert.deepEqual(streams(), [names.slice(0, 9), names.slice(9)]);
    for (const { end } of groups) end.resolve();
    assert.equal((await Promise.all(answers)).length, 17);
  });

  it('gives each caller the outcomes of its own streams, in the order of its call', async () => {
    const outcomeOf = (stream: string): AppendOutcome => ({ ...appended, version: BigInt(stream) });
    const store = async (appends: readonly SerializedAppend[]) => appends.map(({ stream }) => outcomeOf(stream));
    const commit = groupCommit({ ...oneTransaction(store), maxWaitMs });
    const calls = [['9'], ['5', '3'], ['7'], ['1', '8', '2']];
    const answers = calls.map((streams) => commit(streams.flatMap(append)));
    for (const [call, streams] of calls.entries()) {
      assert.deepEqual(await answers[call], streams.map(outcomeOf));
    }
  });

  it('sends an append of a hundred events beside the groups in flight', async () => {
    const { store, groups, streams } = heldStore();
    const commit = groupCommit({ ...oneTransaction(store), maxWaitMs });
    const small = await inWaves(commit, ['a'], ['b']);
    const [one] = append('hot');
    assert.ok(one);
    const large = commit([{ ...one, events: one.events.flatMap((e) => Array(100).fill(e)) }]);
    assert.deepEqual(streams(), [['a'], ['b'], ['hot']]);
    for (const { end } of groups) end.resolve();
    for (const answer of [...small, large]) assert.deepEqual(await answer, [appended]);
  });

  it('puts two appends to one stream into successive transactions', async () => {
    const { store, groups, streams } = heldStore();
    const commit = groupCommit({ ...oneTransaction(store), maxWaitMs });
    const answers = await inWaves(commit, ['a'], ['b'], ['c', 'c', 'd']);
    groups[0]?.end.resolve();
    await turn();
    assert.deepEqual(streams()[2], ['c', 'd']);
    groups[1]?.end.resolve();
    await turn();
    assert.deepEqual(streams()[3], ['c']);
    for (const { end } of groups) end.resolve();
    await Promise.all(answers);
  });

  it('gives a conflict only to the caller whose append conflicts, and commits the others together', async () => {
    const { store, groups, streams } = heldStore();
    const commit = groupCommit({ ...oneTransaction(store), maxWaitMs });
    const answers = await inWaves(commit, ['a'], ['b'], ['c', 'refused', 'd']);
    for (let at = 0; at < 6; at += 1) {
      groups[at]?.end.resolve();
      await turn();
      await turn();
    }
    const outcomes = (await Promise.all(answers)).map(([first]) => first?.outcome);
    assert.deepEqual(outcomes, ['appended', 'appended', 'appended', 'conflict', 'appended']);
    assert.deepEqual(streams().at(-1), ['c', 'd']);
  });

  it('opens one more transaction when those in flight do not end', async () => {
    const { store, groups, streams } = heldStore();
    const commit = groupCommit(oneTransaction(store));
    const stuck = await inWaves(commit, ['a'], ['b']);
    const answer = commit(append('c'));
    while (streams().length < 3) await turn();
    groups[2]?.end.resolve();
    assert.deepEqual(await answer, [appended]);
    for (const { end } of groups) end.resolve();
    await Promise.all(stuck);
  });

  it('rejects a whole group when the database is down, and divides it when one append is at fault', async () => {
    const away = new Error('away');
    const isFault = new Error('an id is taken');
    const alone: string[] = [];
    for (const [error, isFaultOfOne] of [
      [away, false],
      [isFault, true],
    ] as const) {
      const first = Promise.withResolvers<readonly AppendOutcome[]>();
      const commit = groupCommit({
        together: () => Promise.reject(error),
        alone: async ([one]) => {
          alone.push(one?.stream ?? '');
          return alone.length > 2 ? [appended] : first.promise;
        },
        isFaultOfOne: () => isFaultOfOne,
      });
      alone.length = 0;
      const answers = await inWaves(commit, ['a'], ['b'], ['c', 'd']);
      first.resolve([appended]);
      const ended = (await Promise.allSettled(answers)).map(({ status }) => status);
      const rest = isFaultOfOne ? 'fulfilled' : 'rejected';
      assert.deepEqual(ended, ['fulfilled', 'fulfilled', rest, rest]);
      assert.deepEqual(alone, isFaultOfOne ? ['a', 'b', 'c', 'd'] : ['a', 'b']);
    }
  });

  it('stores every append once with its own outcome, also when ids and versions conflict', async () => {
    await using opened = await logOnPostgres();
    const { log } = opened;
    await log.append([{ stream: 'old', expected: 0n, events: [event('known')] }]);
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        if (n % 20 === 7) {
          return log.append([{ stream: `s${n}`, expected: 0n, events: [event('known')] }]);
        }
        if (n % 20 === 8) {
          return log.append([{ stream: 'old', expected: 5n, events: [event(`late${n}`)] }]);
        }
        const named = [event(`one${n}`), event(`two${n}`)];
        return log.append([{ stream: `s${n}`, expected: 0n, events: named }]);
      }),
    );
    const counts = Object.groupBy(outcomes, ([first]) => first?.outcome ?? 'none');
    assert.equal(counts.appended?.length, 54);
    assert.equal(counts.conflict?.length, 6);
    const { events } = await log.readAll({ after: 0n, limit: 1_000 });
    assert.equal(events.length, 1 + 54 * 2);
    for (const [n, [first]] of outcomes.entries()) {
      if (first?.outcome !== 'appended') continue;
      const stored = await log.read(`s${n}`);
      assert.deepEqual(
        stored.map(({ data, position }) => [data['name'], position]),
        [
          [`one${n}`, first.firstPosition],
          [`two${n}`, first.lastPosition],
        ],
      );
    }
  });
});
