import { elapsedMs } from '../../kernel/clock.ts';

/** A change in the state of an egress. `proxy`: its host and port, without credentials; null for the direct one. */
export type EgressReport = {
  readonly egress: string;
  readonly proxy: string | null;
  /** `blocked`: the platform refuses requests from this egress. Null: it works again. */
  readonly why: 'connection' | 'timeout' | 'blocked' | null;
  /** An error code or our own words, never the message of a proxy, which may contain credentials. */
  readonly reason: string | null;
  readonly leftAloneMs: number;
};

/** Minimum interval between two failure reports of one egress. */
const quietMs = 60_000;

type LastReport = { readonly atMs: number; isBroken: boolean };

/** Reports failures of an egress, at most once a minute for each, and its recovery once. */
export const egressReports = (
  proxies: ReadonlyMap<string, string | undefined>,
  tell: (report: EgressReport) => void,
  now: () => number = elapsedMs,
) => {
  const reported = new Map<string, LastReport>();
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

/** The innermost `cause` of an error, at most five levels deep. */
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
