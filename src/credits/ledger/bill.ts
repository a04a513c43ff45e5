import type { CreditsEvent } from '../credits.ts';
import type { UsageKind } from '../prices.ts';
import { emptyBuckets, postingsOf } from './postings.ts';

/** What one kind of usage cost in a period; `count` is requests, credits are net of refunds. */
export type BillLine = { readonly operation: UsageKind; readonly count: number; readonly credits: number };

/** The bill of one account for a period, `from` inclusive, `to` exclusive (RFC 3339). Credits. */
export type Bill = Readonly<ReturnType<ReturnType<typeof billing>['bill']>>;

/**
 * Computes a bill from the events of all books in their order. It depends on events before `to` only, so the bill of a
 * closed period is the same whenever it is made.
 */
export const billing = (accountId: string, { from, to }: { readonly from: string; readonly to: string }) => {
  const balance = emptyBuckets();
  /** `corrected`: given by corrections, less what they took. */
  const sums = { granted: 0, charged: 0, refunded: 0, corrected: 0, expired: 0 };
  const lines = new Map<UsageKind, { count: number; credits: number }>();
  let opening = 0;

  const count = (operation: UsageKind, requests: number, credits: number) => {
    const line = lines.get(operation) ?? { count: 0, credits: 0 };
    lines.set(operation, { count: line.count + requests, credits: line.credits + credits });
  };
  const countWithin = (event: CreditsEvent) => {
    const { type, data } = event;
    if (type === 'CreditsGranted') sums.granted += data.amount;
    if (type === 'BalanceCorrected') sums.corrected += data.amount;
    if (type === 'CreditsExpired') sums.expired += data.amount;
    if (type === 'CreditsCharged' || type === 'ReservationSettled') {
      sums.charged += data.amount;
      count(data.operation, type === 'CreditsCharged' ? data.requests : 1, data.amount);
    }
    if (type === 'ChargeRefunded') {
      sums.refunded += data.amount;
      count(data.operation, 0, -data.amount);
    }
  };

  return {
    /** Adds the next event of the account. */
    add: (event: CreditsEvent): void => {
      const { at } = event.data;
      if (at >= to) return;
      for (const { bucket, amount } of postingsOf(event)) balance[bucket] += amount;
      if (at < from) opening = balance.available;
      else countWithin(event);
    },
    /** `opening`: available at the start; `reserved`: set aside at the end; `closing`: available at the end. */
    bill: () => ({
      accountId,
      from,
      to,
      opening,
      ...sums,
      reserved: balance.reserved,
      closing: balance.available,
      lines: [...lines]
        .map(([operation, line]): BillLine => ({ operation, ...line }))
        .sort((a, b) => (a.operation < b.operation ? -1 : 1)),
    }),
  };
};
