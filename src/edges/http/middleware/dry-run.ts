import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { priceQuote } from '../../../contract/charged.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { invalidRequest } from '../../../kernel/refusal.ts';
import { type HttpResponse, json } from './response.ts';

/** Whether a request only asks what it would cost (`X-Dry-Run`). Throws INVALID_REQUEST for a value with no meaning. */
export const isDryRun = (headers: IncomingHttpHeaders): boolean => {
  const sent = headers['x-dry-run'];
  if (sent === undefined) return false;
  if (sent === '1') return true;
  throw invalidRequest('X-Dry-Run accepts only 1.', { path: 'X-Dry-Run', code: 'malformed' });
};

/** Refuses the dry run of a request that has none but changes something: whoever asks for one wants nothing done. */
export const requireDryRun = ({ method, hasDryRun }: Endpoint, headers: IncomingHttpHeaders): void => {
  if (method === 'GET' || hasDryRun === true || headers['x-dry-run'] === undefined) return;
  const message = 'X-Dry-Run is not supported here: this request has no price of its own. Nothing was done.';
  throw invalidRequest(message, { path: 'X-Dry-Run', code: 'unknown' });
};

/** The answer of a dry run. */
export const quoteAnswer = (quote: Omit<z.input<typeof priceQuote>, 'dry_run'>): HttpResponse =>
  json({ dry_run: true, ...quote } satisfies z.input<typeof priceQuote>);
