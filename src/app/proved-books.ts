import type { Sql } from 'postgres';
import {
  countEntries,
  entriesOf,
  entriesOfOpenBook,
  entryById,
  type StoredEntry,
} from '#projections/ledger-entries.ts';
import type { LongWork } from '../edges/cli/operator-interface.ts';
import { isUuid } from '../eventlog/append/serialize-appends.ts';
import type { EventMeta } from '../eventlog/event-log.ts';
import { type ChainFault, genesisHash, type Link, verifyChain } from '../eventlog/hash-chain.ts';

import type { Call } from '../kernel/call.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { ApplicationCore } from './application-core.ts';

/** An entry of a ledger does not hold: nothing may be computed from it. */
export class BrokenLedgerError extends Error {
  override readonly name = 'BrokenLedgerError';

  constructor(accountId: string, message: string) {
    super(
      `the ledger of ${accountId} does not hold: ${message} (all that is wrong: steno verify --account ${accountId})`,
    );
  }
}

/** What is wrong with an entry; `position` is decimal. */
export type EntryProblem = { readonly stream: string; readonly position: string; readonly message: string };

/**
 * Checks the entries of an account in their order, from one book to the next; null: the entry holds. After a fault it goes on
 * from the hash of the entry, so that one fault is reported once. `isWhole`: the first entry is the first of all books.
 */
export const entryCheck = ({ isWhole }: { readonly isWhole: boolean }) => {
  let at: { stream: string; hash: string; version: bigint } | null = isWhole
    ? { stream: '', hash: genesisHash, version: 0n }
    : null;
  return (entry: StoredEntry): EntryProblem | null => {
    const link = linkOf(entry);
    const { stream, version } = entry;
    const { hash } = at ?? { hash: link.meta.chain?.prev_hash ?? '' };
    const before = at?.stream === stream ? at.version : 0n;
    const { fault } = verifyChain([link], { hash, version: before });
    at = { stream, hash: link.meta.chain?.hash ?? '', version };
    return fault === null ? null : problemOf(fault, entry);
  };
};

const linkOf = (entry: StoredEntry): Link => ({ ...entry, meta: entry.meta as EventMeta });

const faults: Readonly<Record<ChainFault['what'], string>> = {
  no_link: 'has no hash',
  prev_hash: 'does not follow the event before it: one was changed, added or removed',
  hash: 'was changed after it was stored',
  version: 'is out of order: an event before it is missing',
};

const problemOf = (fault: ChainFault, { position, id }: StoredEntry): EntryProblem => ({
  stream: fault.stream,
  position: String(position),
  message: `event ${id} (version ${fault.version}) ${faults[fault.what]}`,
});

/** The error for an account that has no books. */
export const noBooks = (accountId: string): Refusal =>
  new Refusal('NOT_FOUND', `The account ${accountId} has no books.`);

/**
 * All entries of an account, counted for the progress. Throws NOT_FOUND where there are none, and `BrokenLedgerError` where one
 * does not hold: `at_once`, before what is computed from it is shown, or `at_end`, where the entries themselves are shown.
 */
export async function* watchedEntries(
  sql: Sql,
  accountId: string,
  { signal, onProgress }: LongWork,
  fails: 'at_once' | 'at_end',
): AsyncGenerator<StoredEntry> {
  const total = await countEntries(sql, accountId);
  if (total === 0) throw noBooks(accountId);
  const check = entryCheck({ isWhole: true });
  let done = 0;
  let first: EntryProblem | null = null;
  for await (const entry of entriesOf(sql, accountId)) {
    signal.throwIfAborted();
    const problem = check(entry);
    first ??= problem;
    if (first !== null && fails === 'at_once') break;
    yield entry;
    done += 1;
    onProgress?.({ what: 'entries', done, total });
  }
  if (first !== null) throw new BrokenLedgerError(accountId, first.message);
}

/** Throws `BrokenLedgerError` unless the open book of an account holds, which its balance is computed from, and one entry more. */
export const requireOpenBook = async (sql: Sql, accountId: string, entryId: string | null = null): Promise<void> => {
  const require = (problem: EntryProblem | null): void => {
    if (problem !== null) throw new BrokenLedgerError(accountId, problem.message);
  };
  const check = entryCheck({ isWhole: false });
  for await (const entry of entriesOfOpenBook(sql, accountId)) require(check(entry));
  const isNamed = entryId !== null && isUuid(entryId);
  const one = isNamed ? await entryById(sql, accountId, entryId) : null;
  if (one === null) return;
  const link = linkOf(one);
  const before = { hash: link.meta.chain?.prev_hash ?? '', version: one.version - 1n };
  const { fault } = verifyChain([link], before);
  require(fault === null ? null : problemOf(fault, one));
};

/** The commands of operators that compute with a ledger, each after a proof of what it reads. */
export const provedCommands = ({ sql, commands }: Pick<ApplicationCore, 'sql' | 'commands'>) => {
  const proved =
    <Input, Result>(
      command: (call: Call, input: Input) => Promise<Result>,
      entryOf: (input: Input) => string | null = () => null,
    ) =>
    async (call: Call, input: Input): Promise<Result> => {
      await requireOpenBook(sql, call.accountId, entryOf(input));
      return await command(call, input);
    };
  return {
    assignPlan: proved(commands.assignPlan),
    grantCredits: proved(commands.grantCredits),
    correctBalance: proved(commands.correctBalance, ({ entryId }) => entryId),
    refundCharge: proved(commands.refundCharge, ({ chargeId }) => chargeId),
  };
};
