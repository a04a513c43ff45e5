/** A longer wait counts as this long. */
const longestMs = 30 * 24 * 3_600_000;

/**
 * The `Retry-After` header (RFC 9110, 10.2.3), seconds or a date, as milliseconds from `nowMs`. Null when it is absent,
 * malformed or past.
 */
export const retryAfterMsOf = (value: string | null, nowMs: number): number | null => {
  if (value === null) return null;
  if (/^\d+$/.test(value.trim())) return Math.min(Number(value) * 1_000, longestMs);
  const ms = Date.parse(value) - nowMs;
  return ms > 0 ? Math.min(ms, longestMs) : null;
};
