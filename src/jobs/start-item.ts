import type { Command } from '@event-driven-io/emmett';
import { type ExpectedAttempt, isSuperseded } from '../kernel/attempt-fencing.ts';
import * as items from './item-group.ts';
import type * as job from './job.ts';

/** A worker takes an item. */
export type StartItem = Command<'StartItem', { itemId: string; expectedAttempt: ExpectedAttempt }, { now: Date }>;

/**
 * A queued item starts. A processing one is taken over from a worker that counts as dead, and its older attempt counts no
 * more. Settling and ended items stay as they are, and a superseded task changes nothing. An item whose workers vanish
 * again and again fails.
 */
export const decide = (
  { data: { itemId, expectedAttempt }, metadata: { now } }: StartItem,
  { jobId, items: known }: items.State,
): items.ItemEvent[] => {
  const item = known.get(itemId);
  if (item === undefined) throw new Error(`${itemId} is not in its group`);
  if (item.status !== 'queued' && item.status !== 'processing') return [];
  if (isSuperseded(item.postponed, expectedAttempt)) return [];

  const at = now.toISOString();
  const { attempt } = item;
  if (item.startsInRun >= items.maxStartsPerRun) {
    const message = `The item was interrupted ${items.maxStartsPerRun} times.`;
    const code = 'SERVICE_UNAVAILABLE';
    return [{ type: 'ItemExtractionFailed', data: { jobId, itemId, attempt, code, message, at } }];
  }
  return [{ type: 'ItemStarted', data: { jobId, itemId, attempt: attempt + 1, at } }];
};

/** The first item of a run makes the job processing. */
export const decideJobStarted = (now: Date, state: job.State): job.JobEvent[] => {
  const { created, run, status } = state;
  if (created === null || status !== 'queued') return [];
  return [{ type: 'JobStarted', data: { jobId: created.jobId, run, at: now.toISOString() } }];
};
