import type { Pool } from 'pg';
import {
  type FollowRow,
  followedVideosOf,
  followFeedOf,
  followsOf,
  waitingVideosOf,
} from '#projections/follow-rows.ts';
import { headPosition } from '#projections/ledger-entries.ts';
import { addWork } from '../adapters/graphile-worker/work-queue.ts';
import { postgresFollowedSources } from '../adapters/postgres/followed-sources-postgres.ts';
import type { Commands } from '../commands.ts';
import type { Config } from '../config.ts';
import { planOf } from '../credits/plans/plans.ts';
import { priceOf } from '../credits/prices.ts';
import type { Task } from '../edges/worker/task.ts';
import type { WorkCommands } from '../edges/worker/work-commands.ts';
import { readState } from '../eventlog/read/read-state.ts';
import { type AdvanceDeps, advanceVideo, type Payer, type PayerOf, wakeFollow } from '../follows/advance-video.ts';
import * as follow from '../follows/follow.ts';
import * as budget from '../follows/follow-budget.ts';
import { feedTokenOf, followCommands, followIdIn, isFeedTokenGood } from '../follows/follow-commands.ts';
import { followStreams, readFollow, requireOwn } from '../follows/follow-streams.ts';
import { type LookAtSourceDeps, lookAtSource } from '../follows/look-at-source.ts';
import { endFollows, pauseFollows } from '../follows/pause-follows.ts';
import { failVideo } from '../follows/postpone-video.ts';
import { recheckCaptions } from '../follows/recheck-captions.ts';
import { type EndedJob, recordJobEnd } from '../follows/record-job-end.ts';
import type { SourceStore } from '../follows/source-store.ts';
import type { StartFollowDeps } from '../follows/start-follow.ts';
import { tellFollows } from '../follows/tell-follows.ts';
import { mostOf } from '../insights/run-operation.ts';
import { callsOf } from '../insights/stored-operations.ts';
import * as items from '../jobs/item-group.ts';
import * as job from '../jobs/job.ts';
import { Refusal } from '../kernel/refusal.ts';
import * as key from '../keys/key.ts';
import type { FollowQueries, FollowView } from '../queries.ts';
import { captionsSha256 } from '../transcripts/delivery.ts';
import type { CoreParts } from './application-core.ts';
import type { JobParts, openJobs } from './open-jobs.ts';

type OpenJobs = ReturnType<typeof openJobs>;

type FollowParts = Pick<CoreParts, 'pool' | 'secrets' | 'log' | 'sql' | 'clock' | 'ledger' | 'engine' | 'caughtUp'> &
  Pick<CoreParts, 'baseUrl' | 'insights' | 'authorizationStore'> &
  Pick<JobParts, 'admitListing'> & {
    readonly jobs: Pick<OpenJobs, 'commands' | 'streams' | 'requireReachable' | 'work'>;
    readonly accounts: Pick<Commands, 'findAccount'>;
  };

const sourceTasks = { look: 'look-at-source', tell: 'tell-follows' } as const;

/** Followed sources, whose work is queued in the transactions that want it. */
export const followedSources = (pool: Pool) =>
  postgresFollowedSources({
    pool,
    queue: (by, what, sources) => {
      const task = sourceTasks[what];
      const work = sources.map((source) => ({ task, key: `${task}|${source}`, payload: { source } }));
      return addWork(by, work);
    },
  });

/** Commands and queries of follows, and the commands of the worker. */
export const openFollows = ({ follows: settings, listingTimeoutMs }: Config, parts: FollowParts) => {
  const { pool, log, clock, engine } = parts;
  const sources = followedSources(pool);
  const streams = followStreams({ log, sources, clock });
  const balanceOf = (accountId: string) => parts.ledger.balance({ accountId }, { fresh: true });
  const retries = { captionsMs: settings.captionRetriesMs };
  const looking = { ...streams, engine, pauseAfterMs: settings.pauseAfterMs };
  const deps: StartFollowDeps = {
    ...looking,
    admit: parts.admitListing,
    timeoutMs: listingTimeoutMs,
    requireReachable: parts.jobs.requireReachable,
    limitOf: async (accountId) => planOf((await balanceOf(accountId)).plan).follows,
    defaultIntervalS: Math.ceil(settings.intervalMs / 1_000),
    minIntervalS: Math.ceil(settings.minIntervalMs / 1_000),
  };
  const look = lookAtSource(looking);
  return {
    sources,
    commands: {
      ...followCommands(deps),
      lookAtFollow: async ({ followId }: { readonly followId: string }) => {
        const { follow: one } = await readFollow(streams, followId);
        const { source } = requireOwn({ follow: one, changes: 0 }, one?.accountId ?? '');
        const seen = await look(follow.sourceKeyOf(source), AbortSignal.timeout(listingTimeoutMs));
        return { found: seen?.found ?? null };
      },
    },
    queries: followQueries(parts, sources),
    work: { ...followWork(parts, { ...looking, retries }), ...jobWork(parts, { ...streams, retries }) },
  };
};

type Streams = ReturnType<typeof followStreams>;

/** The commands of the worker that follows add. */
const followWork = (parts: FollowParts, deps: LookAtSourceDeps & Pick<AdvanceDeps, 'retries'>) => {
  const { pool, sql, caughtUp } = parts;
  const { sources } = deps;
  const advance = advancing(parts, deps);
  const wake = (followId: string, runAt: string | null = null): Task => ({
    ...{ task: 'wake-follow', key: `wake-follow|${followId}`, payload: { followId } },
    runAt,
  });
  const add = (work: readonly Task[]) => addWork(pool, work);
  const look = lookAtSource(deps);
  return {
    lookAtSource: async ({ source }, { signal }) => {
      // Where the platform fails, the source is looked at again when its claim is over.
      await look(source, signal).catch((error: unknown) => {
        if (!(error instanceof Refusal) || signal.aborted) throw error;
      });
    },
    tellFollows: tellFollows(deps),
    advanceVideo: async (turn, stop) => void (await advanceVideo(advance)(turn, stop)),
    failVideo: failVideo(deps),
    wakeFollow: wakeFollow({
      ...advance,
      waitingVideos: async (followId) => {
        await caughtUp('follows', await headPosition(sql));
        return await waitingVideosOf(sql, followId, wokenAtOnce);
      },
      wakeLater: (followId, at) => add([wake(followId, at)]),
    }),
    wakeFollows: async ({ accountId }) => {
      await add((await sources.followsOf({ accountId })).map(({ followId }) => wake(followId)));
    },
    pauseFollowsOfKey: ({ keyId }) => pauseFollows(deps)({ keyId }, 'key_revoked'),
    pauseFollowsOfGrant: async ({ authorizationId }) => {
      const payer = await authorizedPayer(parts, authorizationId);
      if (typeof payer === 'string') await pauseFollows(deps)({ authorizationId }, payer);
    },
    recheckCaptions: recheckCaptions({ ...deps, engine: parts.engine, hashOf: captionsSha256 }),
  } satisfies Partial<WorkCommands>;
};

/** The commands of the worker on jobs that concern follows, too: the end of a job that a follow began is told to it. */
const jobWork = (parts: FollowParts, streams: Streams & Pick<AdvanceDeps, 'retries'>) => {
  const { work } = parts.jobs;
  const record = recordJobEnd({ ...streams, jobIdOf: job.jobIdOf });
  return {
    closeJob: async (closed) => {
      await work.closeJob(closed);
      await recordEnd(parts, record)(closed.jobId);
    },
    endAccountWork: async (account) => {
      await endFollows(streams)(account.accountId);
      await work.endAccountWork(account);
    },
  } satisfies Partial<WorkCommands>;
};

/** Videos that one task wakes, at most: more are waiting than a period may read. */
const wokenAtOnce = 5_000;

const advancing = (
  { ledger, engine, log, insights, jobs, accounts, authorizationStore, clock }: FollowParts,
  streams: Streams & Pick<AdvanceDeps, 'retries'>,
): AdvanceDeps => ({
  ...streams,
  engine,
  isOpen: async (accountId) => (await accounts.findAccount({ accountId }))?.suspendedAt === null,
  periodOf: (accountId) => ledger.balance({ accountId }, { fresh: true }),
  payerOf: payerOf({ log, clock, authorizationStore }),
  priceOf: ({ operations }) => {
    const hasModel = insights.provider !== null;
    return callsOf(operations).reduce((sum, each) => sum + mostOf(each, hasModel), priceOf('job_item'));
  },
  startJob: (call, { followId, period, videoId, options: { language, captions, operations, keep } }) =>
    jobs.commands.startJob(call, {
      kind: 'batch',
      references: [videoId],
      ...{ limit: null, webhookUrl: null, language, captions, keep },
      following: callsOf(operations),
      follow: { followId, period },
    }),
  jobIdOf: job.jobIdOf,
});

/** Keys that one was rolled to, one after the other, at most. */
const maxRolls = 100;

type PayerParts = Pick<FollowParts, 'log' | 'clock' | 'authorizationStore'>;

const payerOf =
  (parts: PayerParts): PayerOf =>
  async ({ keyId, authorizationId }) => {
    if (authorizationId !== undefined) return await authorizedPayer(parts, authorizationId);
    return keyId === null
      ? { actor: { type: 'system', id: 'follow' }, capCredits: null }
      : await keyPayer(parts, keyId);
  };

/** The key that stands for this one now: itself, or the last one that it was rolled to. */
const keyPayer = async (
  { log, clock }: Pick<PayerParts, 'log' | 'clock'>,
  keyId: string,
): Promise<Payer | 'key_revoked' | 'key_expired'> => {
  let present = keyId;
  for (let rolls = 0; rolls < maxRolls; rolls += 1) {
    const { state } = await readState(log, key.streamOf(present), key);
    if (state.status !== 'active') return 'key_revoked';
    if (state.rolledTo === null) {
      const isOver = state.expiresAt !== null && state.expiresAt <= clock().toISOString();
      return isOver ? 'key_expired' : { actor: { type: 'key', id: present }, ...key.capOf(state) };
    }
    present = state.rolledTo;
  }
  return 'key_expired';
};

/** An authorization with the budget that its owner agreed to. */
const authorizedPayer = async (
  { authorizationStore, clock }: Pick<PayerParts, 'authorizationStore' | 'clock'>,
  authorizationId: string,
): Promise<Payer | 'grant_ended' | 'grant_expired'> => {
  const granted = await authorizationStore.find(authorizationId);
  if (granted === null || granted.endedAt !== null) return 'grant_ended';
  if (granted.expiresAt <= clock().toISOString()) return 'grant_expired';
  const { creditsPerDay, creditsTotal } = granted;
  const actor = { type: 'authorization', id: authorizationId } as const;
  return { actor, authorizationId, capCredits: null, budget: { creditsPerDay, creditsTotal } };
};

/** Records the end of a job that a follow began; nothing happens for any other. */
const recordEnd =
  ({ jobs: { streams } }: FollowParts, record: (ended: EndedJob) => Promise<void>) =>
  async (jobId: string): Promise<void> => {
    const { created, isSettled } = await streams.jobs.read(job.streamOf(jobId));
    if (created?.follow === undefined || !isSettled) return;
    const [item] = (await streams.groups.read(items.streamOf(jobId, 0))).items.values();
    if (item === undefined || item.videoId === null) return;
    const { status, videoId, errorCode: code, creditsCharged, chargeId, language } = item;
    await record({
      ...created.follow,
      ...{ accountId: created.accountId, jobId, videoId, code, creditsCharged, chargeId, language },
      contentHash: item.contentSha256 ?? null,
      status: status === 'complete' || status === 'failed' ? status : 'cancelled',
    });
  };

const followQueries = (parts: FollowParts, sources: SourceStore): FollowQueries => {
  const { sql, log, secrets, baseUrl, caughtUp } = parts;
  const ring = secrets.ring('feeds of follows');
  const fresh = async () => caughtUp('follows', await headPosition(sql));
  const periodOf = async (accountId: string): Promise<string> =>
    (await parts.ledger.balance({ accountId }, { fresh: true })).opensAt.slice(0, 10);
  const viewOf = <Row extends Omit<FollowRow, 'position'>>(row: Row, base: string) => {
    const { status, waitingFor, operations, ...rest } = row;
    const isWaiting = status === 'active' && waitingFor !== null;
    return {
      ...rest,
      status: isWaiting ? ('waiting' as const) : status,
      waitingFor: isWaiting ? waitingFor : null,
      following: callsOf(operations),
      feedUrl: `${base}/feeds/${feedTokenOf(row, ring.current.bytes)}`,
    };
  };
  // From the streams: whoever has just made or changed a follow sees it as it is.
  const find = async (accountId: string, followId: string): Promise<FollowView> => {
    const one = requireOwn(await readFollow({ log }, followId), accountId);
    const { source, options, status, reason, feedGeneration, createdAt } = one;
    const { maxCreditsPerPeriod: maxCredits, ...wanted } = options;
    const seen = status === 'ended' ? null : await sources.find(follow.sourceKeyOf(source));
    const spent = (await readState(log, budget.streamOf(followId, await periodOf(accountId)), budget)).state;
    const row = {
      ...{ followId, accountId, status, reason, feedGeneration, createdAt, maxCredits, ...wanted },
      ...{ sourceKind: source.kind, sourceId: source.id, title: seen?.title ?? null },
      waitingFor: budget.waitingFor(spent, maxCredits),
      creditsUsed: spent.used,
      lastLookAt: seen?.lastLookAt ?? null,
      nextLookAt: status === 'active' ? (seen?.nextLookAt ?? null) : null,
    };
    return viewOf(row, await baseUrl());
  };
  return {
    follow: find,
    follows: async (accountId, page) => {
      await fresh();
      const base = await baseUrl();
      const found = await followsOf(sql, accountId, await periodOf(accountId), page);
      return { ...found, rows: found.rows.map((row) => viewOf(row, base)) };
    },
    followedVideos: async (followId, limit) => {
      await fresh();
      return await followedVideosOf(sql, followId, { limit });
    },
    followFeed: (followId, page) => followFeedOf(sql, followId, page),
    transcribedOf: async (token, limit) => {
      const followId = followIdIn(token);
      const one = followId === null ? null : (await readFollow({ log }, followId)).follow;
      const isGood = one !== null && one.status !== 'ended' && isFeedTokenGood(token, one, ring);
      // The feeds of an account that is suspended are not to be read either.
      if (!isGood || (await parts.accounts.findAccount(one))?.suspendedAt !== null) {
        throw new Refusal('FOLLOW_NOT_FOUND', 'There is no feed at this address.');
      }
      const { accountId } = one;
      const shown = await find(accountId, one.followId);
      return { follow: shown, videos: await followedVideosOf(sql, one.followId, { limit, isTranscribed: true }) };
    },
  };
};
