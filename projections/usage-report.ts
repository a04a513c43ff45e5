import type { UsageKind } from '../src/credits/prices.ts';
import { dayMs } from '../src/kernel/clock.ts';
import type { UsageRow } from './usage.ts';

type Sums = { count: number; credits: number };

/**
 * The usage of an account in a period; `daily` has one row per UTC day, oldest first, also for days without requests.
 */
export type UsageSums = {
  readonly requests: number;
  readonly successful: number;
  readonly failed: number;
  readonly creditsUsed: number;
  readonly byKind: readonly ({ readonly kind: UsageKind } & Readonly<Sums>)[];
  /** Most credits first; `costTag` null: without a tag. */
  readonly byTag: readonly ({ readonly costTag: string | null } & Readonly<Sums>)[];
  readonly daily: readonly ({ readonly day: string } & Readonly<Sums>)[];
};

/** Most credits first; `keyId` null: without a key, from the website. */
export type UsageByKey = readonly ({ readonly keyId: string | null } & Readonly<Sums>)[];

/** The first UTC day (`YYYY-MM-DD`) of a period of `days` that ends today. */
export const firstDayOf = (now: Date, days: number): string =>
  new Date(now.getTime() - (days - 1) * dayMs).toISOString().slice(0, 10);

/** Sums rows of usage; each day since `firstDay` has a row, also days without requests. */
export const summed = (rows: readonly UsageRow[], firstDay: string, days: number): UsageSums => {
  const start = Date.parse(firstDay);
  const all = Array.from({ length: days }, (_, at) => new Date(start + at * dayMs).toISOString().slice(0, 10));
  const sumOf = (name: 'requests' | 'failed' | 'credits') => rows.reduce((sum, row) => sum + row[name], 0);
  const [requests, failed] = [sumOf('requests'), sumOf('failed')];
  return {
    requests,
    successful: requests - failed,
    failed,
    creditsUsed: sumOf('credits'),
    byKind: summedBy(rows, ({ kind }) => kind)
      .map(([kind, sums]) => ({ kind: kind as UsageKind, ...sums }))
      .sort((a, b) => (a.kind < b.kind ? -1 : 1)),
    byTag: mostCreditsFirst(summedBy(rows, ({ costTag }) => costTag)).map(([costTag, sums]) => ({ costTag, ...sums })),
    daily: summedBy(rows, ({ day }) => day, all).map(([day, sums]) => ({ day, ...sums })),
  };
};

/** The same rows by key, most credits first. */
export const summedByKey = (rows: readonly UsageRow[]): UsageByKey =>
  mostCreditsFirst(summedBy(rows, ({ keyId }) => keyId)).map(([keyId, sums]) => ({ keyId, ...sums }));

const mostCreditsFirst = <Key>(groups: readonly (readonly [Key, Sums])[]): readonly (readonly [Key, Sums])[] =>
  groups.toSorted(([, a], [, b]) => b.credits - a.credits || b.count - a.count);

/** Requests and credits by what `of` says of a row; `first`: groups that stand first, also without a row. */
const summedBy = <Key>(
  rows: readonly UsageRow[],
  of: (row: UsageRow) => Key,
  first: readonly Key[] = [],
): (readonly [Key, Sums])[] => {
  const groups = new Map(first.map((key) => [key, { count: 0, credits: 0 }]));
  for (const row of rows) {
    const group = groups.get(of(row)) ?? { count: 0, credits: 0 };
    group.count += row.requests;
    group.credits += row.credits;
    groups.set(of(row), group);
  }
  return [...groups];
};
