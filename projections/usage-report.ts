import type { UsageKind } from '../src/credits/prices.ts';
import type { UsageRow } from './usage.ts';

/**
 * The usage of an account in a period; `daily` has one row per UTC day, oldest first, also for days without requests.
 */
export type UsageSums = {
  readonly requests: number;
  readonly successful: number;
  readonly failed: number;
  readonly creditsUsed: number;
  readonly byKind: readonly {
    readonly kind: UsageKind;
    readonly count: number;
    readonly credits: number;
  }[];
  /** Most credits first; `costTag` null: without a tag. */
  readonly byTag: readonly {
    readonly costTag: string | null;
    readonly count: number;
    readonly credits: number;
  }[];
  readonly daily: readonly {
    readonly day: string;
    readonly count: number;
    readonly credits: number;
  }[];
};

/** Most credits first; `keyId` null: without a key, from the website. */
export type UsageByKey = readonly {
  readonly keyId: string | null;
  readonly count: number;
  readonly credits: number;
}[];

const dayMs = 86_400_000;

/** The first UTC day (`YYYY-MM-DD`) of a period of `days` that ends today. */
export const firstDayOf = (now: Date, days: number): string =>
  new Date(now.getTime() - (days - 1) * dayMs).toISOString().slice(0, 10);

/** Sums rows of usage; each day since `firstDay` has a row, also days without requests. */
export const summed = (rows: readonly UsageRow[], firstDay: string, days: number): UsageSums => {
  const start = Date.parse(firstDay);
  const daily = new Map<string, { count: number; credits: number }>();
  for (let i = 0; i < days; i += 1) {
    daily.set(new Date(start + i * dayMs).toISOString().slice(0, 10), { count: 0, credits: 0 });
  }
  const kinds = new Map<string, { count: number; credits: number }>();
  let [requests, failed, creditsUsed] = [0, 0, 0];
  for (const row of rows) {
    requests += row.requests;
    failed += row.failed;
    creditsUsed += row.credits;
    const day = daily.get(row.day) ?? { count: 0, credits: 0 };
    day.count += row.requests;
    day.credits += row.credits;
    daily.set(row.day, day);
    const kind = kinds.get(row.kind) ?? { count: 0, credits: 0 };
    kind.count += row.requests;
    kind.credits += row.credits;
    kinds.set(row.kind, kind);
  }
  return {
    requests,
    successful: requests - failed,
    failed,
    creditsUsed,
    byKind: [...kinds]
      .map(([kind, sums]) => ({ kind: kind as UsageKind, ...sums }))
      .sort((a, b) => (a.kind < b.kind ? -1 : 1)),
    byTag: summedBy(rows, ({ costTag }) => costTag).map(([costTag, sums]) => ({ costTag, ...sums })),
    daily: [...daily].map(([day, sums]) => ({ day, ...sums })),
  };
};

/** The same rows by key, most credits first. */
export const summedByKey = (rows: readonly UsageRow[]): UsageByKey =>
  summedBy(rows, ({ keyId }) => keyId).map(([keyId, sums]) => ({ keyId, ...sums }));

type Sums = { count: number; credits: number };

/** Requests and credits by what `of` says of a row, most credits first. */
const summedBy = <Key>(rows: readonly UsageRow[], of: (row: UsageRow) => Key): (readonly [Key, Sums])[] => {
  const groups = new Map<Key, Sums>();
  for (const row of rows) {
    const group = groups.get(of(row)) ?? { count: 0, credits: 0 };
    group.count += row.requests;
    group.credits += row.credits;
    groups.set(of(row), group);
  }
  return [...groups].sort(([, a], [, b]) => b.credits - a.credits || b.count - a.count);
};
