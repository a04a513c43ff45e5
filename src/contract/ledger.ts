import { z } from 'zod';
import { answerOf } from './answer-of.ts';
import { costTag } from './charged.ts';
import type { KeyEndpoint } from './endpoint.ts';
import { asOf, lengths, member, named, pageOf, requestIdForm, timestamp } from './schemas.ts';
import { ofUsage } from './usage.ts';

/** An event of a book with its hashes. */
export const ledgerEntrySchema = named('LedgerEntry', {
  id: member.id,
  type: member.type,
  stream: z.string().describe('Stream of the event.'),
  version: z.string().describe('Place of the entry in its stream.'),
  position: z.string().describe('Place in the order.'),
  occurred_at: timestamp.describe('When it happened, RFC 3339 in UTC.'),
  request_id: z.string().nullable().describe('The request that it belongs to: `X-Request-ID` of its response.'),
  schema_version: z.int().min(1).describe('Schema version of `data`.'),
  data: z.record(z.string(), z.unknown()).describe('The event as stored and hashed, with the same member names.'),
  meta: z.record(z.string(), z.unknown()).describe('The metadata of the event, as stored and hashed.'),
  prev_hash: z.string().describe('Hash of the previous entry in the ledger.'),
  hash: z
    .string()
    .describe(
      'SHA-256 (hex) over prev_hash and the canonical JSON (RFC 8785) of id, type, schema_version, stream, version, data and meta.',
    ),
});

/** `data` and `meta` of an entry have the names that the hash covers, so that anyone can verify it. */
export const ledgerEntryAnswer = answerOf(ledgerEntrySchema);

/** A page of a ledger. */
export const ledgerPageSchema = named('Ledger', {
  entries: z.array(ledgerEntrySchema).describe('Entries of the ledger, the newest first.'),
  next_before: member.nextBefore,
});

/** The query of a ledger page. */
export const ledgerQuery = z.object({
  ...pageOf('Entries'),
  request_id: z
    .string()
    .regex(requestIdForm, { error: 'must be a request id' })
    .optional()
    .meta({ description: 'Only entries of this request.', ...lengths(1, 64) }),
  as_of: asOf,
  cost_tag: costTag.optional().describe('Only charges and refunds with this cost tag.'),
});

/** The path of one entry. */
export const entryParams = z.object({ id: z.string().min(1).max(64).describe('Id, as the list shows it.') });

export const listLedger = {
  ...ofUsage('listLedger', 'GET', '/v1/ledger'),
  summary: 'The ledger of this account, newest first',
  description: 'Every charge, refund, grant and free use, with the hash chain that proves that nothing was changed.',
  query: ledgerQuery,
  answers: { 200: { description: 'One page.', schema: ledgerPageSchema } },
} satisfies KeyEndpoint;

export const readEntry = {
  ...ofUsage('getLedgerEntry', 'GET', '/v1/ledger/:id'),
  summary: 'One ledger entry with its proof',
  description: '`X-Credits-Event` of a response is the id of its entry.',
  params: entryParams,
  answers: { 200: { description: 'The entry.', schema: ledgerEntrySchema } },
  refusals: ['NOT_FOUND'],
} satisfies KeyEndpoint;

/** An entry with its inclusion in the transparency log. */
const ledgerProofSchema = named('LedgerProof', {
  entry: ledgerEntrySchema.describe('The entry that is proved.'),
  salt: z.string().describe('Salt of the account, base64: the leaf data are SHA-256(salt ‖ hash of the entry).'),
  leaf_index: z.int().describe('Index of the leaf in the log, from 0.'),
  leaf_hash: z.string().describe('SHA-256(0x00 ‖ leaf data), base64.'),
  inclusion: z
    .array(z.string())
    .describe('Inclusion proof (RFC 9162), base64: from the sibling of the leaf to a child of the root.'),
  checkpoint: z.string().describe('Signed checkpoint of the log (C2SP tlog-checkpoint) to which the proof leads.'),
});

export const ledgerProofAnswer = answerOf(ledgerProofSchema);

export const readProof = {
  ...ofUsage('getLedgerProof', 'GET', '/v1/ledger/:id/proof'),
  summary: 'The proof that an entry is in the public log',
  description:
    'Keep it: with the keys of `/tlog/keys` it proves the entry without the service. With `Accept: text/plain` it is a C2SP tlog-proof.',
  params: entryParams,
  answers: { 200: { description: 'The proof.', schema: ledgerProofSchema, text: ['text/plain'] } },
  refusals: ['NOT_FOUND', 'PROOF_PENDING'],
} satisfies KeyEndpoint;

/** The columns of an export with their types, in their order. */
export const exportColumns = {
  event_id: 'STRING',
  type: 'STRING',
  stream: 'STRING',
  version: 'INT64',
  position: 'INT64',
  occurred_at: 'TIMESTAMP',
  request_id: 'STRING',
  schema_version: 'INT32',
  data: 'JSON',
  meta: 'JSON',
  prev_hash: 'STRING',
  hash: 'STRING',
} as const;

const parquet = 'application/vnd.apache.parquet';

/** The formats of an export, with their media types. */
export const exportMediaTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8', parquet } as const;

export type ExportFormat = keyof typeof exportMediaTypes;

export const exportFormats = Object.keys(exportMediaTypes) as ExportFormat[];

/** Routed before the entry of an id. */
export const exportEntries = {
  ...ofUsage('exportLedger', 'GET', '/v1/ledger/export'),
  summary: 'The whole ledger of this account, oldest first',
  description:
    'A snapshot of all entries with their proofs. `X-Ledger-Entries` is their number: a truncated export has fewer. It has no time limit while its reader keeps reading.',
  query: z.object({
    format: z.enum(exportFormats).default('ndjson').describe('Lines of JSON, CSV with a header, or Parquet.'),
  }),
  isLong: true,
  answers: {
    200: {
      description: 'The entries.',
      text: exportFormats
        .map((format) => exportMediaTypes[format].split(';')[0] ?? '')
        .filter((type) => type !== parquet),
      bytes: [parquet],
      headers: { 'X-Ledger-Entries': 'Entries of the export.', 'Content-Disposition': 'A file name.' },
    },
  },
} satisfies KeyEndpoint;

export const ledgerEndpoints = [listLedger, exportEntries, readEntry, readProof] as const;
