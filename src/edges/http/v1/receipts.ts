import type { z } from 'zod';
import { type jwksSchema, readKeySet, readReceipts, type receiptsSchema } from '../../../contract/receipts.ts';
import { json } from '../middleware/response.ts';
import { type Application, keyRoute, openRoute, type Route } from '../middleware/route.ts';

/** Signed receipts, and the keys that verify them. */
export const receipts = ({ queries }: Application<never, 'receiptKeys' | 'receipts'>): Route[] => [
  keyRoute(readReceipts, async ({ call, params: { id }, query: { limit, cursor = null } }) => {
    const page = await queries.receipts(call.accountId, { id, limit, cursor });
    const receipts = page.receipts.map(({ jws }) => jws);
    return json({ receipts, next_cursor: page.nextCursor } satisfies z.input<typeof receiptsSchema>);
  }),
  openRoute(readKeySet, async () =>
    json({ keys: [...(await queries.receiptKeys())] } satisfies z.input<typeof jwksSchema>),
  ),
];
