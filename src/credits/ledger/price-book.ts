import { z } from 'zod';
import type { ChargeData, CreditsEvent } from '../credits.ts';
import { startedHundreds, type UsageKind, usageKinds } from '../prices.ts';

const credits = z.int().min(0).max(1_000_000);

/**
 * Prices to compute a bill with: of an operation, by whether a model made the result, or by whether speech was recognized. A
 * listing has the price of each started hundred. What is left out keeps its price.
 */
export const priceBookSchema = z.strictObject({
  version: z.string().min(1).max(64),
  prices: z.partialRecord(
    z.enum(usageKinds),
    z.union([
      credits,
      z.strictObject({ model: credits, extract: credits }),
      z.strictObject({ captions: credits, recognized: credits }),
    ]),
  ),
});

export type PriceBook = z.output<typeof priceBookSchema>;

/** What a charge would have cost under other prices. One whose price depended on what is not known keeps its price. */
export const rebilledAmount = ({ prices }: PriceBook, data: ChargeData): number => {
  const price = prices[data.operation];
  if (price === undefined) return data.amount;
  const { pricedBy = {}, model } = data;
  const { quantity, isRecognized = false, usesModel = typeof model === 'string' } = pricedBy;
  if (typeof price === 'object' && 'model' in price) return usesModel ? price.model : price.extract;
  if (typeof price === 'object') return isRecognized ? price.recognized : price.captions;
  // A price of captions says nothing of speech.
  if (isRecognized) return data.amount;
  if (data.operation !== 'playlist' && data.operation !== 'channel') return price;
  return price * (quantity === undefined ? data.amount : startedHundreds(quantity));
};

/** A bill under other prices. Credits of charges; refunds stay as they were. */
export type Rebilling = {
  readonly rebilled: { readonly price_book: string; readonly charged: number; readonly difference: number };
  /** The charges whose price differs, in the order of the ledger. */
  readonly differences: readonly {
    readonly entry: string;
    readonly operation: UsageKind;
    readonly credits: number;
    readonly rebilled: number;
  }[];
};

/** Computes the charges of a period under other prices, `from` inclusive, `to` exclusive (RFC 3339). */
export const rebilling = (book: PriceBook, { from, to }: { readonly from: string; readonly to: string }) => {
  const differences: Rebilling['differences'][number][] = [];
  const sums = { charged: 0, before: 0 };
  return {
    add: (event: CreditsEvent, entry: string): void => {
      const { type, data } = event;
      if (type !== 'CreditsCharged' && type !== 'ReservationSettled') return;
      if (data.at < from || data.at >= to) return;
      const rebilled = rebilledAmount(book, data);
      sums.charged += rebilled;
      sums.before += data.amount;
      if (rebilled === data.amount) return;
      differences.push({ entry, operation: data.operation, credits: data.amount, rebilled });
    },
    result: (): Rebilling => ({
      rebilled: { price_book: book.version, charged: sums.charged, difference: sums.charged - sums.before },
      differences,
    }),
  };
};
