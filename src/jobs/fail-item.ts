import type { Command } from '@event-driven-io/emmett';
import { type ExpectedAttempt, isSuperseded } from '../kernel/attempt-fencing.ts';
import { complete, decideOn, endItem, faultMessage, type ItemAttempt, type ItemEnding } from './extract-item.ts';
import type * as items from './item-group.ts';
import { readJob, workerOf } from './job-streams.ts';

/** Fails an item whose task was tried for the last time. */
export type FailItem = Command<'FailItem', { itemId: string; expectedAttempt: ExpectedAttempt }, { now: Date }>;

/**
 * An open item fails in its newest attempt. A queued item gets an attempt for this that never started: its number
 * distinguishes failures of two runs. An item that is read can only be completed, and a superseded task changes nothing.
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
 * Fails an item with the error of its last attempt, or after crashes, releases its credits and ends its group. An item
 * that is read already is completed. If that fails it throws, and an operator has to look.
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
    const item = { item: seen.item, created: state.created };
    const ended = isRead ? await complete(deps, cause, address, item) : seen;
    await endItem(deps, cause, address, ended);
  };
