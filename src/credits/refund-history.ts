import type { EventLog, RecordedEvent } from '../eventlog/log.ts';
import { type ChargeRefunded, type CreditsEvent, streamsOf } from './credits.ts';
import type { RefundHistory } from './keep-ledger.ts';

/** Accounts turn a book a month and rarely more: this many books are looked through at most. */
const maxBooks = 1_000;
/** A book can be long; so many of its events are in memory at a time. */
const pageSize = 1_000;

type Log = Pick<EventLog, 'readById' | 'streamsWithPrefix' | 'read'>;

/** What the ledger needs to know of the past, read from the books themselves: closed ones never change again. */
export const refundHistory = (log: Log): RefundHistory => ({
  eventById: (id) => log.readById<CreditsEvent>(id),
  refundedBefore: async ({ stream, id }, accountId) => {
    const books = await booksOf(log, accountId);
    const openBook = books.at(-1) ?? stream;
    const closed = books.filter((book) => book >= stream && book !== openBook);
    return { refunded: (await refundsIn(log, closed)).get(id) ?? 0, openBook };
  },
  refundsBetween: async (accountId, { from, to }) => {
    const books = await booksOf(log, accountId);
    return refundsIn(
      log,
      books.filter((book) => book >= from && book < to),
    );
  },
});

const booksOf = (log: Log, accountId: string): Promise<readonly string[]> =>
  log.streamsWithPrefix(streamsOf(accountId), { limit: maxBooks });

/** What these books gave back, by charge. */
const refundsIn = async (
  log: Log,
  books: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const refunds = new Map<string, number>();
  for (const book of books) {
    for await (const event of eventsOf(log, book)) {
      if (!isRefund(event)) continue;
      const { chargeId, amount } = event.data;
      refunds.set(chargeId, (refunds.get(chargeId) ?? 0) + amount);
    }
  }
  return refunds;
};

async function* eventsOf(log: Log, book: string): AsyncIterable<RecordedEvent<CreditsEvent>> {
  for (let from: bigint | null = 1n; from !== null; ) {
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
