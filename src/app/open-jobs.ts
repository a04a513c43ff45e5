import { LRUCache } from 'lru-cache';
import { hasFollowWithUrl } from '#projections/follow-rows.ts';
import {
  detailedItemsOf,
  endedItemsOf,
  feedOf,
  firstItemsOf,
  hasJobWithUrl,
  isSettled,
  jobOf,
  jobsOf,
  openJobIdsOf,
} from '#projections/job-rows.ts';
import { headPosition } from '#projections/ledger-entries.ts';
import { deliveriesOf, failedDeliveriesSince, failingSince } from '#projections/webhook-deliveries.ts';
import { wasErasedBefore } from '../accounts/signed-in-owner.ts';
import { eraseContentIn } from '../adapters/postgres/erase-content-postgres.ts';
import { type OperationResults, postgresOperationResults } from '../adapters/postgres/operation-results-postgres.ts';
import { postgresWebhookSecrets } from '../adapters/postgres/secret-keys/webhook-secrets.ts';
import { videoTitles } from '../adapters/postgres/video-titles-postgres.ts';
import { reachability, webhookSender } from '../adapters/webhooks/webhook-http.ts';
import type { JobWithOperations } from '../commands.ts';
import type { Config } from '../config.ts';
import { kindFor } from '../contract/webhook-events.ts';
import { priceOf, recognitionPrice } from '../credits/prices.ts';
import type { WorkCommands } from '../edges/worker/work-commands.ts';
import { mostOf, runOperation } from '../insights/run-operation.ts';
import { producer, type WorkKind } from '../insights/run-with-model.ts';
import { callsOf, storedCalls } from '../insights/stored-operations.ts';
import { abandonReservation } from '../jobs/abandon-reservation.ts';
import { cancelItems, unknownJob } from '../jobs/cancel-job.ts';
import { cancelJobs } from '../jobs/cancel-jobs.ts';
import { closeJob } from '../jobs/end-group.ts';
import { type ExtractItemDeps, extractItem, type ItemAddress } from '../jobs/extract-item.ts';
import { failCancellation } from '../jobs/fail-cancellation.ts';
import { failItem } from '../jobs/fail-item.ts';
import { failRetry } from '../jobs/fail-retry.ts';
import { itemsPerGroup } from '../jobs/job.ts';
import { jobCommands } from '../jobs/job-commands.ts';
import { jobStreams, readJob } from '../jobs/job-streams.ts';
import { listSource } from '../jobs/list-source.ts';
import { failListing, resolveListing } from '../jobs/resolve-listing.ts';
import { requeueItems } from '../jobs/retry-job.ts';
import { runFacts } from '../jobs/run-facts.ts';
import { captionsWantedBy, type JobRequest, type PlanOptions, type WantedCaptions } from '../jobs/start-job.ts';
import type { Call } from '../kernel/call.ts';
import { elapsedMs } from '../kernel/clock.ts';
import { randomShare } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import { semaphore } from '../kernel/semaphore.ts';
import { currentTraceparent, inSpan } from '../kernel/tracing.ts';
import type { JobQueries, WebhookQueries } from '../queries.ts';
import { captionsSha256, resultDelivery } from '../transcripts/delivery.ts';
import type { CaptionKeeper } from '../transcripts/keep-captions.ts';
import { notePaid, type PaidCaptionsStore } from '../transcripts/paid-captions.ts';
import { isRecognized, mayRecognize, wantedOf } from '../transcripts/read-transcript.ts';
import { addBesides, type Besides } from '../transcripts/read-video.ts';
import { shapeTranscript } from '../transcripts/shape-transcript.ts';
import type { WordCounter } from '../transcripts/tokens.ts';
import { deliverWebhook, type SendWebhook } from '../webhooks/deliver-webhook.ts';
import { failDelivery } from '../webhooks/fail-delivery.ts';
import { manageWebhooks, requireWebhook, shown } from '../webhooks/register-webhook.ts';
import { replayDeliveries, requestDeliveries } from '../webhooks/request-delivery.ts';
import * as webhook from '../webhooks/webhook.ts';
import { webhookStreams } from '../webhooks/webhook-streams.ts';
import { outboundCheck } from '../webhooks/webhook-url.ts';
import type { CoreParts } from './application-core.ts';
import type { openAdmission } from './open-admission.ts';
import { webhookSecretKeysOf } from './replace-secret-key.ts';

export type JobParts = Pick<
  CoreParts,
  'pool' | 'secrets' | 'log' | 'sql' | 'clock' | 'ledger' | 'engine' | 'caughtUp'
> &
  Pick<CoreParts, 'longRead' | 'insights' | 'systemCall' | 'baseUrl' | 'tracer' | 'metrics' | 'logger'> &
  Omit<ReturnType<typeof openAdmission>, 'admit'> & {
    readonly paid: PaidCaptionsStore;
    readonly keeper: CaptionKeeper;
    readonly tokens: WordCounter;
  };

/** The number of items that one process extracts concurrently: a fixed number for each egress. */
export const extractionsOf = ({ worker, platform }: Pick<Config, 'worker' | 'platform'>): number =>
  worker.concurrency * Math.max(1, platform.proxies.length);

/** Timeout of speech recognition in jobs: no request waits for it, so long audio is allowed. */
const recognitionTimeoutMs = 180_000;

/** Timeout of charging an item, which takes milliseconds unless the database is slow. */
const completeTimeoutMs = 8_000;

/** Commands and queries of jobs and webhooks, and the commands of the worker. */
export const openJobs = (config: Config, parts: JobParts) => {
  const { log, sql, clock, ledger, engine } = parts;
  const streams = jobStreams({ log, clock });
  const webhooks = webhookStreams({ log, clock });
  const secrets = postgresWebhookSecrets(parts.pool, webhookSecretKeysOf(parts.secrets));
  const { scheduleMs, disableAfterMs, connectTimeoutMs, timeoutMs } = config.webhooks;
  const check = outboundCheck(config.webhooks);
  const requireReachable = reachability({ check });
  const { listPlaylist, listChannel } = engine;
  const listing = { listPlaylist, listChannel, admit: parts.admitListing, timeoutMs: config.listingTimeoutMs };
  const onFault = (error: unknown) => parts.logger.error('work for a job failed', { error });
  const deps = { ...streams, ledger, listing, requireReachable, onFault };

  const results = postgresOperationResults({ pool: parts.pool });
  const commands = {
    ...withOperations(jobCommands(deps), parts),
    listSource: listSource({ engine, ledger }),
    ...manageWebhooks({
      ...webhooks,
      secrets,
      maxWebhooks: config.limits.webhooksPerAccount,
      requireReachable,
      hasJobWithUrl: async (accountId) => {
        const head = await headPosition(sql);
        await parts.caughtUp('jobs', head);
        await parts.caughtUp('follows', head);
        return await parts.longRead(
          accountId,
          async () => (await hasJobWithUrl(sql, accountId)) || (await hasFollowWithUrl(sql, accountId)),
        );
      },
    }),
    ...replayDeliveries({
      ...webhooks,
      failedSince: async (accountId, webhookId, since, limit) => {
        await parts.caughtUp('webhook_deliveries', await headPosition(sql));
        return await parts.longRead(accountId, () => failedDeliveriesSince(sql, webhookId, since, limit));
      },
    }),
  };
  const { endJobs, ...ofJobs } = jobWork(
    { ...parts, results },
    { ...deps, reading: semaphore({ total: extractionsOf(config) }) },
  );
  const work = {
    ...ofJobs,
    announceRun: announceRun(parts, webhooks),
    failDelivery: failDelivery({ ...webhooks, onFault }),
    deliverWebhook: deliverWebhook({
      ...webhooks,
      ...{ scheduleMs, disableAfterMs, secrets },
      random: randomShare,
      publicUrl: parts.baseUrl,
      factsOf: runFacts({ log }),
      failingSince: (webhookId) => failingSince(sql, webhookId),
      send: observed(webhookSender({ check, clock, connectTimeoutMs, timeoutMs }), parts),
    }),
  } satisfies Partial<WorkCommands>;
  return {
    commands,
    work,
    endJobs,
    /** What other features share with jobs. */
    streams,
    webhooks,
    requireReachable,
    queries: { ...jobQueries(parts, { results, streams }), ...webhookQueries(parts, webhooks) },
  };
};

/** The commands of jobs, of which some have operations after the transcript of each item. */
const withOperations = (
  { planJob, startJob, ...others }: ReturnType<typeof jobCommands>,
  { insights, abandoned, keeper }: Pick<JobParts, 'insights' | 'abandoned' | 'keeper'>,
) => {
  const priced = ({ following = [], ...wanted }: JobWithOperations): JobRequest => {
    const hasModel = insights.provider !== null;
    const mostCredits = following.reduce((sum, each) => sum + mostOf(each, hasModel), 0);
    return following.length === 0 ? wanted : { ...wanted, operations: { json: storedCalls(following), mostCredits } };
  };
  return {
    ...others,
    planJob: (call: Call, wanted: JobWithOperations, options?: PlanOptions) => planJob(call, priced(wanted), options),
    startJob: async (call: Call, wanted: JobWithOperations) => {
      const isCostly = (wanted.following ?? []).length > 0 || mayRecognize(wanted);
      if (isCostly) await abandoned.check(call.accountId);
      const keep = await keeper.wants(call, wanted.keep, null);
      return await startJob(call, { ...priced(wanted), keep });
    },
  };
};

/**
 * Reports each attempt that the shutdown of this process did not interrupt. With tracing it is a span, which the receiver
 * gets in `traceparent`.
 */
const observed =
  (send: SendWebhook, { metrics, tracer }: Pick<JobParts, 'metrics' | 'tracer'>): SendWebhook =>
  async (request) => {
    const start = { kind: 'client', attributes: { 'http.request.method': 'POST' } } as const;
    const attempt = await inSpan(
      tracer,
      'POST webhook',
      start,
      () => {
        const traceparent = currentTraceparent();
        return traceparent === null
          ? send(request)
          : send({ ...request, headers: { ...request.headers, traceparent } });
      },
      ({ httpStatus, ...ended }) => ({
        ...(httpStatus === null ? {} : { attributes: { 'http.response.status_code': httpStatus } }),
        error: ended.kind === 'failed' ? ended.why : null,
      }),
    );
    const isCutShort = attempt.httpStatus === null && request.signal.aborted;
    if (!isCutShort) metrics.webhookAttempted(attempt.kind === 'failed' ? attempt.why : attempt.kind);
    return attempt;
  };

const jobWork = (
  parts: JobParts & { readonly results: OperationResults },
  deps: Parameters<typeof jobCommands>[0] & Pick<ExtractItemDeps, 'reading' | 'onFault'>,
) => {
  const { pool, sql, caughtUp, ledger, abandoned, results, systemCall } = parts;
  const extracting = {
    ...deps,
    ledger,
    abandoned,
    random: randomShare,
    read: readWithOperations(parts),
    further: {
      of: async (itemId) =>
        (await results.stored([itemId])).map(({ place, credits: amount, done }) => ({
          place,
          operation: done.call.operation,
          amount,
          modelUse: done.use,
          pricedBy: { usesModel: done.model !== null },
          delivery: resultDelivery(done.call, done.result, { language: null }),
        })),
      setCharge: results.setCharge,
    },
  } satisfies ExtractItemDeps;
  // Settling items are read already, so they do not take a slot of the extraction.
  const complete = extractItem({ ...extracting, reading: semaphore({ total: itemsPerGroup }) });
  const completeItem = (item: ItemAddress) =>
    complete({ ...item, expectedAttempt: null }, { signal: AbortSignal.timeout(completeTimeoutMs) });
  /** The open jobs of an account as of now; null if the read model does not catch up in time. */
  const openIds = async (accountId: string): Promise<readonly string[] | null> => {
    const isFresh = (await caughtUp('jobs', await headPosition(sql))) === true;
    return isFresh ? await openJobIdsOf(sql, accountId, 500) : null;
  };
  const endJobs = (accountId: string) =>
    cancelJobs({ ...deps, openJobs: openIds, completeItem })(systemCall(accountId));
  return {
    endJobs,
    extractItem: extractItem(extracting),
    failItem: failItem(extracting),
    resolveListing: resolveListing(deps),
    failListing: failListing(deps),
    requeueItems: requeueItems(deps),
    failRetry: failRetry(deps),
    cancelItems: cancelItems(deps),
    failCancellation: failCancellation(deps),
    closeJob: closeJob(deps),
    checkReservation: ({ accountId, ...reservation }: Parameters<WorkCommands['checkReservation']>[0]) =>
      abandonReservation(deps)(systemCall(accountId), reservation),
    renewCredits: async ({ accountId, opensAt, closesAt }: Parameters<WorkCommands['renewCredits']>[0]) => {
      // The period of the erasure is still closed, for its bill; without this check further periods would be opened for ever.
      if (await wasErasedBefore(deps, accountId, opensAt)) return;
      await ledger.rollPeriod(systemCall(accountId), closesAt);
    },
    assignFirstPlan: async ({ accountId }: { readonly accountId: string }) => {
      const call = systemCall(accountId);
      const { isProvisional, plan } = await ledger.balance(call, { fresh: true });
      if (isProvisional) await ledger.assignPlan(call, plan);
    },
    endAccountWork: async ({ accountId }: { readonly accountId: string }) => {
      if (!(await endJobs(accountId))) throw new Error('not all jobs of the account can be seen');
      await eraseContentIn(pool, accountId);
    },
  };
};

/** Connects jobs and webhooks: requests the deliveries of a run that has ended. */
const announceRun =
  ({ log }: JobParts, webhooks: ReturnType<typeof webhookStreams>): WorkCommands['announceRun'] =>
  async ({ jobId, run, causeId }) => {
    const facts = await runFacts({ log })({ jobId, run });
    if (facts === null || facts.isOfFollow) return;
    await requestDeliveries(webhooks)({
      accountId: facts.accountId,
      kind: kindFor(facts.status),
      causeId,
      jobId,
      run,
      ownUrl: facts.webhookUrl,
    });
  };

/** Reads the captions of an item and runs the operations of its job on them. Results of earlier attempts are reused. */
const readWithOperations = ({
  engine,
  insights,
  results,
  paid,
  keeper,
  systemCall,
}: Pick<JobParts, 'engine' | 'insights' | 'paid' | 'keeper' | 'systemCall'> & {
  readonly results: OperationResults;
}): ExtractItemDeps['read'] => {
  const made = producer(insights);
  return async (item, { signal, begun }) => {
    const { videoId, language, accountId, itemId, operations, captions, chargeId } = item;
    const read = wantedOf(videoId, { language, ...captions }, recognitionTimeoutMs);
    const onRecognizing = () => begun('speech', recognitionPrice);
    const extraction = await engine.extract(read, { signal, onRecognizing });
    const wanted = callsOf(operations);
    const known = wanted.length === 0 ? [] : await results.stored([itemId]);
    for (const [place, each] of wanted.entries()) {
      if (known.some((result) => result.place === place)) continue;
      const onBegun = (by: WorkKind) => begun(String(place), priceOf(each.operation, { usesModel: by === 'model' }));
      const options = { ...{ caller: accountId, isBackground: true }, ...{ signal, startedMs: elapsedMs(), onBegun } };
      const { done, credits } = await runOperation(made, extraction, each, options);
      await results.save(accountId, { itemId, place, credits, done });
    }
    const isKept = captions.keep && chargeId !== null;
    if (isKept) await keeper.prepare(accountId, extraction, chargeId);
    return {
      language: extraction.track.language,
      isRecognized: isRecognized(extraction),
      contentSha256: captionsSha256(extraction),
      onCharged: async () => {
        notePaid(paid, { accountId }, extraction);
        if (isKept) await keeper.keep(systemCall(accountId), extraction);
      },
    };
  };
};

/** What the results of a job are, as its first event says for ever: which captions, and what they have besides. */
const wishesOfJobs = (streams: ReturnType<typeof jobStreams>) => {
  type Wishes = { readonly captions: Required<WantedCaptions>; readonly besides: Besides };
  const known = new LRUCache<string, Wishes>({ max: 1_000 });
  return async (jobId: string): Promise<Wishes> => {
    const kept = known.get(jobId);
    if (kept !== undefined) return kept;
    const { created } = (await readJob(streams, jobId)).state;
    const wanted = created?.besides ?? [];
    const besides = { includesVideo: wanted.includes('video'), countsTokens: wanted.includes('token_count') };
    const wishes = { captions: captionsWantedBy(created ?? {}), besides };
    if (created !== null) known.set(jobId, wishes);
    return wishes;
  };
};

const jobQueries = (
  parts: JobParts,
  { results, streams }: { readonly results: OperationResults; readonly streams: ReturnType<typeof jobStreams> },
): JobQueries => {
  const { sql, pool, engine, caughtUp } = parts;
  const wishesOf = wishesOfJobs(streams);
  const withBesides = addBesides(parts);
  const reservedOf = async (accountId: string) =>
    (await parts.ledger.balance({ accountId }, { fresh: true })).reservedByJob;
  const fresh = async (): Promise<boolean> => (await caughtUp('jobs', await headPosition(sql))) === true;
  return {
    job: async (accountId, jobId) => {
      const isFresh = await fresh();
      const job = await jobOf(sql, accountId, jobId);
      if (job !== null) return { ...job, creditsReserved: (await reservedOf(accountId)).get(jobId) ?? 0 };
      // The read model may not have a job that was just created, so 404 would be wrong.
      throw isFresh ? unknownJob() : notShownYet();
    },
    jobs: async (accountId, page) => {
      await fresh();
      const found = await parts.longRead(accountId, () => jobsOf(sql, accountId, page));
      const reserved = await reservedOf(accountId);
      const rows = found.rows.map((job) => ({ ...job, creditsReserved: reserved.get(job.jobId) ?? 0 }));
      return { ...found, rows };
    },
    videoTitles: videoTitles(pool),
    jobItems: (jobIds, perJob) => firstItemsOf(sql, jobIds, perJob),
    detailedJobItems: (jobId, limit) => detailedItemsOf(sql, jobId, limit),
    jobResults: (jobId, page) => endedItemsOf(sql, jobId, page),
    jobFeed: (jobId, page) => feedOf(sql, jobId, page),
    isJobSettled: (jobId) => isSettled(sql, jobId),
    operationResults: results.charged,
    resultTranscript: async (item, signal) => {
      const { jobId, status, chargeId, videoId, language, requestedLanguage } = item;
      if (status !== 'complete' || chargeId === null || videoId === null) return null;
      const { captions, besides } = await wishesOf(jobId);
      // Uses the stored result of speech recognition; nothing is recognized again.
      const asr = captions.asr === 'force' ? 'force' : 'auto';
      const kept = wantedOf(videoId, { ...captions, language, asr }, 0);
      const extraction = await engine.extract(kept, { signal }).catch((error: unknown) => {
        if (error instanceof Refusal) return null;
        throw error;
      });
      if (extraction === null) return null;
      const shape = { format: 'json', timestamps: false, clean: false, words: captions.words } as const;
      const shaped = shapeTranscript(extraction, shape);
      const { transcript } = await withBesides(shaped, extraction, besides, signal).catch((error: unknown) => {
        if (error instanceof Refusal) return shaped;
        throw error;
      });
      return { ...transcript, requestedLanguage };
    },
  };
};

const notShownYet = (): Refusal => new Refusal('SERVICE_UNAVAILABLE', 'Jobs cannot be shown yet. Try again.', null, 1);

const webhookQueries = (
  { sql, caughtUp, longRead }: JobParts,
  { webhooks }: ReturnType<typeof webhookStreams>,
): WebhookQueries => ({
  webhooks: async (accountId) => [...(await webhooks.read(webhook.streamOf(accountId))).webhooks.values()].map(shown),
  webhook: async (accountId, webhookId) =>
    shown(requireWebhook(await webhooks.read(webhook.streamOf(accountId)), webhookId)),
  webhookDeliveries: async (accountId, webhookId, page) => {
    requireWebhook(await webhooks.read(webhook.streamOf(accountId)), webhookId);
    await caughtUp('webhook_deliveries', await headPosition(sql));
    return await longRead(accountId, () => deliveriesOf(sql, accountId, { webhookId }, page));
  },
  jobDeliveries: async (accountId, jobId, page) => {
    await caughtUp('webhook_deliveries', await headPosition(sql));
    return await longRead(accountId, () => deliveriesOf(sql, accountId, { jobId }, page));
  },
});
