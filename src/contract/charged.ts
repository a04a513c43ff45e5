import { z } from 'zod';
import { count, lengths, named } from './schemas.ts';

/* What every request that costs credits can be given and can be asked. */

/** The key under which a repeat of a request gets its response again. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: 'must be 1 to 255 visible ASCII characters' })
  .meta(lengths(1, 255));

/** To what the caller assigns a cost. It is kept as it is, with the charge. */
export const costTag = z
  .string()
  .regex(/^[A-Za-z0-9._:/ -]{1,64}$/, { error: 'must be 1 to 64 letters, digits, spaces and . _ : / -' })
  .meta(lengths(1, 64));

/** The tag in a body; the header says the same. */
export const costTagBody = {
  cost_tag: costTag
    .optional()
    .describe(
      'Stored with the charge: usage, statements and the ledger are grouped by it. The same as the header X-Cost-Tag. No personal data: it is kept as long as the ledger.',
    ),
} as const;

/** What a request would cost, asked by `X-Dry-Run: 1`. */
export const priceQuote = named('PriceQuote', {
  dry_run: z.literal(true).describe('true: only returns the cost of the request.'),
  operation: z.string().describe('Name of the operation.'),
  credits: count.describe('Maximum cost.'),
  videos: count.nullable().describe('Distinct videos that it would read; null: it reads none.'),
  note: z.string().nullable().describe('When it costs less; null: never.'),
});
