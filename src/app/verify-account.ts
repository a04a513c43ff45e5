import { balanceOf } from '#projections/balances.ts';
import { entriesOf, type StoredEntry } from '#projections/ledger-entries.ts';
import { usageTotalOf } from '#projections/usage.ts';
import type { CreditsEvent } from '../credits/credits.ts';
import { type Bucket, emptyBuckets, postingsOf } from '../credits/ledger/postings.ts';
import { statementBuilder } from '../credits/ledger/statement.ts';
import type { Verification } from '../edges/cli/operator-interface.ts';
import type { ApplicationCore } from './application-core.ts';
import { entryCheck } from './proved-books.ts';

/** Upcasts a ledger entry. Throws for an entry of a later version, because sums without it would be wrong. */
export const eventIn = (
  { upcast }: Pick<ApplicationCore['log'], 'upcast'>,
  { type, schemaVersion, data }: StoredEntry,
): CreditsEvent => ({ type, data: upcast(type, schemaVersion, data) }) as { type: string } as CreditsEvent;

/**
 * Walks the chain through all books of an account and compares what they come to with its balances, its usage and the
 * statement of its newest period. Read models are compared as far as they have come: the account may be charged meanwhile.
 */
export const verifyAccount = async (
  { sql, log }: Pick<ApplicationCore, 'sql' | 'log'>,
  accountId: string,
  signal: AbortSignal,
  entries = entriesOf(sql, accountId),
): Promise<Verification> => {
  const problems: Verification['problems'][number][] = [];
  const [shown, used] = [await balanceOf(sql, accountId), await usageTotalOf(sql, accountId)];
  const [all, balance] = [emptyBuckets(), emptyBuckets()];
  const check = entryCheck({ isWhole: true });
  let statement = statementBuilder();
  let [stream, spent] = ['', 0];
  let [streams, events, compared] = [0, 0, 0];

  for await (const entry of entries) {
    signal.throwIfAborted();
    events += 1;
    if (entry.stream !== stream) streams += 1;
    stream = entry.stream;
    const problem = check(entry);
    if (problem !== null) problems.push(problem);
    const event = eventIn(log, entry);
    if (event.type === 'BookOpened' && event.data.part === 1) statement = statementBuilder();
    statement.add({ event, entry: { id: entry.id, hash: '' } });
    if (entry.position <= shown.position) compared += 1;
    for (const { bucket, amount } of postingsOf(event)) {
      all[bucket] += amount;
      if (entry.position <= shown.position) balance[bucket] += amount;
      if (entry.position <= used.position && bucket === 'spent') spent += amount;
    }
  }
  const differs = (what: string, byEvents: number, found: number | undefined, where: string): void => {
    if (found === byEvents) return;
    const message = `${what} is ${byEvents} by the events and ${found ?? 'nothing'} in ${where}`;
    problems.push({ stream, position: null, message });
  };
  if (compared > 0) {
    for (const bucket of Object.keys(balance) as Bucket[]) {
      differs(bucket, balance[bucket], shown.buckets?.[bucket], 'the read model balances');
    }
  }
  differs('spent', spent, used.credits, 'the read model usage');
  const newest = statement.statement();
  if (events > 0) {
    differs('available', all.available, newest?.closing_balance, 'the statement');
    differs('reserved', all.reserved, newest?.reserved, 'the statement');
  }
  return { streams, events, problems };
};
