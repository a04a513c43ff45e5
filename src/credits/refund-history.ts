import assert from 'node:assert/strict';
import type { EventLog, RecordedEvent } from '../eventlog/log.ts';
import { type ChargeRefunded, type CreditsEvent, streamsOf } from './credits.ts';
import type { RefundHistory } from './keep-ledger.ts';

/** More than an account can have: that would be ten thousand million events. */
const maxBooks = 100_000;
/** A book can be long; so many of its events are in memory at a time. */
const pageSize = 1_000;

type Log = Pick<EventLog, 'readById' | 'streamsWithPrefix' | 'read'>;
type Place = Pick<RecordedEvent, 'stream' | 'version'>;

/** What the ledger needs to know of the past, read from the books themselves: closed ones never change again. */
export const refundHistory = (log: Log): RefundHistory => ({
  eventById: (id) => log.readById<CreditsEvent>(id),
  refundedBefore: async (charge, accountId) => {
    const books = await booksOf(log, accountId);
    const openBook = books.at(-1) ?? charge.stream;
    const refunds = await refundsIn(log, books, { after: charge, before: openBook });
    return { refunded: refunds.get(charge.id) ?? 0, openBook };
  },
  refundsBetween: async (accountId, between) =>
    refundsIn(log, await booksOf(log, accountId), between),
});

const booksOf = async (log: Log, accountId: string): Promise<readonly string[]> => {
  const books = await log.streamsWithPrefix(streamsOf(accountId), { limit: maxBooks });
  assert(books.length < maxBooks, 'all books of an account are looked through');
  return books;
};

const refundsIn = async (
  log: Log,
  books: readonly string[],
  { after, before }: { readonly after: Place; readonly before: string },
): Promise<ReadonlyMap<string, number>> => {
  const refunds = new Map<string, number>();
  for (const book of books) {
    if (book < after.stream || book >= before) continue;
    const from = book === after.stream ? after.version + 1n : 1n;
    for await (const event of eventsOf(log, book, from)) {
      if (!isRefund(event)) continue;
      const { chargeId, amount } = event.data;
      refunds.set(chargeId, (refunds.get(chargeId) ?? 0) + amount);
    }
  }
  return refunds;
};

async function* eventsOf(
  log: Log,
  book: string,
  first: bigint,
): AsyncIterable<RecordedEvent<CreditsEvent>> {
  for (let from: bigint | null = first; from !== null; ) {
    const page: readonly RecordedEvent<CreditsEvent>[] = await log.read(book, {
      from,
      limit: pageSize,
    });
    yield* page;
    from = page.length < pageSize ? null : (page.at(-1)?.version ?? 0n) + 1n;
  }
}

const isRefund = (event: RecordedEvent<CreditsEvent>): event is RecordedEvent<ChargeRefunded> =>
  event.type === 'ChargeRefunded';
