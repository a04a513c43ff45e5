import type { Command } from '@event-driven-io/emmett';
import type { RefusalDetails } from '../kernel/refusal.ts';
import * as items from './item-group.ts';

type Failure = { code: items.ItemErrorCode; message: string; details?: RefusalDetails | null };

/** What one attempt brought. `jitter` from 0 to 1; `retryAfterS` (seconds) as the platform asked, or null. */
export type FinishAttempt = Command<
  'FinishAttempt',
  {
    itemId: string;
    attempt: number;
    outcome:
      | { kind: 'extracted'; language: string | null; isRecognized?: boolean; contentSha256?: string }
      | (Failure & { kind: 'refused' })
      | (Failure & { kind: 'hindered'; retryAfterS: number | null; jitter: number });
  },
  { now: Date; retryDelaysMs: readonly number[] }
>;

/** Waits before the second and later tries of an item, milliseconds; each is spread by 20 % to both sides. */
export const retryDelaysMs: readonly number[] = [5_000, 30_000, 120_000];
const longestRetryMs = 3_600_000;

/** Only the newest attempt of a processing item counts; anything later than that is ignored. */
export const decide = (
  { data: { itemId, attempt, outcome }, metadata: { now, retryDelaysMs: delays } }: FinishAttempt,
  { jobId, items: known }: items.State,
): items.ItemEvent[] => {
  const item = known.get(itemId);
  if (item?.status !== 'processing' || item.attempt !== attempt) return [];

  const at = now.toISOString();
  if (outcome.kind === 'extracted') {
    const { language, isRecognized = false, contentSha256 } = outcome;
    const speech = isRecognized ? { isRecognized } : {};
    const content = contentSha256 === undefined ? {} : { contentSha256 };
    return [{ type: 'ItemExtracted', data: { jobId, itemId, attempt, language, ...speech, ...content, at } }];
  }
  const { code, message, details = null } = outcome;
  const failures = item.failuresInRun + 1;
  if (outcome.kind === 'refused' || failures >= items.maxFailuresPerRun) {
    const failed = { jobId, itemId, attempt, code, message, at };
    const data = details === null ? failed : { ...failed, details: storable(details) };
    return [{ type: 'ItemExtractionFailed', data }];
  }
  const waitMs = retryWaitMs(outcome, delays, failures);
  const retryAt = new Date(now.getTime() + waitMs).toISOString();
  return [{ type: 'ItemPostponed', data: { jobId, itemId, attempt, code, message, retryAt, at } }];
};

/** Details hold texts of the platform, which may hold characters that no event can. */
const storable = (details: RefusalDetails): RefusalDetails =>
  JSON.parse(JSON.stringify(details), (_, value) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  );

const retryWaitMs = (
  { retryAfterS, jitter }: { retryAfterS: number | null; jitter: number },
  delays: readonly number[],
  failures: number,
): number => {
  const base = delays[failures - 1] ?? delays.at(-1) ?? 0;
  const spread = Math.round(base * (0.8 + 0.4 * jitter));
  return Math.min(Math.max(spread, (retryAfterS ?? 0) * 1_000), longestRetryMs);
};

type Settlement = Pick<items.ItemCompleted['data'], 'itemId' | 'chargeId' | 'creditsCharged'>;

/** The charge of an extracted item is settled. */
export const decideCompleted = (
  { itemId, chargeId, creditsCharged, now }: Settlement & { now: Date },
  { jobId, items: known }: items.State,
): items.ItemEvent[] => {
  const item = known.get(itemId);
  if (item?.status !== 'settling') return [];
  const { attempt } = item;
  const at = now.toISOString();
  return [{ type: 'ItemCompleted', data: { jobId, itemId, attempt, chargeId, creditsCharged, at } }];
};
