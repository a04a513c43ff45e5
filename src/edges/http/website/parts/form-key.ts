import { newId } from '../../../../kernel/ids.ts';
import { idempotencyHours } from '../../middleware/idempotency-store.ts';

const keptMs = idempotencyHours * 3_600_000;

/** A name for one rendering of a form, which says when that was: the same form sent twice is charged once. */
export const onceToken = (): string => newId('frm');

/**
 * How many whole days old a form is, by its `once`. On another day it is another form: nobody gets for ever what was
 * paid for once, and the browser, which could name any time, gains two days at most.
 */
export const daysOld = (once: string, now: Date): number => {
  const made = Number.parseInt(/^frm_([0-9a-f]{12})7/.exec(once)?.[1] ?? '0', 16);
  return Math.trunc((now.getTime() - made) / keptMs);
};

/** Whether a form of this service has this `once`; programs may choose another. */
export const isOnceToken = (once: string): boolean => /^frm_[0-9a-f]{12}7[0-9a-f]{19}$/.test(once);
