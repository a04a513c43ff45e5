import { z } from 'zod';
import type { KeyEndpoint } from './endpoint.ts';
import { answer200, count, named, rows, timestamp } from './schemas.ts';
import { ofUsage } from './usage.ts';

const entry = z
  .object({ id: z.string().describe('Id of the entry.'), hash: z.string().describe('Its hash.') })
  .nullable();
const entryId = z.string().describe('Id of the ledger entry.');
const reason = z.string().describe('Why, as the ledger says.');
const credits = z.int().describe('Credits.');

const statementSchema = named('Statement', {
  account_id: z.string().describe('Id of the account.'),
  period: z.iso.date().describe('The UTC day on which the period begins.'),
  opens_at: timestamp.describe('When the period begins.'),
  closes_at: timestamp.describe('When it ends; not included.'),
  provisional: z.boolean().describe('true: the period is not over. The statement of one that is over never changes.'),
  opening_balance: z.int().describe('Opening balance.'),
  opening_reserved: count.describe('Credits reserved for jobs at the beginning.'),
  grants: rows('Credits received.', {
    entry: entryId,
    kind: z.string().describe('Why they were granted.'),
    credits,
    at: timestamp.describe('When.'),
  }),
  charges: rows('Charges, by operation, key and cost tag.', {
    operation: z.string().describe('Name of the operation.'),
    key_id: z.string().nullable().describe('The key; null: none.'),
    cost_tag: z.string().nullable().describe('The cost tag; null: none.'),
    count: count.describe('Requests, and items of jobs.'),
    credits,
  }),
  refunds: rows('Refunds.', {
    entry: entryId,
    charge: z.string().describe('The refunded charge.'),
    reason,
    credits,
    at: timestamp.describe('When.'),
  }),
  corrections: rows('Corrections of earlier entries.', {
    number: z.string().describe('Number of the credit note: `CN-`, the period, and a count from 1.'),
    entry: z.string().describe('Id of the corrected ledger entry, which does not change.'),
    correction: z.string().describe('Id of the ledger entry that corrects it.'),
    reason,
    credits: z.int().describe('Credits; negative: deducted.'),
    at: timestamp.describe('When.'),
  }),
  expired: count.describe('Credits that expired.'),
  reserved: count.describe('Credits reserved for jobs at the end.'),
  closing_balance: z.int().describe('Closing balance.'),
  first_entry: entry.describe('The first ledger entry of the period.'),
  last_entry: entry.describe('The last one.'),
});

/** What happened to the credits of an account in one billing period. Credits; times are RFC 3339 in UTC. */
export type Statement = z.output<typeof statementSchema>;

/** Where an entry stands in the ledger: its id and its hash. */
export type EntryReference = NonNullable<Statement['first_entry']>;

export const listStatements = {
  ...ofUsage('listStatements', 'GET', '/v1/statements'),
  summary: 'The billing periods of this account',
  description: 'Newest first; the newest is provisional.',
  answers: answer200('The periods.', 'Statements', {
    statements: rows('The newest first.', {
      period: z.iso.date().describe('The UTC day on which the period begins.'),
      provisional: z.boolean().describe('true: the period is not over.'),
    }),
  }),
} satisfies KeyEndpoint;

export const readStatement = {
  ...ofUsage('getStatement', 'GET', '/v1/statements/:period'),
  summary: 'The statement of a billing period',
  description:
    'Canonical JSON (RFC 8785), or CSV. The statement of a past period never changes, and is byte for byte the output of `steno replay --period --json`.',
  params: z.object({
    period: z.iso
      .date({ error: 'must be the first day of a period, such as 2026-11-01' })
      .describe('The UTC day on which it begins.'),
  }),
  query: z.object({ format: z.enum(['json', 'csv']).default('json').describe('The format of the response.') }),
  answers: { 200: { description: 'The statement.', schema: statementSchema, text: ['text/csv'] } },
  refusals: ['NOT_FOUND'],
} satisfies KeyEndpoint;

export const statementEndpoints = [listStatements, readStatement] as const;
