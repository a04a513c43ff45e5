import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { priceQuote } from '../../../contract/charged.ts';
import { invalidRequest } from '../../../kernel/refusal.ts';
import { type HttpResponse, json } from './response.ts';

/** Whether a request only asks what it would cost (`X-Dry-Run`). Throws INVALID_REQUEST for a value with no meaning. */
export const isDryRun = (headers: IncomingHttpHeaders): boolean => {
  const sent = headers['x-dry-run'];
  if (sent === undefined) return false;
  if (sent === '1') return true;
  throw invalidRequest('X-Dry-Run takes 1 alone.', { path: 'X-Dry-Run', code: 'malformed' });
};

/** The answer of a dry run. */
export const quoteAnswer = (quote: Omit<z.input<typeof priceQuote>, 'dry_run'>): HttpResponse =>
  json({ dry_run: true, ...quote } satisfies z.input<typeof priceQuote>);
