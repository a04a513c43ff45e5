import { z } from 'zod';
import type { KeyEndpoint, OpenEndpoint } from './endpoint.ts';
import { integerParameter, lengths, named, positionText, requestIdForm, rows } from './schemas.ts';
import { ofUsage } from './usage.ts';

/** Receipts of one page, at most. */
const maxReceipts = 100;

export const receiptsSchema = named('Receipts', {
  receipts: z
    .array(z.string())
    .describe(
      'A compact JWS (RFC 7515, EdDSA with Ed25519) for each charge, in their order. Its payload: account_id, key_id, grant_id, operation, video_id, format, options, content_sha256, price_book, credits, balance_before, balance_after, event_id, event_hash, charged_at, request_id, cost_tag.',
    ),
  next_cursor: z.string().nullable().describe('Where the next page begins; null: there is none.'),
});

export const readReceipts = {
  ...ofUsage('getReceipts', 'GET', '/v1/receipts/:id'),
  summary: 'The signed receipts of a charge, a request or a job',
  description:
    'Verified offline with the keys of `/.well-known/jwks.json` and `docs/verify-receipt.mjs`. Requests without a charge have no receipt.',
  params: z.object({
    id: z
      .string()
      .regex(requestIdForm, { error: 'must be the id of an event, a request or a job' })
      .meta({
        description: 'Id of the event or charge (`X-Credits-Event`), of the request or of a job.',
        ...lengths(1, 64),
      }),
  }),
  query: z.object({
    limit: integerParameter('Maximum number of receipts.', { default: maxReceipts, max: maxReceipts }),
    cursor: positionText('must be next_cursor of the previous page')
      .optional()
      .describe('`next_cursor` of the previous page.'),
  }),
  answers: { 200: { description: 'The receipts.', schema: receiptsSchema } },
  refusals: ['NOT_FOUND'],
} satisfies KeyEndpoint;

export const jwksSchema = named('KeySet', {
  keys: rows('The newest first.', {
    kty: z.literal('OKP').describe('Type of the key.'),
    crv: z.literal('Ed25519').describe('Its curve.'),
    x: z.string().describe('The public key, base64url.'),
    kid: z.string().describe('Its thumbprint (RFC 7638), the key id in receipts.'),
    use: z.literal('sig').describe('It verifies signatures.'),
  }),
});

export const readKeySet = {
  access: 'anyone',
  rateLimit: 'none',
  cacheControl: 'public, max-age=300',
  tag: 'Usage',
  id: 'getKeySet',
  method: 'GET',
  path: '/.well-known/jwks.json',
  summary: 'The public keys that verify receipts',
  description: 'Every key that ever signed a receipt, the newest first.',
  answers: { 200: { description: 'The keys.', schema: jwksSchema } },
} satisfies OpenEndpoint;

export const receiptEndpoints = [readReceipts, readKeySet] as const;
