import assert from 'node:assert/strict';
import type { EventLog, RecordedEvent } from '../../eventlog/event-log.ts';
import { type ChargeRefunded, type CreditsEvent, streamsOf } from '../credits.ts';

/** Far above the number of books of any account: they would hold 10,000,000,000 events. */
const maxBooks = 100_000;
/** Refunds read at a time. */
const pageSize = 1_000;

type Log = Pick<EventLog, 'readById' | 'streamsWithPrefix' | 'read'>;
type Place = Pick<RecordedEvent, 'stream' | 'version'>;

/** Charges, and what books that are closed refunded of them. */
export type RefundHistory = ReturnType<typeof refundHistory>;

/** A part of the books: after an event, up to where the book `before` begins. */
type BookRange = { readonly after: Place; readonly before: string };

/** Reads from the books themselves: closed ones never change again. */
export const refundHistory = (log: Log) => ({
  eventById: (id: string) => log.readById<CreditsEvent>(id),
  /** What all books before the open one gave back for a charge, and which book is the open one. */
  refundedBefore: async (charge: RecordedEvent<CreditsEvent>, accountId: string) => {
    const books = await booksOf(log, accountId);
    const openBook = books.at(-1) ?? charge.stream;
    const refunds = await refundsIn(log, books, { after: charge, before: openBook });
    return { refunded: refunds.get(charge.id) ?? 0, openBook };
  },
  /** What was given back in a part of the books, by charge. */
  refundsBetween: async (accountId: string, between: BookRange) =>
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
  { after, before }: BookRange,
): Promise<ReadonlyMap<string, number>> => {
  const refunds = new Map<string, number>();
  for (const book of books) {
    if (book < after.stream || book >= before) continue;
    const from = book === after.stream ? after.version + 1n : 1n;
    for await (const { data } of refundsOf(log, book, from)) {
      refunds.set(data.chargeId, (refunds.get(data.chargeId) ?? 0) + data.amount);
    }
  }
  return refunds;
};

/** The refunds of a book alone: it holds up to a hundred thousand other events. */
async function* refundsOf(log: Log, book: string, first: bigint): AsyncIterable<RecordedEvent<ChargeRefunded>> {
  for (let from: bigint | null = first; from !== null; ) {
    const page: readonly RecordedEvent<ChargeRefunded>[] = await log.read(book, {
      from,
      limit: pageSize,
      types: ['ChargeRefunded'],
    });
    yield* page;
    from = page.length < pageSize ? null : (page.at(-1)?.version ?? 0n) + 1n;
  }
}
