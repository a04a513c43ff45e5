import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ReactionEvent, workOf } from '#src/edges/worker/reactions.ts';
import type { Task } from '#src/edges/worker/task.ts';
import type { FurtherCharges, ReadForJob } from '#src/jobs/extract-item.ts';
import * as job from '#src/jobs/job.ts';
import type { ExpectedAttempt } from '#src/kernel/attempt-fencing.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import {
  addressesOf,
  callOf,
  faultyLog,
  foldJob,
  type JobProcess,
  jobFixture,
  Killed,
  killable,
  processOf,
  refusal,
  startOf,
} from '#test/support/jobs.ts';
import { seeded } from '#test/support/seeded.ts';

const signal = new AbortController().signal;

const balanceBefore = 1_000;

/** The processes of a race. A new one takes most of the processor time of a race, so they live until they are killed. */
const processCount = 4;

/** One race over one job, of three items unless said: every process has its own memory and may be killed at any call. */
const race = async (
  seed: number,
  options: {
    readonly killChance: number;
    readonly failChance: number;
    readonly failure?: 'VIDEO_UNAVAILABLE' | 'PLATFORM_TIMEOUT';
    readonly count?: number;
    /** Operations on each item; each but the first may fail as the first does. */
    readonly operations?: number;
  },
) => {
  const { count = 3, failure = 'VIDEO_UNAVAILABLE', operations = 0, killChance } = options;
  const random = seeded(seed);
  const results = operationResults(killable(random, killChance));
  const read: ReadForJob = async ({ itemId }) => {
    for (let place = 0; place <= operations; place += 1) {
      if (random() < options.failChance) throw refusal(failure);
      if (place < operations) await results.save(itemId, place);
    }
    return { language: 'en' };
  };
  const world = jobFixture({ balance: balanceBefore, read });
  const log = faultyLog(world.log, random, killChance);
  const faulty = { ...world.shared, log, further: results.further };
  const most = { json: '[]', mostCredits: operations * operationCredits };
  const jobId = await startOf(world.process, count, 'start', operations === 0 ? null : most);
  const processes = Array.from({ length: processCount }, () => processOf(faulty, random));

  /** What the queue does: work whose process was killed is given to another one, until it is done. */
  const surely = async (work: (process: JobProcess) => Promise<unknown>): Promise<void> => {
    for (let tries = 0; tries < 100; tries += 1) {
      const index = Math.floor(random() * processCount);
      const process = processes[index] ?? assert.fail();
      try {
        await work(process);
        return;
      } catch (error) {
        const isTold = error instanceof Refusal && error.code === 'SERVICE_UNAVAILABLE';
        if (!(error instanceof Killed) && !isTold) throw error;
        if (processes[index] === process) processes[index] = processOf(faulty, random);
      }
    }
    assert.fail(`seed ${seed}: a task does not end`);
  };
  const later = async (work: (process: JobProcess) => Promise<unknown>): Promise<void> => {
    for (let ticks = Math.floor(random() * 40); ticks > 0; ticks -= 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await surely(work);
  };
  const extractAll = () =>
    addressesOf(jobId, count).map((address) => later(({ extract }) => extract(address, { signal })));

  /** Reactions to what is in the log, and then everything that is still open, until nothing is. */
  const settle = async (): Promise<void> => {
    for (let rounds = 0; rounds < 20; rounds += 1) {
      await surely(({ requeueItems }) => requeueItems({ jobId }));
      await surely(({ cancelItems }) => cancelItems({ jobId }));
      if ((await foldJob(world.log, jobId)).state.isSettled) break;
      await Promise.all(extractAll());
    }
    await surely(({ close }) => close({ jobId }));
    // Every reservation is looked at once more after a while: its caller may have been killed.
    for (const reservationId of world.money.reservationIds()) {
      await surely(({ abandon }) => abandon(callOf('system'), { jobId, reservationId }));
    }
  };

  /** The work that the events ask for and nothing else, each piece until it is done, and some of it handed out again. */
  const react = async (): Promise<void> => {
    let position = 0n;
    let again: readonly Task[] = [];
    for (;;) {
      const { events } = await world.log.readAll({ after: position, limit: 1_000 });
      const asked = events.flatMap((event) =>
        workOf(event as unknown as ReactionEvent, {
          ...{ reservationMs: 0, recheckMs: [], isMailing: false, requiresMailboxProof: false },
        }),
      );
      const work = [...again, ...asked];
      if (work.length === 0) return;
      position = events.at(-1)?.position ?? position;
      again = asked.filter(() => random() < 0.3);
      await Promise.all(work.map((piece) => later((process) => doWork(process, piece))));
    }
  };
  return { world, jobId, count, later, extractAll, settle, react, shown: results.shown };
};

const operationCredits = 3;

/** Results of operations as a database keeps them: the first of a place stays, and those with a charge are shown. */
const operationResults = (around: ReturnType<typeof killable>) => {
  const stored = new Map<string, Map<number, string | null>>();
  const ofItem = (itemId: string) => stored.get(itemId) ?? new Map<number, string | null>();
  const further: FurtherCharges = {
    of: async (itemId) =>
      [...ofItem(itemId).keys()].map((place) => ({
        ...{ place, operation: 'ask', amount: operationCredits, modelUse: null },
      })),
    setCharge: (itemId, place, chargeId) => around(async () => void ofItem(itemId).set(place, chargeId)),
  };
  return {
    further,
    save: (itemId: string, place: number) =>
      around(async () => {
        const places = ofItem(itemId);
        stored.set(itemId, places.set(place, places.get(place) ?? null));
      }),
    /** How many of an item callers see. */
    shown: (itemId: string) => [...ofItem(itemId).values()].filter((id) => id !== null).length,
  };
};

type CancelledAttempt = {
  readonly jobId: string;
  readonly after: ExpectedAttempt;
  readonly itemIds: readonly string[];
};

const doWork = async (process: JobProcess, { task, payload }: Task): Promise<void> => {
  const { jobId, after, itemIds, ...other } = payload as CancelledAttempt & { reservationId: string };
  const items = task === 'extract-items' ? itemIds : [];
  const results = await Promise.allSettled(
    items.map((itemId) => process.extract({ jobId, expectedAttempt: after, itemId }, { signal })),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  if (task === 'requeue-items') await process.requeueItems({ jobId });
  if (task === 'cancel-items') await process.cancelItems({ jobId });
  if (task === 'close-job') await process.close({ jobId });
  if (task === 'check-reservation') await process.abandon(callOf('system'), { jobId, ...other });
};

/** What must hold when the dust has settled. */
const check = async (seed: number, { world, jobId, count, shown }: Awaited<ReturnType<typeof race>>) => {
  const { events, state, items, counts } = await foldJob(world.log, jobId);
  const say = `seed ${seed}: ${JSON.stringify({ status: state.status, items })}`;
  assert.ok(job.isTerminal(state) && state.isSettled, say);
  const with_ = (status: string) => items.filter((item) => item.status === status).length;
  assert.equal(with_('complete') + with_('failed') + with_('cancelled'), count, say);
  assert.equal(counts.complete, with_('complete'), say);
  assert.equal(counts.failed, with_('failed'), say);
  const priceOfShown = ({ itemId, chargeId }: (typeof items)[number]) =>
    (chargeId === null ? 0 : 1) + shown(itemId) * operationCredits;
  const settled = (items: readonly { readonly amount: number }[]) => items.reduce((sum, { amount }) => sum + amount, 0);
  for (const item of items) {
    const ofItem = world.money.settled.filter(({ itemId }) => itemId.startsWith(item.itemId));
    assert.equal(settled(ofItem), priceOfShown(item), `${say}: what is shown is charged`);
    assert.equal(settled(ofItem), item.creditsCharged, say);
  }
  const transcripts = world.money.settled.filter(({ amount }) => amount === 1);
  assert.equal(transcripts.length, with_('complete'), say);
  assert.equal(world.money.held(), 0, say);
  assert.equal(world.money.balance(), balanceBefore - settled(world.money.settled), say);
  const attempts = items.reduce((sum, { attempt }) => sum + attempt, 0);
  assert.ok(attempts >= transcripts.length, say);

  const endings = ['JobCompleted', 'JobCompletedWithErrors', 'JobFailed', 'JobCancelled'];
  const ends = events.filter(({ type }) => endings.includes(type));
  const runs = ends.map(({ data }) => (data as { run: number }).run);
  assert.deepEqual(runs, [...new Set(runs)], `${say}: a run ends once`);
  if (state.status !== 'cancelled') {
    assert.equal(with_('cancelled'), 0, say);
    const expected = counts.failed === 0 ? 'completed' : counts.complete === 0 ? 'failed' : 'completed_with_errors';
    assert.equal(state.status, expected, say);
  }
};

/** One race over a job of 1,000 items. */
export const checkLongJob = async (seed: number): Promise<void> => {
  const world = await race(seed, { killChance: 0.01, failChance: 0.1, count: 1_000 });
  await Promise.all(world.extractAll());
  await world.settle();
  await check(seed, world);
};
/** Declares the tests of races over a job, each with as many races, whose seeds begin at `first`. */
export const checkInterleavings = (races: number, first: number): void => {
  const seeds = Array.from({ length: races }, (_, index) => first + index);
  describe('a job under any interleaving', () => {
    it('ends in one state, and charges what is complete, when a cancellation races the last items', async () => {
      for (const seed of seeds) {
        const world = await race(seed, { killChance: 0.02, failChance: 0.2 });
        const cancel = world.later(({ cancel }) => cancel(callOf('cancel'), { jobId: world.jobId }));
        await Promise.all([...world.extractAll(), ...world.extractAll(), cancel]);
        await world.settle();
        await check(seed, world);
      }
    });

    it('survives retries that race a cancellation and each other', async () => {
      for (const seed of seeds) {
        const world = await race(seed, { killChance: 0.02, failChance: 0.6 });
        const { jobId, later } = world;
        await Promise.all([...world.extractAll(), later(({ retry }) => retry(callOf('retry-1'), { jobId }))]);
        await Promise.all([
          ...world.extractAll(),
          later(({ retry }) => retry(callOf('retry-2'), { jobId })),
          later(({ retry }) => retry(callOf('retry-3'), { jobId })),
          later(({ cancel }) => cancel(callOf('cancel-1'), { jobId })),
          later(({ cancel }) => cancel(callOf('cancel-2'), { jobId })),
        ]);
        await world.settle();
        await check(seed, world);
      }
    });

    it('charges each item once when processes are killed at any of their calls', async () => {
      for (const seed of seeds) {
        const world = await race(seed, { killChance: 0.1, failChance: 0 });
        await Promise.all(world.extractAll());
        await world.settle();
        await check(seed, world);
      }
    });

    it('ends by the work that its events ask for, also when that is handed out again: none is missing', async () => {
      for (const seed of seeds) {
        const world = await race(seed, { ...{ killChance: 0.05, failChance: 0.5, failure: 'PLATFORM_TIMEOUT' } });
        const { jobId, later } = world;
        await Promise.all([
          world.react(),
          ...(seed % 2 === 0 ? [later(({ retry }) => retry(callOf('retry'), { jobId }))] : []),
        ]);
        await world.react();
        await check(seed, world);
      }
    });

    it('charges the operations of an item with it: what is shown costs what is settled', async () => {
      for (const seed of seeds) {
        const world = await race(seed, { killChance: 0.02, failChance: 0.1, operations: 5 });
        const { jobId, later } = world;
        await Promise.all([
          ...world.extractAll(),
          later(({ retry }) => retry(callOf('retry'), { jobId })),
          later(({ cancel }) => cancel(callOf('cancel'), { jobId })),
        ]);
        await world.settle();
        await check(seed, world);
      }
    });
  });
};
