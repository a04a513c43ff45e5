import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Listing } from '#src/extraction/captions/caption-track.ts';
import { failure, refusalOf } from '#src/extraction/failures.ts';
import * as items from '#src/jobs/item-group.ts';
import * as job from '#src/jobs/job.ts';
import { jobStreams } from '#src/jobs/job-streams.ts';
import { failListing, resolveListing } from '#src/jobs/resolve-listing.ts';
import { planJob, startJob } from '#src/jobs/start-job.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import {
  addressesOf,
  callOf,
  clock,
  foldJob,
  jobFixture,
  processOf,
  refusal,
  startOf,
  videoIdOf,
} from '#test/support/jobs.ts';

const signal = new AbortController().signal;
const wantedOf = (references: readonly string[]) =>
  ({ kind: 'batch', references, limit: null, language: null, webhookUrl: null }) as const;

const admit = async () => {};

const extractAll = async (world: ReturnType<typeof jobFixture>, jobId: string, count: number) => {
  for (const address of addressesOf(jobId, count)) await world.process.extract(address, { signal });
};

describe('starting a job', () => {
  it('reserves its whole possible cost and queues its items', async () => {
    const world = jobFixture({ balance: 10 });
    const jobId = await startOf(world.process, 3);
    const { state, items } = await foldJob(world.log, jobId);
    assert.equal(state.status, 'queued');
    assert.deepEqual(
      items.map(({ status }) => status),
      ['queued', 'queued', 'queued'],
    );
    assert.equal(world.money.held(), 3);
  });

  it('refuses what the balance does not cover, and creates no job', async () => {
    const world = jobFixture({ balance: 2 });
    await assert.rejects(startOf(world.process, 3), { code: 'INSUFFICIENT_CREDITS' });
    assert.deepEqual(await world.log.streamsWithPrefix('job-'), []);
  });

  it('creates one job for one operation, however often it is sent', async () => {
    const world = jobFixture({ balance: 10 });
    const first = await startOf(world.process, 3);
    assert.equal(await startOf(processOf(world.shared), 3), first);
    assert.equal(world.money.held(), 3);
  });

  it('accepts a video once, in any of its spellings, and stores an invalid reference as a failed item', async () => {
    const world = jobFixture();
    const id = videoIdOf(1);
    const references = [id, `https://youtu.be/${id}`, 'no video', 'no video'];
    const { jobId, totalItems } = await world.process.start(callOf('spell'), wantedOf(references));
    assert.equal(totalItems, 2);
    assert.equal(world.money.held(), 1);
    await extractAll(world, jobId, 2);
    const { state, items } = await foldJob(world.log, jobId);
    assert.deepEqual(
      items.map(({ status }) => status),
      ['complete', 'failed'],
    );
    assert.equal(state.status, 'completed_with_errors');
  });

  it('refuses more distinct videos than a job holds', async () => {
    const world = jobFixture();
    await assert.rejects(startOf(world.process, 1_001), { code: 'INVALID_REQUEST' });
    assert.equal(world.money.held(), 0);
  });

  it('cannot begin with a reservation that was released', async () => {
    const world = jobFixture({ balance: 10 });
    const ledger = {
      ...world.shared.ledger,
      // The caller sleeps right after it set its credits aside, and is given up meanwhile.
      reserve: async (...args: Parameters<typeof world.shared.ledger.reserve>) => {
        const posted = await world.shared.ledger.reserve(...args);
        const { reservationId, jobId } = args[1];
        await world.process.abandon(callOf('system'), { jobId, reservationId });
        return posted;
      },
    };
    const late = processOf({ ...world.shared, ledger });
    await assert.rejects(startOf(late, 3), { code: 'SERVICE_UNAVAILABLE' });
    assert.equal(world.money.balance(), 10);
  });
});

describe('extracting an item', () => {
  it('completes a job of 1,000 items with constant work per item', async () => {
    const world = jobFixture();
    const jobId = await startOf(world.process, 1_000);
    await extractAll(world, jobId, 1_000);
    const { events, state, counts } = await foldJob(world.log, jobId);
    assert.equal(state.status, 'completed');
    assert.deepEqual(counts, { complete: 1_000, failed: 0, creditsCharged: 1_000 });
    assert.equal(events.length, 3 + job.maxGroups);
    const group = await world.log.read(items.streamOf(jobId, 7));
    assert.equal(group.length, 1 + 3 * job.itemsPerGroup);
  });

  it('refuses the result of a superseded attempt', async () => {
    const { promise: asleep, resolve: wake } = Promise.withResolvers<void>();
    let reads = 0;
    const read = async () => {
      reads += 1;
      if (reads === 1) await asleep;
      return { language: reads === 1 ? 'old' : 'new' };
    };
    const world = jobFixture({ balance: 10, read });
    const jobId = await startOf(world.process, 1);
    const [address] = addressesOf(jobId, 1);
    assert.ok(address !== undefined);
    const paused = processOf(world.shared).extract(address, { signal });
    while (reads === 0) await new Promise((resolve) => setImmediate(resolve));
    await processOf(world.shared).extract(address, { signal });
    wake();
    await paused;
    const { items, state } = await foldJob(world.log, jobId);
    assert.deepEqual(
      items.map(({ status, attempt, language }) => ({ status, attempt, language })),
      [{ status: 'complete', attempt: 2, language: 'new' }],
    );
    assert.equal(state.status, 'completed');
    assert.equal(world.money.settled.length, 1);
  });

  it('tries transient failures three times in a run, and permanent ones once', async () => {
    const read = async ({ videoId }: { videoId: string }) => {
      throw refusal(videoId === videoIdOf(0) ? 'PLATFORM_TIMEOUT' : 'VIDEO_NOT_FOUND');
    };
    const world = jobFixture({ balance: 10, read });
    const jobId = await startOf(world.process, 2);
    for (let tries = 0; tries < 5; tries += 1) await extractAll(world, jobId, 2);
    const { items, state } = await foldJob(world.log, jobId);
    assert.deepEqual(
      items.map(({ attempt }) => attempt),
      [3, 1],
    );
    assert.equal(state.status, 'failed');
    assert.equal(world.money.balance(), 10);
    const [first, second] = items;
    assert.deepEqual(Object.fromEntries(world.money.failures), {
      [`${first?.itemId}|3`]: 'PLATFORM_TIMEOUT',
      [`${second?.itemId}|1`]: 'VIDEO_NOT_FOUND',
    });

    await world.process.retry(callOf('retry'), { jobId });
    const retried = await foldJob(world.log, jobId);
    assert.equal(retried.state.status, 'queued');
    assert.equal(retried.counts.failed, 0);
    assert.equal(world.money.held(), 2);
    for (let tries = 0; tries < 5; tries += 1) await extractAll(world, jobId, 2);
    const again = await foldJob(world.log, jobId);
    assert.deepEqual(
      again.items.map(({ attempt }) => attempt),
      [6, 2],
    );
    assert.deepEqual(
      again.events.flatMap(({ type, data }) => (type === 'JobFailed' && 'run' in data ? [data.run] : [])),
      [1, 2],
    );
  });

  for (const [name, error, expected] of [
    [
      'waits as long as the platform asks',
      refusalOf(failure('rate_limited', null, {}, 90)),
      '2026-11-21T10:01:30.000Z',
    ],
    [
      'waits as long as whoever else refuses advises',
      new Refusal('SERVICE_UNAVAILABLE', 'away', null, 90),
      '2026-11-21T10:01:30.000Z',
    ],
    [
      'keeps to its own waits where the platform refuses and names no time',
      refusalOf(failure('bot_check')),
      '2026-11-21T10:00:05.000Z',
    ],
    [
      'keeps to its own waits after the limit of a session, too',
      refusalOf(failure('session_limit')),
      '2026-11-21T10:00:05.000Z',
    ],
  ] as const)
    it(name, async () => {
      const read = async () => {
        throw error;
      };
      const world = jobFixture({ balance: 10, read });
      const jobId = await startOf(world.process, 1);
      await extractAll(world, jobId, 1);
      const [postponed] = (await world.log.read(items.streamOf(jobId, 0))).slice(-1);
      assert.equal(postponed?.type, 'ItemPostponed');
      assert.equal(postponed?.data['retryAt'], expected);
    });

  it('leaves the next attempt to its own task if the task of a failed attempt runs again', async () => {
    let answer = async (): Promise<{ language: string }> => {
      throw refusal('PLATFORM_TIMEOUT');
    };
    const world = jobFixture({ balance: 10, read: async () => await answer() });
    const jobId = await startOf(world.process, 1);
    const [address] = addressesOf(jobId, 1);
    assert.ok(address !== undefined);
    const { extract, giveUp } = world.process;
    const again = async () => {
      await extract({ ...address, expectedAttempt: 0 }, { signal });
      await giveUp({ ...address, expectedAttempt: 0 }, new Error('its processes died'));
      const { items } = await foldJob(world.log, jobId);
      return items.map(({ status, attempt }) => [status, attempt]);
    };
    await extract({ ...address, expectedAttempt: 0 }, { signal });
    assert.deepEqual(await again(), [['queued', 1]]);
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: answered, resolve: tell } = Promise.withResolvers<{ language: string }>();
    answer = async () => {
      ask();
      return await answered;
    };
    const next = extract({ ...address, expectedAttempt: 1 }, { signal });
    await asked;
    answer = () => assert.fail('one worker reads it');
    assert.deepEqual(await again(), [['processing', 2]]);
    tell({ language: 'en' });
    await next;
    assert.deepEqual(await again(), [['complete', 2]]);
  });

  it('starts a new run, whatever attempts preceded it', async () => {
    let isThere = false;
    const read = async () => {
      if (!isThere) throw refusal('PLATFORM_TIMEOUT');
      return { language: 'en' };
    };
    const world = jobFixture({ balance: 10, read });
    const jobId = await startOf(world.process, 1);
    for (let tries = 0; tries < items.maxFailuresPerRun; tries += 1) {
      await extractAll(world, jobId, 1);
    }
    await world.process.retry(callOf('retry'), { jobId });
    isThere = true;
    for (const address of addressesOf(jobId, 1)) {
      await world.process.extract({ ...address, expectedAttempt: 0 }, { signal });
    }
    assert.equal((await foldJob(world.log, jobId)).state.status, 'completed');
  });

  it('fails an item whose workers crash repeatedly', async () => {
    const world = jobFixture({ balance: 10, read: () => new Promise(() => {}) });
    const jobId = await startOf(world.process, 1);
    const [address] = addressesOf(jobId, 1);
    assert.ok(address !== undefined);
    for (let tries = 0; tries < items.maxStartsPerRun; tries += 1) {
      const stopping = new AbortController();
      const read = async () => {
        stopping.abort();
        throw stopping.signal.reason;
      };
      const worker = processOf({ ...world.shared, read });
      await assert.rejects(worker.extract(address, { signal: stopping.signal }));
    }
    await processOf(world.shared).extract(address, { signal });
    const { items: found, state } = await foldJob(world.log, jobId);
    assert.equal(found[0]?.status, 'failed');
    assert.equal(state.status, 'failed');
    assert.equal(world.money.balance(), 10);
  });
});

describe('cancelling and retrying a job', () => {
  it('cancels open items and keeps completed ones', async () => {
    const world = jobFixture({ balance: 10 });
    const jobId = await startOf(world.process, 3);
    await extractAll(world, jobId, 1);
    await world.process.cancel(callOf('cancel'), { jobId });
    await world.process.close({ jobId });
    const { state, items } = await foldJob(world.log, jobId);
    assert.deepEqual(
      items.map(({ status }) => status),
      ['complete', 'cancelled', 'cancelled'],
    );
    assert.equal(state.status, 'cancelled');
    assert.equal(world.money.balance(), 9);
    assert.equal(world.money.held(), 0);
  });

  it('does not change a job that is over or has no failed items', async () => {
    const world = jobFixture({ balance: 10 });
    const jobId = await startOf(world.process, 1);
    await extractAll(world, jobId, 1);
    const before = await world.log.versionOf(job.streamOf(jobId));
    await world.process.cancel(callOf('cancel'), { jobId });
    await world.process.retry(callOf('retry'), { jobId });
    assert.equal(await world.log.versionOf(job.streamOf(jobId)), before);
  });

  it('answers JOB_NOT_FOUND for a job of another account', async () => {
    const world = jobFixture({ balance: 10 });
    const jobId = await startOf(world.process, 1);
    const stranger = callOf('stranger', 'acc_2');
    await assert.rejects(world.process.cancel(stranger, { jobId }), { code: 'JOB_NOT_FOUND' });
    await assert.rejects(world.process.retry(stranger, { jobId }), { code: 'JOB_NOT_FOUND' });
    await assert.rejects(world.process.cancel(stranger, { jobId: 'job_none' }), { code: 'JOB_NOT_FOUND' });
  });

  it('queues the failed items of a running job again, without another start of the job', async () => {
    const read = async ({ videoId }: { videoId: string }) => {
      if (videoId === videoIdOf(0)) throw refusal('VIDEO_UNAVAILABLE');
      return { language: 'en' };
    };
    const world = jobFixture({ read });
    const jobId = await startOf(world.process, 60);
    await extractAll(world, jobId, 1);
    await world.process.retry(callOf('retry'), { jobId });
    const { state, items } = await foldJob(world.log, jobId);
    assert.equal(state.status, 'processing');
    assert.equal(items[0]?.status, 'queued');
  });

  it('does not change a job when the balance does not cover its retry', async () => {
    const read = async () => {
      throw refusal('VIDEO_UNAVAILABLE');
    };
    const world = jobFixture({ balance: 3, read });
    const jobId = await startOf(world.process, 3);
    await extractAll(world, jobId, 3);
    await startOf(world.process, 2, 'another');
    await assert.rejects(world.process.retry(callOf('retry'), { jobId }), { code: 'INSUFFICIENT_CREDITS' });
    assert.equal((await foldJob(world.log, jobId)).state.status, 'failed');
  });

  it('runs a job a limited number of times', async () => {
    const read = async () => {
      throw refusal('VIDEO_UNAVAILABLE');
    };
    const world = jobFixture({ read });
    const jobId = await startOf(world.process, 1);
    for (let run = 1; run < job.maxRuns; run += 1) {
      await extractAll(world, jobId, 1);
      await world.process.retry(callOf(`retry-${run}`), { jobId });
    }
    await extractAll(world, jobId, 1);
    await assert.rejects(world.process.retry(callOf('one more'), { jobId }), { code: 'INVALID_REQUEST' });
  });
});

describe('an item whose task always throws', () => {
  const fault = new TypeError('it is poison');

  it('fails, queued or processing, releases its credit and ends its job', async () => {
    const neverEnds = Promise.withResolvers<never>();
    const world = jobFixture({ balance: 10, read: () => neverEnds.promise });
    const jobId = await startOf(world.process, 2);
    const [started, waiting] = addressesOf(jobId, 2);
    assert(started && waiting);
    const underWay = world.process.extract(started, { signal });
    for (let looks = 0; looks < 100; looks += 1) await Promise.resolve();
    await world.process.giveUp(started, fault);
    assert.equal(world.money.held(), 1);
    await world.process.giveUp(waiting, fault);
    await world.process.giveUp(waiting, fault);
    const { state, items, counts } = await foldJob(world.log, jobId);
    assert.deepEqual(
      items.map(({ status, attempt }) => [status, attempt]),
      [
        ['failed', 1],
        ['failed', 1],
      ],
    );
    assert.deepEqual([state.status, counts.failed, world.money.held()], ['failed', 2, 0]);
    neverEnds.reject(fault);
    await underWay;
    assert.equal((await foldJob(world.log, jobId)).counts.failed, 2, 'a late attempt counts no more');
  });

  it('can be retried, and fails or completes again', async () => {
    const world = jobFixture({ balance: 10 });
    const jobId = await startOf(world.process, 1);
    const [address] = addressesOf(jobId, 1);
    assert(address);
    for (const round of [1, 2]) {
      await world.process.giveUp(address, fault);
      const { state, items } = await foldJob(world.log, jobId);
      assert.deepEqual([state.status, items[0]?.attempt], ['failed', round]);
      await world.process.retry(callOf(`retry ${round}`), { jobId });
    }
    await world.process.extract(address, { signal });
    const { state, items } = await foldJob(world.log, jobId);
    assert.deepEqual([state.status, items[0]?.attempt], ['completed', 3]);
    assert.deepEqual([world.money.held(), world.money.balance()], [0, 9]);
  });

  it('is completed once it is read, even by the command that gives up on it', async () => {
    const world = jobFixture();
    const jobId = await startOf(world.process, 1);
    const [address] = addressesOf(jobId, 1);
    assert(address);
    const settleItem = async () => {
      throw fault;
    };
    const broken = processOf({ ...world.shared, ledger: { ...world.money.ledger, settleItem } });
    await assert.rejects(broken.extract(address, { signal }), fault);
    await assert.rejects(broken.giveUp(address, fault), fault);
    await world.process.giveUp(address, fault);
    const { state, counts } = await foldJob(world.log, jobId);
    assert.deepEqual(counts, { complete: 1, failed: 0, creditsCharged: 1 });
    assert.equal(state.status, 'completed');
  });
});

describe('a batch with links to playlists and channels', () => {
  const playlistId = 'PLabcdefghijklmnopqrstuvwxyz012345';
  const links = [
    videoIdOf(1),
    `https://www.youtube.com/playlist?list=${playlistId}`,
    'https://www.youtube.com/@somebody',
    videoIdOf(9),
    'no video',
  ];
  const listingOf = (ids: readonly string[]): Listing => ({
    playlistId,
    title: null,
    channel: null,
    channelId: null,
    handle: null,
    expected: null,
    hidden: null,
    isTruncated: false,
    hasMore: false,
    videos: ids.map((videoId, position) => ({
      ...{ videoId, position, title: null, durationS: null },
      availability: 'public' as const,
    })),
  });
  const listing = {
    timeoutMs: 20_000,
    admit,
    listPlaylist: async ({ limit }: { limit: number }) =>
      listingOf([videoIdOf(2), videoIdOf(1), videoIdOf(3)].slice(0, limit)),
    listChannel: async ({ limit }: { limit: number }) => listingOf([videoIdOf(3), videoIdOf(4)].slice(0, limit)),
  };

  it('replaces each link by the videos that it lists, and prices all of them first', async () => {
    const planned = await planJob({ listing })(wantedOf(links), { signal, accountId: 'acc_1' });
    assert.deepEqual(
      planned.items.map(({ videoId, reference }) => videoId ?? reference),
      [...[1, 2, 3, 4, 9].map((n) => videoIdOf(n)), 'no video'],
    );
    assert.equal(planned.creditsNeeded, 5);
  });

  it('limits the videos of listings, and omits none that is given directly', async () => {
    const planned = await planJob({ listing })({ ...wantedOf(links), limit: 2 }, { signal, accountId: 'acc_1' });
    assert.deepEqual(
      planned.items.map(({ videoId, reference }) => videoId ?? reference),
      [...[1, 2, 3, 9].map((n) => videoIdOf(n)), 'no video'],
    );
  });

  it('is listed by the worker if its caller does not wait for it', async () => {
    const { log, money } = jobFixture({ balance: 100 });
    const deps = { ...jobStreams({ log, clock }), ledger: money.ledger };
    const requireReachable = async (url: string) => url;
    const never = (_: unknown, { signal: ended }: { signal: AbortSignal }): Promise<never> =>
      new Promise((_resolve, reject) => {
        ended.addEventListener('abort', () => reject(ended.reason));
      });
    const slow = { timeoutMs: 1, admit, listPlaylist: never, listChannel: never };
    const start = startJob({ ...deps, requireReachable, listing: slow });
    const wanted = { ...wantedOf(links), limit: 10 };
    const { jobId, creditsReserved } = await start(callOf('start'), wanted);
    assert.equal(creditsReserved, 13);
    await resolveListing({ ...deps, listing })({ jobId }, { signal });
    assert.equal((await foldJob(log, jobId)).items.length, 6);
  });
});

describe('a listing that the worker resolves', () => {
  const references = ['PLabcdefghijklmnopqrstuvwxyz012345'];
  const wanted = { kind: 'playlist', references, limit: 10, language: null, webhookUrl: null } as const;
  const never = (_: unknown, { signal }: { signal: AbortSignal }): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  /** A job whose listing is pending, and what a worker does with it when the platform answers so. */
  const pending = async () => {
    const { log, money, process } = jobFixture({ balance: 100 });
    const deps = { ...jobStreams({ log, clock }), ledger: money.ledger };
    const listChannel = never;
    const requireReachable = async (url: string) => url;
    const start = startJob({
      ...deps,
      requireReachable,
      listing: { timeoutMs: 1, admit, listPlaylist: never, listChannel },
    });
    const { jobId } = await start(callOf('start'), wanted);
    const faults: unknown[] = [];
    const resolve = (listPlaylist: () => Promise<never>) =>
      resolveListing({ ...deps, listing: { listPlaylist, listChannel } })({ jobId }, { signal });
    const onFault = (fault: unknown) => void faults.push(fault);
    const giveUp = (error: unknown) => failListing({ ...deps, onFault })({ jobId }, error);
    return { log, money, process, jobId, faults, resolve, giveUp };
  };
  const blocked = async (): Promise<never> => {
    throw refusal('PLATFORM_BLOCKED');
  };

  it('has its name from the start, and so has the job of a repeated request', async () => {
    const link = `https://www.youtube.com/playlist?list=${references[0]}`;
    const channel = 'UCabcdefghijklmnopqrstuv';
    for (const [kind, named, source] of [
      ['playlist', [link], references[0]],
      ['channel', [`https://www.youtube.com/channel/${channel}/videos`], channel],
      ['channel', ['@somebody'], '@somebody'],
      ['playlist', [link, 'PLsomeotherplaylist0000000000000000'], null],
      ['playlist', [link, `VL${references[0]}`], references[0]],
    ] as const) {
      const { log, money } = jobFixture({ balance: 100 });
      const start = startJob({
        ...jobStreams({ log, clock }),
        ledger: money.ledger,
        requireReachable: async (url) => url,
        listing: { timeoutMs: 1, admit, listPlaylist: never, listChannel: never },
      });
      const asked = { ...wanted, kind, references: named };
      const first = await start(callOf('start'), asked);
      assert.equal(first.source, source);
      assert.deepEqual(await start(callOf('start'), asked), { ...first, position: 0n });
    }
  });

  it('is retried after transient failures, and fails the job at the last attempt', async () => {
    const { log, money, process, jobId, resolve, giveUp } = await pending();
    await assert.rejects(resolve(blocked), { code: 'PLATFORM_BLOCKED' });
    assert.equal((await foldJob(log, jobId)).state.status, 'queued');
    assert.equal(money.held(), 10);
    await giveUp(refusal('PLATFORM_BLOCKED'));
    await giveUp(refusal('PLATFORM_TIMEOUT'));
    await resolve(async () => assert.fail('it is not listed again'));
    const { events, state } = await foldJob(log, jobId);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['JobCreated', 'JobListingFailed', 'JobFailed'],
    );
    assert.ok(state.isSettled);
    await process.close({ jobId });
    assert.equal(money.balance(), 100);
  });

  it('fails the job for an internal error too, after the last attempt', async () => {
    const { log, jobId, faults, resolve, giveUp } = await pending();
    const fault = new TypeError('it is poison');
    const broken = async (): Promise<never> => {
      throw fault;
    };
    await assert.rejects(resolve(broken), TypeError);
    await giveUp(fault);
    const { events, state } = await foldJob(log, jobId);
    assert.equal(state.status, 'failed');
    const told = events.find(({ type }) => type === 'JobListingFailed');
    assert.deepEqual([told?.data && 'code' in told.data && told.data.code, faults.length], ['INTERNAL_ERROR', 1]);
  });

  it('adds nothing to a job that was cancelled meanwhile', async () => {
    const { log, money, process, jobId, resolve } = await pending();
    await resolve(async () => {
      await process.cancel(callOf('cancel'), { jobId });
      throw refusal('PLAYLIST_NOT_FOUND');
    });
    assert.equal((await foldJob(log, jobId)).state.status, 'cancelled');
    await process.close({ jobId });
    assert.equal(money.balance(), 100);
  });
});
