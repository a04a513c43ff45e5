import { z } from 'zod';
import type { capPeriods } from '../contract/caps.ts';
import { dayMs } from '../kernel/clock.ts';

/** What a key has spent and reserved lately, and of which share of its cap its owner was told. */
export const keySpend = z
  .object({
    keyId: z.string(),
    day: z.string().describe('`YYYY-MM-DD` of the latest charge, UTC'),
    onDay: z.int().describe('credits on that day'),
    inWeek: z.int().describe('credits in the week of that day; weeks begin on Monday'),
    told: z
      .object({
        window: z.string().describe('the window of time and the cap'),
        share: z.int().describe('percent of the cap, the highest that was told'),
      })
      .readonly()
      .exactOptional()
      .describe('the last cap notice to the owner; absent: none'),
  })
  .readonly()
  .meta({ id: 'KeySpend', description: 'recent spending and reservations of a key' });

export type KeySpend = z.output<typeof keySpend>;

/** The spending of keys in the shorter windows of caps; the billing period is counted in `spentByKey`. */
export type RecentSpending = { readonly recentByKey: Map<string, KeySpend> };

export type CapPeriod = (typeof capPeriods)[number];

/** The UTC day of a time, `YYYY-MM-DD`. */
export const dayOf = (at: string): string => at.slice(0, 10);

/** The Monday of the week of a UTC day, `YYYY-MM-DD`. */
export const mondayOf = (day: string): string => {
  const date = new Date(`${day}T00:00:00.000Z`);
  return dayOf(new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * dayMs).toISOString());
};

const isSameWeek = (one: string, other: string): boolean => one === other || mondayOf(one) === mondayOf(other);

/** What a key has spent on a UTC day and in its week. */
const spentOn = (spend: KeySpend | undefined, day: string): Pick<KeySpend, 'onDay' | 'inWeek'> => ({
  onDay: spend?.day === day ? spend.onDay : 0,
  inWeek: spend !== undefined && isSameWeek(spend.day, day) ? spend.inWeek : 0,
});

/** Adds to what a key has spent. `at`: RFC 3339 in UTC; times of a book never go back. */
export const countRecent = (
  { recentByKey }: RecentSpending,
  keyId: string | null,
  amount: number,
  at: string,
): void => {
  if (keyId === null) return;
  const before = recentByKey.get(keyId);
  const day = dayOf(at);
  const { onDay, inWeek } = spentOn(before, day);
  recentByKey.set(keyId, { ...before, ...{ keyId, day, onDay: onDay + amount, inWeek: inWeek + amount } });
};

/** Gives back what a key spent on `day`, as far as that day and its week still count; never below 0. */
export const uncountRecent = (
  { recentByKey }: RecentSpending,
  keyId: string | null | undefined,
  amount: number,
  day: string | undefined,
): void => {
  const spend = typeof keyId === 'string' ? recentByKey.get(keyId) : undefined;
  if (spend === undefined || day === undefined) return;
  recentByKey.set(spend.keyId, {
    ...spend,
    onDay: spend.day === day ? Math.max(0, spend.onDay - amount) : spend.onDay,
    inWeek: isSameWeek(spend.day, day) ? Math.max(0, spend.inWeek - amount) : spend.inWeek,
  });
};

/** Notes of which share of its cap the owner of a key was told. */
export const noteTold = (
  { recentByKey }: RecentSpending,
  { keyId, window, share, at }: { readonly keyId: string; window: string; share: number; at: string },
): void => {
  const before = recentByKey.get(keyId);
  const highest = before?.told?.window === window ? Math.max(before.told.share, share) : share;
  const spend = before ?? { keyId, day: dayOf(at), onDay: 0, inWeek: 0 };
  recentByKey.set(keyId, { ...spend, told: { window, share: highest } });
};

/** The spending that a book takes over from the one before: within a period all of it, else that of the present week. */
export const carriedSpend = (
  { recentByKey }: RecentSpending,
  { at, isSamePeriod }: { readonly at: string; readonly isSamePeriod: boolean },
): readonly KeySpend[] => [...recentByKey.values()].filter(({ day }) => isSamePeriod || isSameWeek(day, dayOf(at)));

/** What was told of a cap is told of this one in this window: another cap is another budget. */
export const toldWindow = ({ window, capCredits }: { readonly window: string; readonly capCredits: number }): string =>
  `${window}, ${capCredits}`;

type Spending = {
  readonly recentByKey: ReadonlyMap<string, KeySpend>;
  readonly spentByKey: ReadonlyMap<string, number>;
  readonly period: string;
};

/** What a key has spent and reserved in the window of its cap at a time, with the name of that window. */
export const spentInWindow = (
  { recentByKey, spentByKey, period }: Spending,
  keyId: string,
  capPeriod: CapPeriod,
  at: string,
): { readonly spent: number; readonly window: string } => {
  const day = dayOf(at);
  if (capPeriod === 'period') return { spent: spentByKey.get(keyId) ?? 0, window: `period ${period}` };
  const { onDay, inWeek } = spentOn(recentByKey.get(keyId), day);
  return capPeriod === 'day'
    ? { spent: onDay, window: `day ${day}` }
    : { spent: inWeek, window: `week ${mondayOf(day)}` };
};
