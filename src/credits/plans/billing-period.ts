/** A billing period: `period` is `YYYY-MM` of its first day, times are UTC, `closesAt` is exclusive. */
export type Period = { readonly period: string; readonly opensAt: string; readonly closesAt: string };

/** The day a period starts in a month: the account's anchor day, or the month's last day when it is shorter. */
const startIn = (year: number, month: number, anchorDay: number): Date => {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month, Math.min(anchorDay, lastDay)));
};

const periodStartingIn = (year: number, month: number, anchorDay: number): Period => {
  const opens = startIn(year, month, anchorDay);
  return {
    period: opens.toISOString().slice(0, 7),
    opensAt: opens.toISOString(),
    closesAt: startIn(year, month + 1, anchorDay).toISOString(),
  };
};

/** The period that holds `at`. Exactly one period starts in every calendar month: no gap, no overlap. */
export const periodAt = (anchorDay: number, at: Date): Period => {
  const year = at.getUTCFullYear();
  const month = at.getUTCMonth();
  const hasStarted = at >= startIn(year, month, anchorDay);
  return periodStartingIn(year, hasStarted ? month : month - 1, anchorDay);
};

/** The period named `period` (`YYYY-MM`). */
export const periodNamed = (anchorDay: number, period: string): Period =>
  periodStartingIn(Number(period.slice(0, 4)), Number(period.slice(5, 7)) - 1, anchorDay);

/** The period after the one named `period` (`YYYY-MM`). */
export const periodAfter = (anchorDay: number, period: string): Period =>
  periodStartingIn(Number(period.slice(0, 4)), Number(period.slice(5, 7)), anchorDay);

/** Whether the period of a book had begun at this moment (RFC 3339, UTC); one that is not known was before it. */
export const hasBegunBy = (
  { anchorDay, period }: { readonly anchorDay: number; readonly period: string },
  moment: string | undefined,
): boolean => moment !== undefined && moment >= periodNamed(anchorDay, period).opensAt;
