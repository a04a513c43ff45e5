import type { Sql } from 'postgres';
import { entriesOfPeriod, entryById, periodsOf, type StoredEntry } from '#projections/ledger-entries.ts';
import type { Statement } from '../contract/statements.ts';
import { type CreditsEvent, streamsOf } from '../credits/credits.ts';
import type { Freshness } from '../credits/ledger/ledger-service.ts';
import { type ProvedEvent, statementBuilder, statementCsv } from '../credits/ledger/statement.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { LongReads } from './long-reads.ts';

/** A billing period of an account. */
export type StatementPeriod = { readonly period: string; readonly provisional: boolean };

type Upcast = (type: string, schemaVersion: number, data: StoredEntry['data']) => StoredEntry['data'];

type Parts = {
  readonly sql: Sql;
  readonly upcast: Upcast;
  /** Reading the balance opens the period that is due. */
  readonly balanceOf: (accountId: string, options: Freshness) => Promise<unknown>;
  readonly longRead: LongReads;
};

/** The periods of an account, the newest first. */
export const statementPeriods =
  ({ sql, balanceOf }: Pick<Parts, 'sql' | 'balanceOf'>) =>
  async (accountId: string): Promise<readonly StatementPeriod[]> => {
    await balanceOf(accountId, { fresh: true });
    const periods = await periodsOf(sql, accountId);
    return periods.map(({ opensAt, isOpen }) => ({ period: opensAt.slice(0, 10), provisional: isOpen }));
  };

/** The statement of a period, named by the UTC day on which it begins. Throws NOT_FOUND for a period that the account has not. */
export const statementOf =
  ({ balanceOf, longRead, ...parts }: Parts) =>
  async (accountId: string, period: string): Promise<Statement> => {
    await balanceOf(accountId, { fresh: true });
    return await longRead(accountId, () => replayedStatement(parts, accountId, period));
  };

/** The same from the stored events alone. */
export const replayedStatement = async (
  { sql, upcast }: Pick<Parts, 'sql' | 'upcast'>,
  accountId: string,
  period: string,
): Promise<Statement> => {
  const statement = await statementOfMonth({ sql, upcast }, accountId, period.slice(0, 7));
  if (statement?.period !== period)
    throw new Refusal('NOT_FOUND', 'This account has no period that begins on this day.');
  return statement;
};

/** The number of the credit note that a correction has on the statement of its period. Throws NOT_FOUND. */
export const creditNoteNumber = async (
  { sql, upcast }: Pick<Parts, 'sql' | 'upcast'>,
  accountId: string,
  eventId: string,
): Promise<string> => {
  const entry = await entryById(sql, accountId, eventId);
  const month = entry?.stream.slice(streamsOf(accountId).length, streamsOf(accountId).length + 7);
  const statement = month === undefined ? null : await statementOfMonth({ sql, upcast }, accountId, month);
  const note = statement?.corrections.find(({ correction }) => correction === eventId);
  if (note === undefined) throw new Refusal('NOT_FOUND', 'This account has no correction with this id.');
  return note.number;
};

/** The statement of the period whose first day is in this month (`YYYY-MM`); null: there is none. */
const statementOfMonth = async (
  { sql, upcast }: Pick<Parts, 'sql' | 'upcast'>,
  accountId: string,
  month: string,
): Promise<Statement | null> => {
  const builder = statementBuilder();
  for await (const entry of entriesOfPeriod(sql, accountId, month)) builder.add(provedEvent(upcast, entry));
  return builder.statement();
};

const provedEvent = (upcast: Upcast, { id, type, schemaVersion, data, meta }: StoredEntry): ProvedEvent => ({
  event: { type, data: upcast(type, schemaVersion, data) } as { type: string } as CreditsEvent,
  entry: { id, hash: (meta['chain'] as { readonly hash: string }).hash },
});

/** The bytes of a statement: canonical JSON (RFC 8785), or CSV. */
export const statementText = (statement: Statement, format: 'json' | 'csv'): string =>
  format === 'csv' ? statementCsv(statement) : canonicalJson(statement);
