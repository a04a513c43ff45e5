import type { EventLog, RecordedEvent } from '../eventlog/log.ts';
import { type ChargeRefunded, type CreditsEvent, streamsOf } from './credits.ts';
import type { RefundHistory } from './keep-ledger.ts';

/** Accounts turn a book a month and rarely more: this many books are looked through at most. */
const maxBooks = 1_000;

/** What a refund needs to know of the past, read from the books themselves: closed ones never change again. */
export const refundHistory = (
  log: Pick<EventLog, 'readById' | 'streamsWithPrefix' | 'read'>,
): RefundHistory => ({
  chargeById: (id) => log.readById<CreditsEvent>(id),
  refundedBefore: async (charge, accountId) => {
    const books = await log.streamsWithPrefix(streamsOf(accountId), { limit: maxBooks });
    const closed = books.filter((book) => book >= charge.stream).slice(0, -1);
    let refunded = 0;
    for (const book of closed) {
      for (const event of await log.read<CreditsEvent>(book)) {
        if (isRefund(event) && event.data.chargeId === charge.id) refunded += event.data.amount;
      }
    }
    return { refunded, openBook: books.at(-1) ?? charge.stream };
  },
});

const isRefund = (event: RecordedEvent<CreditsEvent>): event is RecordedEvent<ChargeRefunded> =>
  event.type === 'ChargeRefunded';
