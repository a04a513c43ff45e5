import type { Command } from '@event-driven-io/emmett';
import { type ExpectedAttempt, isSuperseded } from '../kernel/work.ts';
import {
  complete,
  decideOn,
  endItem,
  faultMessage,
  type ItemAttempt,
  type ItemEnding,
} from './extract-item.ts';
import type * as items from './item-group.ts';
import { readJob, workerOf } from './job-streams.ts';

/** Whatever is tried with an item throws: it is not tried any more. */
export type FailItem = Command<
  'FailItem',
  { itemId: string; expectedAttempt: ExpectedAttempt },
  { now: Date }
>;

/**
 * An open item fails in its newest attempt. One that waits gets an attempt for it, which never came to its start: the
 * number tells two failures in two runs apart. What is read already can only be completed, and what has gone on is left
 * to other work.
 */
export const decide = (
  { data: { itemId, expectedAttempt }, metadata: { now } }: FailItem,
  { jobId, items: known }: items.State,
): items.ItemEvent[] => {
  const item = known.get(itemId);
  if (item?.status !== 'queued' && item?.status !== 'processing') return [];
  if (isSuperseded(item.postponed, expectedAttempt)) return [];
  const at = now.toISOString();
  const isWaiting = item.status === 'queued';
  const about = { jobId, itemId, attempt: isWaiting ? item.attempt + 1 : item.attempt };
  const failed: items.ItemExtractionFailed = {
    type: 'ItemExtractionFailed',
    data: { ...about, code: 'INTERNAL_ERROR', message: faultMessage, at },
  };
  return isWaiting ? [{ type: 'ItemStarted', data: { ...about, at } }, failed] : [failed];
};

/**
 * Ends an item whose task has thrown `fault` at its last try, or whose processes have died, with all that follows from
 * that. One that is read already is completed; where that cannot be, it throws why, and an operator has to say more.
 */
export const failItem =
  (deps: ItemEnding) =>
  async ({ expectedAttempt, ...address }: ItemAttempt, fault: unknown): Promise<void> => {
    const { jobId, itemId } = address;
    const { state } = await readJob(deps, jobId);
    if (state.created === null) throw fault;
    const cause = workerOf(state.created);
    const seen = await decideOn(deps, cause, address, (now, group) =>
      decide({ type: 'FailItem', data: { itemId, expectedAttempt }, metadata: { now } }, group),
    );
    deps.onFault(fault);
    const isRead = seen.item.status === 'settling';
    const ended = isRead ? await complete(deps, cause, address, seen.item) : seen;
    await endItem(deps, cause, address, ended);
  };
