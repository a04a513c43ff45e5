import { z } from 'zod';
import type { KeyEndpoint } from './endpoint.ts';
import { count, timestamp } from './schemas.ts';

const entry = z
  .object({ id: z.string().describe('Id of the entry.'), hash: z.string().describe('Its hash.') })
  .nullable();
const entryId = z.string().describe('Id of the ledger entry.');
const reason = z.string().describe('Why, as the ledger says.');
const credits = z.int().describe('Credits.');

export const statementSchema = z
  .object({
    account_id: z.string().describe('Id of the account.'),
    period: z.iso.date().describe('The UTC day on which the period begins.'),
    opens_at: timestamp.describe('When the period begins.'),
    closes_at: timestamp.describe('When it ends; not included.'),
    provisional: z.boolean().describe('true: the period is not over. The statement of one that is over never changes.'),
    opening_balance: z.int().describe('Credits that could be spent at the beginning.'),
    opening_reserved: count.describe('Credits that were set aside for jobs at the beginning.'),
    grants: z
      .array(
        z.object({
          entry: entryId,
          kind: z.string().describe('Why they were given.'),
          credits,
          at: timestamp.describe('When.'),
        }),
      )
      .describe('Credits that came.'),
    charges: z
      .array(
        z.object({
          operation: z.string().describe('Name of the operation.'),
          key_id: z.string().nullable().describe('The key; null: none.'),
          cost_tag: z.string().nullable().describe('The cost tag; null: none.'),
          count: count.describe('Requests, and items of jobs.'),
          credits,
        }),
      )
      .describe('What was spent, by operation, key and cost tag.'),
    refunds: z
      .array(
        z.object({
          entry: entryId,
          charge: z.string().describe('The charge that was given back.'),
          reason,
          credits,
          at: timestamp.describe('When.'),
        }),
      )
      .describe('What was given back.'),
    corrections: z
      .array(
        z.object({
          number: z.string().describe('Number of the credit note: `CN-`, the period, and a count from 1.'),
          entry: z.string().describe('Id of the ledger entry that is corrected; it stays as it is.'),
          correction: z.string().describe('Id of the ledger entry that corrects it.'),
          reason,
          credits: z.int().describe('Credits; below 0: they were taken.'),
          at: timestamp.describe('When.'),
        }),
      )
      .describe('Corrections of earlier entries.'),
    expired: count.describe('Credits that expired.'),
    reserved: count.describe('Credits that are set aside for jobs at the end.'),
    closing_balance: z.int().describe('Credits that can be spent at the end.'),
    first_entry: entry.describe('The first ledger entry of the period.'),
    last_entry: entry.describe('The last one.'),
  })
  .meta({ id: 'Statement' });

const common = { access: 'key', scope: 'usage', tag: 'Usage' } as const;

export const listStatements = {
  ...common,
  id: 'listStatements',
  method: 'GET',
  path: '/v1/statements',
  summary: 'The billing periods of this account',
  description: 'The newest first; that one is provisional.',
  answers: {
    200: {
      description: 'The periods.',
      schema: z
        .object({
          statements: z
            .array(
              z.object({
                period: z.iso.date().describe('The UTC day on which the period begins.'),
                provisional: z.boolean().describe('true: the period is not over.'),
              }),
            )
            .describe('The newest first.'),
        })
        .meta({ id: 'Statements' }),
    },
  },
} satisfies KeyEndpoint;

export const readStatement = {
  ...common,
  id: 'getStatement',
  method: 'GET',
  path: '/v1/statements/:period',
  summary: 'The statement of a billing period',
  description:
    'Canonical JSON (RFC 8785), or CSV. That of a period that is over has the same bytes for ever, those of `steno replay --period --json`.',
  params: z.object({
    period: z.iso
      .date({ error: 'takes the first day of a period, such as 2026-11-01' })
      .meta({ description: 'The UTC day on which it begins.' }),
  }),
  query: z.object({ format: z.enum(['json', 'csv']).default('json').meta({ description: 'The form of the answer.' }) }),
  answers: { 200: { description: 'The statement.', schema: statementSchema, text: ['text/csv'] } },
  refusals: ['NOT_FOUND'],
} satisfies KeyEndpoint;

export const statementEndpoints = [listStatements, readStatement] as const;
