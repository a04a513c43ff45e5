import type { Command } from '@event-driven-io/emmett';
import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { waitingFor as waitReasons } from '../contract/follows.ts';
import { type EventOf, event } from '../eventlog/event-schema.ts';
import { uuidOf } from '../kernel/ids.ts';

/*
 * What a follow spends in one accounting period of its account, beside the balance of the account and the cap of its key:
 * a job of a follow sets credits aside in all three. Bound: `maxVideosPerPeriod` videos with two events each, and one
 * event for each time that the budget was reached.
 */
export const streamOf = (followId: string, period: string): string => `follow-budget-${followId}-${period}`;

/** Jobs of one follow in one period, at most. */
const maxVideosPerPeriod = 4_000;

const about = {
  followId: field.followId,
  accountId: field.accountId,
  period: z.string().describe('the day on which the accounting period opened, `YYYY-MM-DD`'),
};

const ofJob = { ...about, videoId: field.videoId, jobId: field.jobId };

export const followBudgetEvents = {
  FollowBudgetReserved: event('Credits of the budget were reserved for the job that reads a video.', {
    ...ofJob,
    credits: field.amount,
    at: field.at,
  }),
  FollowBudgetSettled: event('The job ended with this cost, or could not start.', {
    ...ofJob,
    credits: z.int().describe('credits, 0 or more'),
    at: field.at,
  }),
  FollowBudgetReached: event('A video waits, because its maximum cost exceeds what is left of a budget.', {
    ...about,
    videoId: field.videoId,
    waitingFor: z
      .enum(waitReasons)
      .describe(
        'what is exceeded. `budget`: the budget of the follow. `credits`: the balance of the account. `key_cap`: the cap of the key. `grant_budget`: the budget of the authorization',
      ),
    maxCreditsPerPeriod: z.int().describe('the budget of the follow at this time'),
    retryAt: field.retryAt,
    at: field.at,
  }),
};

export type FollowBudgetEvent = EventOf<typeof followBudgetEvents>;
export type FollowBudgetReached = EventOf<typeof followBudgetEvents, 'FollowBudgetReached'>;

export type State = {
  /** Credits of each job: reserved, or what it has cost. */
  readonly jobs: Map<string, { readonly credits: number; readonly isSettled: boolean }>;
  /** The last time that the budget was reached; null: never, or something could be read since. */
  readonly reached: FollowBudgetReached['data'] | null;
  used: number;
};

export const initialState = (): State => ({ jobs: new Map(), reached: null, used: 0 });

/** The fold owns the map: a copy for each event would be quadratic. */
export const evolve = (state: State, { type, data }: FollowBudgetEvent): State => {
  switch (type) {
    case 'FollowBudgetReserved':
    case 'FollowBudgetSettled': {
      const before = state.jobs.get(data.jobId)?.credits ?? 0;
      state.jobs.set(data.jobId, { credits: data.credits, isSettled: type === 'FollowBudgetSettled' });
      const reached = type === 'FollowBudgetReserved' ? null : state.reached;
      return { ...state, used: state.used - before + data.credits, reached };
    }
    case 'FollowBudgetReached':
      return { ...state, reached: data };
  }
};

/** What the newest video that could not be paid waits for; null: nothing waits, or the budget is another one since. */
export const waitingFor = (
  { reached }: State,
  maxCreditsPerPeriod: number,
): FollowBudgetReached['data']['waitingFor'] | null => {
  const isOver = reached?.waitingFor === 'budget' && reached.maxCreditsPerPeriod !== maxCreditsPerPeriod;
  return isOver ? null : (reached?.waitingFor ?? null);
};

type JobCost = Omit<EventOf<typeof followBudgetEvents, 'FollowBudgetSettled'>['data'], 'at'>;

/** Sets credits of the budget aside for a job. */
export type ReserveBudget = Command<
  'ReserveBudget',
  JobCost & { maxCreditsPerPeriod: number; closesAt: string },
  { now: Date }
>;

/** Whether a job may begin, or has begun: it has its credits, or has cost some. */
export const isAdmitted = ({ jobs }: State, jobId: string): boolean => {
  const known = jobs.get(jobId);
  return known !== undefined && !(known.isSettled && known.credits === 0);
};

/** A job that was admitted stays so. Above the budget nothing is reserved, and that it was reached is told once. */
export const decideReserve = (
  { data, metadata: { now } }: ReserveBudget,
  state: State,
): readonly FollowBudgetEvent[] => {
  const { followId, accountId, period, videoId, jobId, credits, maxCreditsPerPeriod, closesAt } = data;
  if (isAdmitted(state, jobId)) return [];
  const at = now.toISOString();
  const shared = { followId, accountId, period, videoId };
  const fits = state.used + credits <= maxCreditsPerPeriod && state.jobs.size < maxVideosPerPeriod;
  if (fits) return [{ type: 'FollowBudgetReserved', data: { ...shared, jobId, credits, at } }];
  const { reached } = state;
  const isTold = reached?.waitingFor === 'budget' && reached.maxCreditsPerPeriod === maxCreditsPerPeriod;
  if (isTold) return [];
  const waits = { waitingFor: 'budget', maxCreditsPerPeriod, retryAt: closesAt } as const;
  return [{ type: 'FollowBudgetReached', data: { ...shared, ...waits, at } }];
};

/** The account, the key or the authorization has too few credits for a job that the budget admitted: it waits. */
export type WaitForCredits = Command<
  'WaitForCredits',
  Omit<FollowBudgetReached['data'], 'at'> & {
    jobId: string;
    waitingFor: Exclude<FollowBudgetReached['data']['waitingFor'], 'budget'>;
  },
  { now: Date }
>;

/** Gives the credits of the budget back. It is told once in the time until `retryAt`. */
export const decideWait = ({ data, metadata: { now } }: WaitForCredits, state: State): readonly FollowBudgetEvent[] => {
  const { jobId, waitingFor, maxCreditsPerPeriod, retryAt, ...shared } = data;
  const { reached } = state;
  const at = now.toISOString();
  const settled = decideSettle({ ...shared, jobId, credits: 0, now }, state);
  if (reached?.waitingFor === waitingFor && reached.retryAt > at) return settled;
  const reachedNow = { ...shared, waitingFor, maxCreditsPerPeriod, retryAt, at };
  return [...settled, { type: 'FollowBudgetReached', data: reachedNow }];
};

/** What a job of the period has cost; a job that was retried by its owner may end with other credits again. */
export const decideSettle = (
  { now, credits, ...job }: JobCost & { readonly now: Date },
  { jobs }: State,
): readonly FollowBudgetEvent[] => {
  const known = jobs.get(job.jobId);
  if (known === undefined || (known.isSettled && known.credits === credits)) return [];
  return [{ type: 'FollowBudgetSettled', data: { ...job, credits, at: now.toISOString() } }];
};

/** The id of an event is derived from its place: the decision sees to it that nothing is stored twice. */
export const idOf = (stream: string, _: FollowBudgetEvent, version: bigint): string => uuidOf(`${stream}|${version}`);
