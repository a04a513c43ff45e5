import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Sql } from 'postgres';

import { countBalances } from '#projections/balances.ts';
import { projections } from '#projections/index.ts';
import { jobById } from '#projections/job-rows.ts';
import { accountsWithBooks, headPosition, lastPositionOf, storedAt } from '#projections/ledger-entries.ts';
import { recordVerification } from '../adapters/postgres/database-metrics.ts';
import { postgresStatusNotes } from '../adapters/postgres/status-history-postgres.ts';
import { billing } from '../credits/ledger/bill.ts';
import { rebilling } from '../credits/ledger/price-book.ts';
import type { LongWork, OperatorActions, Rebuild, Verification } from '../edges/cli/operator-interface.ts';
import { adoptEvents, inconsistencies } from '../eventlog/integrity-check.ts';
import { type Projection, projectionStates } from '../eventlog/projections/projection.ts';
import { RebuildInProgressError, type RebuildOptions, rebuild } from '../eventlog/projections/rebuild.ts';
import { subscriptionReports } from '../eventlog/subscriptions/checkpoints.ts';
import { isTerminal } from '../jobs/job.ts';
import { newId } from '../kernel/ids.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import { creditNoteNumber, replayedStatement } from '../queries/statements.ts';
import { type Queries, toLedgerEntry } from '../queries.ts';
import type { ApplicationCore } from './application-core.ts';
import { ledgerTypes } from './open-transparency-log.ts';
import { noBooks, requireOpenBook, watchedEntries } from './proved-books.ts';
import type { TlogActions } from './tlog-actions.ts';
import { eventIn, verifyAccount } from './verify-account.ts';

type OperatorActionDeps = Pick<ApplicationCore, 'pool' | 'sql' | 'clock' | 'log' | 'caughtUp'> & {
  readonly queries: Pick<Queries, 'accountOverview'>;
};

/** The operator commands on this database. */
export const operatorActionsOn = (parts: OperatorActionDeps): Omit<OperatorActions, keyof TlogActions> => ({
  exportLedger: async function* ({ accountId }, options) {
    for await (const entry of watchedEntries(parts.sql, accountId, options, 'at_end')) {
      yield toLedgerEntry(entry);
    }
  },
  overview: async ({ accountId }) => {
    await requireOpenBook(parts.sql, accountId);
    return await parts.queries.accountOverview(accountId);
  },
  verify: verifyBooks(parts),
  watchJob: watchJob(parts),
  tailLedgers: tailLedgers(parts),
  rebuildProjections: ({ name, isSideBySide }, options) => rebuilt(parts, name, isSideBySide, options),
  readModels: () => readModels(parts.pool),
  adoptLog: () => adoptEvents(parts.pool),
  ...noteOperations(parts),
  replayStatement: ({ accountId, period }) =>
    replayedStatement({ sql: parts.sql, upcast: parts.log.upcast }, accountId, period),
  creditNoteNumber: ({ accountId, eventId }) =>
    creditNoteNumber({ sql: parts.sql, upcast: parts.log.upcast }, accountId, eventId),
  replayBill: async ({ accountId, from, to, priceBook }, options) => {
    const book = billing(accountId, { from, to });
    const other = priceBook === undefined ? null : rebilling(priceBook, { from, to });
    for await (const entry of watchedEntries(parts.sql, accountId, options, 'at_once')) {
      const event = eventIn(parts.log, entry);
      book.add(event);
      other?.add(event, entry.id);
    }
    return { ...book.bill(), ...other?.result() };
  },
});

const accountsAtOnce = 500;

/** The stream name for problems that do not belong to a stream. */
const wholeLog = 'the whole log';

const verifyBooks =
  (parts: OperatorActionDeps): OperatorActions['verify'] =>
  async ({ accountId }, options) => {
    const { signal, onProgress } = options;
    const { pool, sql } = parts;
    const contradictions = accountId === null ? await inconsistencies(pool, { isWhole: true }) : [];
    const problems: Verification['problems'][number][] = contradictions.map((message) => ({
      stream: wholeLog,
      position: null,
      message,
    }));
    const total = accountId === null ? await countBalances(sql) : 1;
    let [streams, events, done] = [0, 0, 0];
    for await (const account of accountId === null ? allAccounts(sql) : [accountId]) {
      await parts.caughtUp('balances', await lastPositionOf(sql, account));
      const found = await verifyAccount(parts, account, signal);
      if (found.events === 0 && accountId !== null) throw noBooks(accountId);
      streams += found.streams;
      events += found.events;
      problems.push(...found.problems);
      done += 1;
      onProgress?.({ what: 'accounts', done, total });
    }
    if (accountId === null) {
      const isTampered = problems.some(({ stream, position }) => position !== null || stream === wholeLog);
      problems.push(...(await differingReadModels(parts, isTampered, options)));
      await recordVerification(pool, { events, problems: problems.length });
    }
    return { streams, events, problems };
  };

/** Notes of operators on the status page. */
const noteOperations = ({ pool, clock }: OperatorActionDeps) => {
  const notes = postgresStatusNotes({ pool });
  return {
    async addStatusNote(wanted) {
      const now = clock();
      if (wanted.endsAt !== null && Date.parse(wanted.endsAt) <= now.getTime()) {
        const message = 'the end of a note must be in the future';
        throw invalidRequest(message, { path: 'until', code: 'invalid_value' });
      }
      const note = { ...wanted, noteId: newId('nte'), startedAt: now.toISOString() };
      await notes.add(note);
      return note;
    },
    async endStatusNote(noteId) {
      const ended = await notes.end(noteId, clock());
      if (ended === null) throw new Refusal('NOT_FOUND', `There is no note ${noteId}.`);
      return ended;
    },
    statusNotes: () => notes.list(),
  } satisfies Partial<OperatorActions>;
};

/** Rebuilds every read model beside the live one up to its checkpoint and compares all rows, without switching. */
const differingReadModels = async (
  parts: OperatorActionDeps,
  isTampered: boolean,
  options: LongWork,
): Promise<Verification['problems']> => {
  const remedyOf = ({ name }: Projection): string =>
    isTampered
      ? 'do not rebuild it, restore the events first: a rebuild would adopt what was changed in them'
      : `steno projections rebuild ${name}`;
  const problems: Verification['problems'][number][] = [];
  for (const projection of projections) {
    const message = await differenceOf(parts, projection, remedyOf(projection), options);
    if (message === null) continue;
    problems.push({ stream: `the read model ${projection.name}`, position: null, message });
  }
  return problems;
};

/**
 * Rebuilds a read model, after updating it for a second if no server does. `place` describes where the rebuild ended; null:
 * at the end of the log.
 */
const rebuiltOne = async (
  { pool, log, sql, caughtUp }: OperatorActionDeps,
  projection: Projection,
  switching: RebuildOptions['switching'],
  { signal, onProgress }: LongWork,
) => {
  const { name } = projection;
  const end = await headPosition(sql);
  // The checkpoint of a read model that has caught up may be earlier, if no later event is of its types.
  const isThere = (await caughtUp(name, end)) === true;
  const done = await rebuild({
    ...{ pool, log, projection, switching, signal },
    onProgress: ({ position, upTo }) =>
      onProgress?.({ what: `${name}, events`, done: Number(position), total: Number(upTo) }),
  });
  const { position } = done;
  return { ...done, place: isThere || position >= end ? null : `position ${position} of ${end}` };
};

/** Why a read model could not be verified; null if it matches the events. */
const differenceOf = async (
  parts: OperatorActionDeps,
  projection: Projection,
  remedy: string,
  options: LongWork,
): Promise<string | null> => {
  try {
    const { differences, place } = await rebuiltOne(parts, projection, 'never', options);
    if (differences === 0 && place === null) return null;
    if (differences === 0) {
      return `was compared up to ${place}: verify again when a server has folded the rest`;
    }
    return `differs from the events in ${differences} rows of both: ${remedy}`;
  } catch (error) {
    if (!(error instanceof RebuildInProgressError)) throw error;
    return 'was not compared because a rebuild or another verification is running: verify again when it has ended';
  }
};

async function* allAccounts(sql: Sql): AsyncIterable<string> {
  let after = '';
  for (;;) {
    const accounts = await accountsWithBooks(sql, after, accountsAtOnce);
    yield* accounts;
    const last = accounts.at(-1);
    if (last === undefined || accounts.length < accountsAtOnce) return;
    after = last;
  }
}

async function* rebuilt(
  parts: OperatorActionDeps,
  name: string | null,
  isSideBySide: boolean,
  options: LongWork,
): AsyncIterable<Rebuild> {
  const wanted = projections.filter((projection) => name === null || projection.name === name);
  if (wanted.length === 0) {
    const names = projections.map((projection) => projection.name).join(', ');
    throw new Refusal('NOT_FOUND', `There is no read model ${name}; there are ${names}.`);
  }
  for (const projection of wanted) {
    const switching = isSideBySide ? 'when_equal' : 'always';
    const { place, ...done } = await rebuiltOne(parts, projection, switching, options);
    const part = `up to ${place}, where the live one was: a server folds the rest`;
    const messages = [done.message, place === null ? null : part].filter((one) => one !== null);
    yield { ...done, name: projection.name, message: messages.join('; ') || null };
  }
}

const readModels: (pool: Pool) => ReturnType<OperatorActions['readModels']> = async (pool) => {
  const [states, reports] = await Promise.all([projectionStates(pool, projections), subscriptionReports(pool)]);
  return projections.map(({ name }) => {
    const report = reports.find((one) => one.name === name);
    return {
      name,
      version: states.get(name) ?? 'missing',
      position: report === undefined ? null : String(report.position),
      lagPositions: Number(report?.lagPositions ?? 0),
      lagSeconds: Math.round(report?.lagSeconds ?? 0),
      failure: report?.failure ?? null,
    };
  });
};

const entriesAtOnce = 1_000;

/** Reads up to where no earlier entry can appear any more, so that whoever goes on from a position misses none. */
const tailLedgers = ({ sql, log }: OperatorActionDeps): OperatorActions['tailLedgers'] =>
  async function* ({ accountId, after, isFollowing }, { signal }) {
    let at = BigInt(after);
    for (;;) {
      signal.throwIfAborted();
      const { events, safeUpTo } = await log.readAll({ after: at, limit: entriesAtOnce, types: ledgerTypes });
      const wanted = events.filter(({ data }) => accountId === null || Reflect.get(data, 'accountId') === accountId);
      const positions = wanted.map(({ position }) => position);
      // As they were hashed, not as they are read today.
      const stored = positions.length === 0 ? [] : await storedAt(sql, positions);
      // A replica that is behind has the rest later.
      if (stored.length === positions.length) {
        yield* stored.map(toLedgerEntry);
        if (safeUpTo > at) {
          at = safeUpTo;
          continue;
        }
        if (!isFollowing) return;
      }
      await pause(lookEveryMs, undefined, { signal });
    }
  };

const lookEveryMs = 500;

/** Polls twice a second and yields the first state, every change and the end. It holds no connection between polls. */
const watchJob = ({ sql, caughtUp }: OperatorActionDeps): OperatorActions['watchJob'] =>
  async function* ({ jobId }, { signal }) {
    let shown = '';
    for (;;) {
      signal.throwIfAborted();
      await caughtUp('jobs', await headPosition(sql));
      const job = await jobById(sql, jobId);
      if (job === null) throw new Refusal('JOB_NOT_FOUND', `There is no job ${jobId}.`);
      const text = JSON.stringify(job);
      if (text !== shown) yield job;
      shown = text;
      if (isTerminal(job)) return;
      await pause(lookEveryMs, undefined, { signal });
    }
  };
