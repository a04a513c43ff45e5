import { elapsedMs } from '../../kernel/clock.ts';

/** What became of an egress. `proxy`: its host and port alone, null for the direct one. */
export type EgressReport = {
  readonly egress: string;
  readonly proxy: string | null;
  /** `blocked`: the platform refuses what comes from there. Null: it answers again. */
  readonly why: 'connection' | 'timeout' | 'blocked' | null;
  /** A code or a few words of our own, never what a foreign program wrote: that may hold credentials. */
  readonly reason: string | null;
  readonly leftAloneMs: number;
};

/** Between two reports that the same egress is broken, however often it breaks. */
const quietMs = 60_000;

type Reported = { readonly atMs: number; isBroken: boolean };

/** Tells of an egress when it breaks, at most once a minute for each, and once when it answers again. */
export const egressReports = (
  proxies: ReadonlyMap<string, string | undefined>,
  tell: (report: EgressReport) => void,
  now: () => number = elapsedMs,
) => {
  const reported = new Map<string, Reported>();
  const about = (egress: string) => ({ egress, proxy: hostOf(proxies.get(egress)) });
  return {
    broke: (
      egress: string,
      why: NonNullable<EgressReport['why']>,
      leftAloneMs: number,
      error: unknown = null,
    ): void => {
      const before = reported.get(egress);
      if (before !== undefined && now() - before.atMs < quietMs) return;
      reported.set(egress, { atMs: now(), isBroken: true });
      tell({ ...about(egress), why, reason: reasonOf(error), leftAloneMs });
    },
    answered: (egress: string): void => {
      const before = reported.get(egress);
      if (before?.isBroken !== true) return;
      before.isBroken = false;
      tell({ ...about(egress), why: null, reason: null, leftAloneMs: 0 });
    },
  };
};

const hostOf = (proxy: string | undefined): string | null =>
  proxy === undefined ? null : (URL.parse(proxy)?.host ?? null);

/** The innermost cause says what happened, at most five deep. */
const reasonOf = (error: unknown): string | null => {
  let reason: string | null = null;
  let cause = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    const status = /^Proxy response \((\d{3})\)/.exec(cause.message)?.[1];
    if (status !== undefined) return `the proxy answered ${status}`;
    if ('code' in cause && typeof cause.code === 'string') reason = cause.code;
    cause = cause.cause;
  }
  return reason;
};
