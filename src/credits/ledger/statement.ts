import type { EntryReference, Statement } from '../../contract/statements.ts';
import { csvLine } from '../../kernel/csv.ts';
import type { BookOpened, ChargeData, CreditsEvent } from '../credits.ts';
import { emptyBuckets, postingsOf } from './postings.ts';

/** An event of the ledger with what proves it. */
export type ProvedEvent = { readonly event: CreditsEvent; readonly entry: EntryReference };

type ChargeLine = Statement['charges'][number];

/**
 * Sums up the books of one period, in their order. It depends on these events alone: the statement of a closed period is the
 * same whenever it is made. Null: the first event opens no period.
 */
export const statementBuilder = () => {
  const balance = emptyBuckets();
  const charges = chargeLines();
  const grants: Statement['grants'] = [];
  const refunds: Statement['refunds'] = [];
  const corrections: Statement['corrections'] = [];
  let expired = 0;
  let isClosed = false;
  let begun: ReturnType<typeof openingOf> | null = null;
  const ends: { first: EntryReference | null; last: EntryReference | null } = { first: null, last: null };

  const addEvent = ({ type, data }: CreditsEvent, entry: EntryReference): void => {
    switch (type) {
      case 'BookOpened':
        if (begun === null && data.part === 1) {
          begun = openingOf(data);
          balance.available = begun.opening_balance;
          balance.reserved = begun.opening_reserved;
        }
        return;
      case 'BookClosed':
        isClosed = data.why === 'period_end';
        return;
      case 'CreditsGranted':
        grants.push({ entry: entry.id, kind: data.kind, credits: data.amount, at: data.at });
        return;
      case 'CreditsCharged':
        charges.add(data, data.requests);
        return;
      case 'ReservationSettled':
        charges.add(data, 1);
        return;
      case 'ChargeRefunded':
        refunds.push({ entry: entry.id, charge: data.chargeId, reason: data.why, credits: data.amount, at: data.at });
        return;
      case 'BalanceCorrected':
        corrections.push({
          number: `CN-${begun?.period ?? ''}-${corrections.length + 1}`,
          ...{ entry: data.entryId, correction: entry.id, reason: data.why, credits: data.amount, at: data.at },
        });
        return;
      case 'CreditsExpired':
        expired += data.amount;
        return;
      case 'PlanAssigned':
      case 'CreditsReserved':
      case 'ReservationReleased':
      case 'BudgetReached':
      case 'OperationServed':
      case 'OperationFailed':
        return;
    }
  };

  return {
    add: ({ event, entry }: ProvedEvent): void => {
      ends.first ??= entry;
      ends.last = entry;
      for (const { bucket, amount } of postingsOf(event)) balance[bucket] += amount;
      addEvent(event, entry);
    },
    statement: (): Statement | null =>
      begun === null
        ? null
        : {
            ...begun,
            provisional: !isClosed,
            grants,
            charges: charges.lines(),
            refunds,
            corrections,
            expired,
            reserved: balance.reserved,
            closing_balance: balance.available,
            first_entry: ends.first,
            last_entry: ends.last,
          },
  };
};

const openingOf = (data: BookOpened['data']) => ({
  account_id: data.accountId,
  period: data.opensAt.slice(0, 10),
  opens_at: data.opensAt,
  closes_at: data.closesAt,
  opening_balance: sumOf(data.carriedGrants.map(({ remaining }) => remaining)),
  opening_reserved: sumOf(data.carriedReservations.map(({ held }) => held)),
});

/** Charges by operation, key and cost tag. */
const chargeLines = () => {
  const lines = new Map<string, ChargeLine>();
  return {
    add: ({ operation, keyId, costTag, amount }: ChargeData, count: number): void => {
      const began = { operation, key_id: keyId, cost_tag: costTag ?? null, count: 0, credits: 0 };
      const name = JSON.stringify([operation, keyId, began.cost_tag]);
      const line = lines.get(name) ?? began;
      lines.set(name, { ...line, count: line.count + count, credits: line.credits + amount });
    },
    lines: (): ChargeLine[] => [...lines].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => line),
  };
};

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** A statement as CSV (RFC 4180), one line for each figure. */
export const statementCsv = (statement: Statement): string => {
  const line = (...cells: readonly (string | number | null)[]) => csvLine(cells);
  const total = (name: string, credits: number) => line(name, null, null, null, null, null, credits, null, null);
  return [
    line('section', 'entry', 'operation', 'key_id', 'cost_tag', 'count', 'credits', 'reason', 'number'),
    total('opening_balance', statement.opening_balance),
    total('opening_reserved', statement.opening_reserved),
    ...statement.grants.map(({ entry, kind, credits }) =>
      line('grant', entry, null, null, null, null, credits, kind, null),
    ),
    ...statement.charges.map((one) =>
      line('charge', null, one.operation, one.key_id, one.cost_tag, one.count, one.credits, null, null),
    ),
    ...statement.refunds.map(({ entry, credits, reason }) =>
      line('refund', entry, null, null, null, null, credits, reason, null),
    ),
    ...statement.corrections.map(({ number, entry, credits, reason }) =>
      line('correction', entry, null, null, null, null, credits, reason, number),
    ),
    total('expired', statement.expired),
    total('reserved', statement.reserved),
    total('closing_balance', statement.closing_balance),
  ].join('');
};
