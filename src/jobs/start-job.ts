import assert from 'node:assert/strict';
import type { Command } from '@event-driven-io/emmett';
import { maxItemsPerJob } from '../contract/jobs.ts';
import type { Ledger } from '../credits/ledger/ledger-service.ts';
import { keyIdOf } from '../credits/ledger-context.ts';
import { priceOf } from '../credits/prices.ts';
import type { Call } from '../kernel/call.ts';
import { uuidOf } from '../kernel/ids.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import type { ItemsQueued } from './item-group.ts';
import * as job from './job.ts';
import { appendStarted, type JobStreams, readJob, type StartEvents } from './job-streams.ts';
import {
  distinctSources,
  distinctVideos,
  isListing,
  type ListedSource,
  type ListingCall,
  type ListingDeps,
  listVideos,
  nameOfSource,
  type RefusedSource,
  type WantedVideo,
} from './list-videos.ts';

/** The content of a job. `items` in the order of the job; with `listing` they are not known yet. */
export type StartJob = Command<
  'StartJob',
  Omit<
    job.JobCreated['data'],
    'totalItems' | 'groups' | 'creditsPerItem' | 'operations' | keyof CaptionsOfJob | 'at'
  > & { items: readonly WantedVideo[]; operations: OperationsOfJob | null; captionsOfJob: CaptionsOfJob },
  { now: Date }
>;

/** A job without items completes at once. An existing job is not changed. */
export const decide = ({ data, metadata: { now } }: StartJob, { created, abandoned }: job.State): StartEvents => {
  assert(data.items.length <= maxItemsPerJob, 'a job is bounded');
  const { jobId, accountId, kind, reference, language, webhookUrl, listing, reservationId, creditsReserved } = data;
  const { items, operations, captionsOfJob, besides = [], follow, keyId, requestId } = data;
  if (created !== null) return { job: [], groups: [] };
  if (reservationId !== null && abandoned.has(reservationId)) refuseAbandoned();

  const at = now.toISOString();
  const groups = itemsQueued(data, at);
  const isEmpty = items.length === 0 && listing === null;
  // Transcripts of captions alone.
  const isPlain = operations === null && captionsOfJob.recognizesSpeech === undefined;
  const begun: job.JobCreated = {
    type: 'JobCreated',
    data: {
      ...{ jobId, accountId, kind, reference, language, webhookUrl, listing, reservationId, creditsReserved },
      totalItems: items.length,
      groups: groups.length,
      ...(isPlain ? {} : { creditsPerItem: creditsPerItem(operations, captionsOfJob) }),
      ...(operations === null ? {} : { operations: operations.json }),
      ...captionsOfJob,
      ...(besides.length === 0 ? {} : { besides }),
      ...(follow === undefined ? {} : { follow }),
      ...{ keyId, requestId, at },
    },
  };
  return { job: isEmpty ? [begun, { type: 'JobCompleted', data: { jobId, run: 1, at } }] : [begun], groups };
};

/** Divides the items of a job into groups. */
export const itemsQueued = (
  ofJob: Pick<StartJob['data'], 'jobId' | 'accountId' | 'language' | 'reservationId' | 'items'>,
  at: string,
): readonly ItemsQueued[] => {
  const { jobId, accountId, language, reservationId } = ofJob;
  const items = ofJob.items.map(({ videoId, reference }, index) => ({
    itemId: job.itemIdOf(jobId, index),
    videoId,
    reference,
  }));
  return Array.from({ length: Math.ceil(items.length / job.itemsPerGroup) }, (_, group) => {
    const from = group * job.itemsPerGroup;
    const ofGroup = items.slice(from, from + job.itemsPerGroup);
    return { type: 'ItemsQueued', data: { jobId, accountId, group, language, reservationId, items: ofGroup, at } };
  });
};

export type JobDeps = JobStreams & {
  readonly ledger: Pick<Ledger, 'reserve' | 'release'>;
  readonly listing: ListingDeps;
  /** Returns the normalized URL; refuses a URL that webhooks may not be sent to. */
  readonly requireReachable: (url: string) => Promise<string>;
};

export type JobRequest = {
  readonly kind: job.JobKind;
  /**
   * Ids or addresses: of playlists or channels by the kind; of a batch videos, and the addresses of playlists and
   * channels.
   */
  readonly references: readonly string[];
  /** Videos of all listings together; null: as many as a job holds. */
  readonly limit: number | null;
  readonly language: string | null;
  readonly webhookUrl: string | null;
  /** Null or absent: transcripts alone. */
  readonly operations?: OperationsOfJob | null;
  /** What its transcripts have besides. */
  readonly besides?: job.JobCreated['data']['besides'];
  /** The follow that found its video; absent: somebody asks for it. */
  readonly follow?: job.FollowOfJob;
} & WantedCaptions;

/** Which captions of each video, besides their language. */
export type WantedCaptions = {
  readonly captions?: 'any' | 'manual' | 'automatic';
  /** Whether speech is recognized: `auto` where there are no captions. */
  readonly asr?: 'off' | 'auto' | 'force';
  readonly words?: boolean;
  /** Whether they are kept in the library of the account. */
  readonly keep?: boolean;
};

/** The same as `JobCreated` holds it. */
type CaptionsOfJob = Pick<
  job.JobCreated['data'],
  'recognizesSpeech' | 'forcesRecognition' | 'captions' | 'words' | 'keeps'
>;

const captionsOfJob = ({
  captions = 'any',
  asr = 'off',
  words = false,
  keep = false,
}: WantedCaptions): CaptionsOfJob => ({
  ...(asr === 'off' ? {} : { recognizesSpeech: true as const }),
  ...(asr === 'force' ? { forcesRecognition: true as const } : {}),
  ...(captions === 'any' ? {} : { captions }),
  ...(words ? { words: true as const } : {}),
  ...(keep ? { keeps: true as const } : {}),
});

/** Reads what `captionsOfJob` wrote. */
export const captionsWantedBy = (created: CaptionsOfJob): Required<WantedCaptions> => {
  const {
    captions = 'any',
    recognizesSpeech = false,
    forcesRecognition = false,
    words = false,
    keeps = false,
  } = created;
  const whenMissing = recognizesSpeech ? 'auto' : 'off';
  return { captions, asr: forcesRecognition ? 'force' : whenMissing, words, keep: keeps };
};

/** Operations on each item after its transcript. `mostCredits`: what all of them may cost for one item. */
export type OperationsOfJob = { readonly json: string; readonly mostCredits: number };

const creditsPerItem = (operations: OperationsOfJob | null, { recognizesSpeech }: CaptionsOfJob): number =>
  priceOf('job_item', { isRecognized: recognizesSpeech === true }) + (operations?.mostCredits ?? 0);

/** The content of a job and the credits that it would reserve. */
export type JobPlan = {
  readonly items: readonly WantedVideo[];
  /** Null when all listings were read within the request. Otherwise `creditsNeeded` is the most that a job may reserve. */
  readonly listing: job.PendingListing | null;
  /** The playlist or channel of a job that is made from one; null while it is not listed. */
  readonly listed: ListedSource | null;
  /** The name of that playlist or channel, listed or not. */
  readonly source: string | null;
  /** Playlists and channels of a list that are refused; the rest of the plan is without them. */
  readonly refused: readonly RefusedSource[];
  readonly creditsNeeded: number;
};

export type StartedJob = {
  readonly jobId: string;
  readonly status: job.JobStatus;
  readonly totalItems: number;
  readonly creditsReserved: number;
  /** The playlist or channel of the job; null for a list of videos, or of several sources. */
  readonly source: string | null;
  /** A read model at this position includes the job. */
  readonly position: bigint;
};

/** `leavesOut`: what a list names and the platform refuses to list is told in the plan, and refuses nothing. */
export type PlanOptions = { readonly leavesOut?: boolean };

/** Computes the content and the cost of a job; writes, reserves and charges nothing. Refuses like a listing. */
export const planJob =
  ({ listing }: Pick<JobDeps, 'listing'>) =>
  async (wanted: JobRequest, call: ListingCall, { leavesOut = false }: PlanOptions = {}): Promise<JobPlan> => {
    const refused: RefusedSource[] = [];
    const perItem = creditsPerItem(wanted.operations ?? null, captionsOfJob(wanted));
    const { kind } = wanted;
    const references = kind === 'batch' ? wanted.references : distinctSources(kind, wanted.references);
    const limit = limitOf(wanted);
    const onRefused = (one: RefusedSource) => void refused.push(one);
    const found = await listVideos(listing)({ kind, references, limit }, call, leavesOut ? onRefused : undefined);
    if (found === null) {
      const creditsNeeded = perItem * limit;
      const [only = ''] = references;
      const isOne = kind !== 'batch' && references.length === 1;
      const source = isOne ? nameOfSource(kind, only) : null;
      const pending = { references, limit };
      return { items: [], listing: pending, listed: null, source, refused, creditsNeeded };
    }
    const { items, listed } = found;
    const source = listed?.id ?? null;
    const creditsNeeded = perItem * items.filter(({ videoId }) => videoId !== null).length;
    return { items, listing: null, listed, source, refused, creditsNeeded };
  };

/** Refuses more videos that are named one by one than a job holds. */
const boundedVideos = (references: readonly string[]) => {
  const items = distinctVideos(references);
  if (items.length <= maxItemsPerJob) return items;
  const message = `A job may have at most ${maxItemsPerJob} distinct videos.`;
  throw invalidRequest(message, { path: 'ids', code: 'too_big' }, { max: maxItemsPerJob });
};

/** Videos that are named one by one do not count against the limit of listings. */
const limitOf = ({ kind, references, limit }: JobRequest): number => {
  const named =
    kind === 'batch' ? boundedVideos(references.filter((reference) => !isListing(kind, reference))).length : 0;
  return Math.min(named + (limit ?? maxItemsPerJob), maxItemsPerJob);
};

/** Creates a job and reserves its maximum cost. A repeat of the operation returns the same job. */
export const startJob =
  (deps: JobDeps) =>
  async (call: Call, wanted: JobRequest): Promise<StartedJob> => {
    const jobId = job.jobIdOf(call.accountId, call.deduplicationKey);
    const before = await readJob(deps, jobId);
    if (before.state.created !== null) return startedOf(before.state, 0n);

    const webhookUrl = wanted.webhookUrl === null ? null : await deps.requireReachable(wanted.webhookUrl);
    const plan = await planJob(deps)(wanted, call);
    const amount = plan.creditsNeeded;
    const reservationId = amount === 0 ? null : reservationIdOf(before.state, jobId, 1, amount);
    if (reservationId !== null) await deps.ledger.reserve(call, { reservationId, jobId, amount });
    const { accountId, requestId } = call;
    const { kind, language, operations = null, besides = [], follow } = wanted;
    const { items, listing, source: reference } = plan;
    const data: StartJob['data'] = {
      ...{ jobId, accountId, kind, reference, language, webhookUrl, items, listing, reservationId },
      ...{ creditsReserved: amount, operations, captionsOfJob: captionsOfJob(wanted), besides },
      ...(follow === undefined ? {} : { follow }),
      ...{ keyId: keyIdOf(call), requestId },
    };
    const command: StartJob = { type: 'StartJob', data, metadata: { now: deps.clock() } };
    // A second attempt is needed when the same operation runs concurrently, or its reservation is released meanwhile.
    for (let tries = 0; tries < 3; tries += 1) {
      const { state, version } = tries === 0 ? before : await readJob(deps, jobId);
      const started = decide(command, state);
      if (started.job.length === 0) return startedOf(state, 0n);
      const appended = await appendStarted(deps, call, { jobId, version }, started);
      if (!appended.isAppended) continue;
      const begun = started.job.reduce(job.evolve, state);
      return startedOf(begun, appended.lastPosition);
    }
    throw new Error(`${jobId} is being created by another process`);
  };

/**
 * The reservation id of an operation. A repeat gets the same id unless the amount differs (a listing has grown) or the
 * reservation was released: items without a reservation would not be charged.
 */
export const reservationIdOf = (
  { abandoned }: Pick<job.State, 'abandoned'>,
  ...parts: readonly (string | number)[]
): string => `rsv_${uuidOf([...parts, abandoned.size].join('|')).replaceAll('-', '')}`;

const startedOf = ({ created, status, totalItems }: job.State, position: bigint): StartedJob => {
  assert(created !== null, 'the job exists');
  const { jobId, creditsReserved, reference: source } = created;
  return { jobId, status, totalItems, creditsReserved, source, position };
};

/** The reservation was released meanwhile: the caller repeats the request. */
export const refuseAbandoned = (): never => {
  throw new Refusal('SERVICE_UNAVAILABLE', 'The request took too long to create its job. Send it again.', null, 1);
};
