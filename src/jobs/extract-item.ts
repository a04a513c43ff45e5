import { LRUCache } from 'lru-cache';
import { refusalsOfPlatform } from '../contract/errors.ts';
import type { AbandonedWork } from '../credits/abandoned-work.ts';
import { type Begun, begunWork } from '../credits/admit-work.ts';
import type { Delivery, ModelUse } from '../credits/charge-credits.ts';
import { resolutionIdOf } from '../credits/ledger/event-ids.ts';
import type { Ledger } from '../credits/ledger/ledger-service.ts';
import { type PriceFacts, priceOf, type UsageKind } from '../credits/prices.ts';
import { failureOf } from '../extraction/failures.ts';
import { notAVideo } from '../extraction/video-id.ts';
import { type ExpectedAttempt, isSuperseded } from '../kernel/attempt-fencing.ts';
import { Refusal, type RefusalCode } from '../kernel/refusal.ts';
import type { Semaphore } from '../kernel/semaphore.ts';
import { deliveryNamed } from '../transcripts/delivery.ts';
import { endOf, recordGroupEnd } from './end-group.ts';
import * as finishAttempt from './finish-attempt.ts';
import * as items from './item-group.ts';
import * as job from './job.ts';
import { type Cause, decideOnJob, type JobStreams, metaOf, readJob, workerOf } from './job-streams.ts';
import * as startItem from './start-item.ts';
import { captionsWantedBy, type WantedCaptions } from './start-job.ts';

/** Reads one transcript for a job and stores it for the results. Throws `Refusal` like the engine. */
export type ReadForJob = (
  wanted: {
    readonly videoId: string;
    readonly language: string | null;
    readonly accountId: string;
    readonly itemId: string;
    /** What is to be made of it and kept beside it, as `JobCreated` holds it. */
    readonly operations: string | null;
    /** Which captions of it. */
    readonly captions: Required<WantedCaptions>;
    /** The id of the charge that will follow; null: the item is free. */
    readonly chargeId: string | null;
  },
  options: { readonly signal: AbortSignal; readonly begun: Begun },
) => Promise<{
  readonly language: string | null;
  readonly isRecognized?: boolean;
  /** Of its captions. */
  readonly contentSha256?: string;
  /** To be called once the item is charged. */
  readonly onCharged?: () => Promise<void>;
}>;

/** What was made of an item besides its transcript, and what each costs. */
export type FurtherCharges = {
  readonly of: (
    itemId: string,
  ) => Promise<
    readonly {
      readonly place: number;
      readonly operation: UsageKind;
      readonly amount: number;
      readonly modelUse: ModelUse | null;
      readonly pricedBy?: PriceFacts;
      readonly delivery?: Delivery;
    }[]
  >;
  /** Names the charge of one of them. */
  readonly setCharge: (itemId: string, place: number, chargeId: string) => Promise<void>;
};

export type ExtractItemDeps = JobStreams & {
  readonly read: ReadForJob;
  /** Absent: jobs read transcripts alone. */
  readonly further?: FurtherCharges;
  /**
   * Held by each item from its start until it is read. It is released before the charge: items that were read together
   * then share appends, which makes an item a third cheaper.
   */
  readonly reading: Semaphore;
  readonly ledger: Pick<Ledger, 'settleItem' | 'release' | 'record'>;
  readonly abandoned: Pick<AbandonedWork, 'record'>;
  /** From 0 to 1, spreads retries. */
  readonly random: () => number;
  readonly retryDelaysMs?: readonly number[];
  /** Called with errors that are our fault. The item counts them as transient failures. */
  readonly onFault: (fault: unknown) => void;
};

/** The message of an item that failed by an error of ours. */
export const faultMessage = 'Something went wrong on our side. Nothing is charged for this item.';

export type ItemAddress = { readonly jobId: string; readonly itemId: string };

/** `expectedAttempt`: 0 before the first attempt of a run. */
export type ItemAttempt = ItemAddress & { readonly expectedAttempt: ExpectedAttempt };

/**
 * Extracts one item: afterwards it is complete, failed, or queued again for later. Safe to run twice, also at the same
 * time, because the group's stream decides. It returns only when the charge or release and the end of the job are written,
 * so a run after a crash completes them. It throws when `signal` aborts, and another worker takes the item. What had begun
 * of an item that was cancelled counts as abandoned.
 */
export const extractItem = (deps: ExtractItemDeps) => {
  const { reading } = deps;
  const memory = jobMemory(deps);
  const delays = deps.retryDelaysMs ?? finishAttempt.retryDelaysMs;

  const extract = async (
    created: job.JobCreated['data'],
    { expectedAttempt, ...address }: ItemAttempt,
    options: Parameters<ReadForJob>[1],
  ): Promise<void> => {
    const { jobId, itemId } = address;
    const cause = workerOf(created);
    const { accountId, operations = null } = created;
    const ofJob = { accountId, operations, captions: captionsWantedBy(created) };

    let onCharged = async (): Promise<void> => {};
    const read: ReadForJob = async (...wanted) => {
      const transcript = await deps.read(...wanted);
      onCharged = transcript.onCharged ?? onCharged;
      return transcript;
    };

    const attempt = async (): Promise<{ seen: ItemSnapshot; outcome: Outcome | null }> => {
      using _ = await reading.acquire(options.signal);
      const seen = await decideOn(deps, cause, address, (now, state) =>
        startItem.decide({ type: 'StartItem', data: { itemId, expectedAttempt }, metadata: { now } }, state),
      );
      const isOurs = seen.item.status === 'processing' && !isSuperseded(seen.item.postponed, expectedAttempt);
      if (!isOurs) return { seen, outcome: null };
      await memory.markStarted(cause, jobId, seen.run);
      return { seen, outcome: await outcomeOf({ ...deps, read }, seen, ofJob, options) };
    };

    let { seen, outcome } = await attempt();
    if (outcome !== null) {
      const data = { itemId, attempt: seen.item.attempt, outcome };
      seen = await decideOn(deps, cause, address, (now, state) => {
        const metadata = { now, retryDelaysMs: delays };
        return finishAttempt.decide({ type: 'FinishAttempt', data, metadata }, state);
      });
    }
    if (seen.item.status === 'settling') {
      seen = await complete(deps, cause, address, { item: seen.item, created });
      if (seen.item.chargeId !== null) await onCharged();
    }
    await endItem(deps, cause, address, seen);
  };

  return async (item: ItemAttempt, { signal }: { signal: AbortSignal }): Promise<void> => {
    const created = await memory.createdOf(item.jobId);
    const { begun, credits } = begunWork();
    try {
      await extract(created, item, { signal, begun });
    } finally {
      if (credits() > 0) {
        const { items: inGroup } = await deps.groups.read(items.streamOf(item.jobId, job.groupOfItem(item.itemId)));
        const isCancelled = inGroup.get(item.itemId)?.status === 'cancelled';
        if (isCancelled) await deps.abandoned.record(created.accountId, credits());
      }
    }
  };
};

/** An item that is read is charged, with what was made of it besides, and complete. */
export const complete = async (
  deps: ItemEnding,
  cause: Cause,
  address: ItemAddress,
  { item, created }: { readonly item: items.Item; readonly created: job.JobCreated['data'] },
): Promise<ItemSnapshot> => {
  const { itemId } = address;
  const hasMore = (created.operations ?? null) !== null;
  const transcript = await settle(deps, cause, address, item, created);
  const further = hasMore ? await settleFurther(deps, cause, address, item) : 0;
  const settled = { ...transcript, creditsCharged: transcript.creditsCharged + further };
  return await decideOn(deps, cause, address, (now, state) =>
    finishAttempt.decideCompleted({ itemId, ...settled, now }, state),
  );
};

export type ItemEnding = Pick<ExtractItemDeps, keyof JobStreams | 'further' | 'ledger' | 'onFault'>;

/** After the end of an item: releases its part of the reservation, counts a failure, and records the end of its group. */
export const endItem = async (
  deps: ItemEnding,
  cause: Cause,
  { jobId, itemId }: ItemAddress,
  { item, end }: ItemSnapshot,
): Promise<void> => {
  if (item.status === 'failed') {
    const { reservationId, videoId, attempt, errorCode } = item;
    if (reservationId !== null && videoId !== null) {
      const amount = priceOf('job_item');
      await deps.ledger.release(cause, { reservationId, jobId, itemId, amount, why: 'item_failed' });
    }
    // Usage counts a failed item once for each run that it failed in.
    const context = { ...cause, deduplicationKey: `${itemId}|${attempt}` };
    await deps.ledger.record(context, { operation: 'job_item', code: errorCode ?? 'INTERNAL_ERROR' });
  }
  if (end !== null) await recordGroupEnd(deps, cause, jobId, end);
};

/** The item right after a decision. */
export type ItemSnapshot = {
  readonly item: items.Item;
  readonly language: string | null;
  readonly run: number;
  readonly end: ReturnType<typeof endOf>;
};

/** Decides on an item in the stream of its group; `now` is the moment of the decision. */
export const decideOn = (
  { groups, clock }: Pick<JobStreams, 'groups' | 'clock'>,
  cause: Cause,
  { jobId, itemId }: ItemAddress,
  decide: (now: Date, state: items.State) => items.ItemEvent[],
): Promise<ItemSnapshot> => {
  const now = clock();
  return groups.run<ItemSnapshot>(items.streamOf(jobId, job.groupOfItem(itemId)), {
    decide: (state) => decide(now, state),
    meta: metaOf(cause, jobId, now),
    answer: (state) => seenOf(state, itemId),
  });
};

const seenOf = (state: items.State, itemId: string): ItemSnapshot => {
  const item = state.items.get(itemId);
  if (item === undefined) throw new Error(`${itemId} is not in its group`);
  return { item, language: state.language, run: state.run, end: endOf(state) };
};

/** Facts about jobs that never change, cached so that an item does not read its job. */
const jobMemory = (deps: JobStreams) => {
  const created = new LRUCache<string, job.JobCreated['data']>({ max: 1_000 });
  const started = new LRUCache<string, true>({ max: 1_000 });
  return {
    createdOf: async (jobId: string): Promise<job.JobCreated['data']> => {
      const known = created.get(jobId) ?? (await readJob(deps, jobId)).state.created;
      if (known === null) throw new Error(`${jobId} does not exist`);
      created.set(jobId, known);
      return known;
    },
    /** Once per job and run in each process. */
    markStarted: async (cause: Cause, jobId: string, run: number): Promise<void> => {
      const key = `${jobId}|${run}`;
      if (started.has(key)) return;
      await decideOnJob(deps, cause, jobId, (state, now) => startItem.decideJobStarted(now, state));
      started.set(key, true);
    },
  };
};

const transient: ReadonlySet<RefusalCode> = new Set([...refusalsOfPlatform, 'SERVICE_UNAVAILABLE', 'NOT_READY']);

type Outcome = finishAttempt.FinishAttempt['data']['outcome'];

/** In jobs, this is the one place where a refusal becomes a value. */
const outcomeOf = async (
  { read, random, onFault }: ExtractItemDeps,
  { item, language }: ItemSnapshot,
  ofJob: Pick<Parameters<ReadForJob>[0], 'accountId' | 'operations' | 'captions'>,
  options: Parameters<ReadForJob>[1],
): Promise<Outcome> => {
  const { videoId, itemId, reservationId } = item;
  if (videoId === null) {
    const { code, message, details } = notAVideo();
    return { kind: 'refused', code, message, details };
  }
  try {
    const { language: ofText, ...transcript } = await read(
      { videoId, language, itemId, ...ofJob, chargeId: reservationId && resolutionIdOf(reservationId, itemId) },
      options,
    );
    const { isRecognized = false, contentSha256 } = transcript;
    const content = contentSha256 === undefined ? {} : { contentSha256 };
    return { kind: 'extracted', language: ofText, isRecognized, ...content };
  } catch (error) {
    options.signal.throwIfAborted();
    const jitter = random();
    if (!(error instanceof Refusal)) {
      onFault(error);
      const told = { code: 'INTERNAL_ERROR', message: faultMessage } as const;
      return { kind: 'hindered', ...told, retryAfterS: null, jitter };
    }
    const { code, message, details } = error;
    // A refusal advises callers how long to wait also where the platform asked for nothing; a job has its own waits.
    const { retryAfterS } = failureOf(error) ?? error;
    return transient.has(code)
      ? { kind: 'hindered', code, message, details, retryAfterS, jitter }
      : { kind: 'refused', code, message, details };
  }
};

const settle = async (
  { ledger }: ItemEnding,
  cause: Cause,
  { jobId, itemId }: ItemAddress,
  { reservationId, attempt, videoId, isRecognized = false, contentSha256 }: items.Item,
  created: job.JobCreated['data'],
): Promise<Pick<items.ItemCompleted['data'], 'chargeId' | 'creditsCharged'>> => {
  if (reservationId === null) return { chargeId: null, creditsCharged: 0 };
  const posted = await ledger.settleItem(cause, {
    reservationId,
    jobId,
    itemId,
    attempt,
    operation: 'job_item',
    amount: priceOf('job_item', { isRecognized }),
    pricedBy: { isRecognized },
    delivery:
      contentSha256 === undefined
        ? null
        : deliveryNamed(contentSha256, { language: created.language, ...captionsWantedBy(created) }),
    videoId,
  });
  return { chargeId: posted.eventId, creditsCharged: posted.credits };
};

/** In place of the id of a charge: complete, and nothing was due. */
const free = '';

/** Charges the operations on an item; resolves to what they cost. Each is an entry of its own in the ledger. */
const settleFurther = async (
  { ledger, further }: ItemEnding,
  cause: Cause,
  { jobId, itemId }: ItemAddress,
  { reservationId, attempt, videoId }: items.Item,
): Promise<number> => {
  if (reservationId === null || further === undefined) return 0;
  let credits = 0;
  for (const { place, ...charge } of await further.of(itemId)) {
    if (charge.amount === 0) {
      await further.setCharge(itemId, place, free);
      continue;
    }
    const posted = await ledger.settleItem(cause, {
      ...{ reservationId, jobId, itemId: `${itemId}.${place}`, attempt, videoId },
      ...charge,
    });
    credits += posted.credits;
    if (posted.eventId !== null) await further.setCharge(itemId, place, posted.eventId);
  }
  return credits;
};
