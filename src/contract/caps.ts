import { z } from 'zod';

/** The most credits of a cap of a key, of a grant and of a refund. */
export const mostCredits = 1_000_000_000;

/** The cap of a key, and each budget of an authorized application. */
export const capCredits = z.int().min(1).max(mostCredits);

/** The windows of time in which a cap counts. Days are UTC, weeks begin on Monday, a period is a billing period. */
export const capPeriods = ['day', 'week', 'period'] as const;

/** The windows that an owner is told of: those of caps, and `total` of the budget of an authorized application. */
export const budgetPeriods = [...capPeriods, 'total'] as const;

/** The share of a cap at which nothing is left, in percent. */
export const wholeCap = 100;

/** Shares of a cap at which its owner is warned, in percent. */
export const warnAt = z
  .array(
    z
      .int()
      .min(1)
      .max(wholeCap - 1),
  )
  .max(10)
  .transform((shares) => [...new Set(shares)].sort((one, other) => one - other));

/** The shares where a cap comes without any. */
export const usualWarnings: readonly number[] = [50, 80, 95];

/** The cap of a new key: what is left out is filled in. */
export const newCap = ({
  capCredits: credits = null,
  capPeriod = 'period',
  warnAt: shares = credits === null ? [] : usualWarnings,
}: {
  readonly capCredits?: number | null | undefined;
  readonly capPeriod?: (typeof capPeriods)[number] | undefined;
  readonly warnAt?: readonly number[] | undefined;
}) => ({ capCredits: credits, capPeriod, warnAt: shares });

/** The cap of a key as answers show it. */
export const capAnswer = ({ capCredits: credits, capPeriod, warnAt: shares }: ReturnType<typeof newCap>) => ({
  cap_credits: credits,
  cap_period: credits === null ? null : capPeriod,
  warn_at: credits === null ? [] : [...shares],
  monthly_cap_credits: capPeriod === 'period' ? credits : null,
});
