import type { Command } from 'commander';
import type { z } from 'zod';
import { listEvents } from '../../contract/events.ts';
import { type ledgerEntrySchema, listLedger, readEntry, readProof } from '../../contract/ledger.ts';
import { readReceipts } from '../../contract/receipts.ts';
import { listStatements, readStatement } from '../../contract/statements.ts';
import { readRaw } from '../../contract/transcripts.ts';
import { readUsage } from '../../contract/usage.ts';
import { availableChangeOf, brokenEntry } from '../../queries.ts';
import { answerSchemaOf, optionsOf, requestTo } from './endpoint-request.ts';
import type { ServerClient } from './server-client.ts';
import { addListVerb, addServerVerb, type ParsedArguments } from './server-verb.ts';
import { printFields, printRows } from './table.ts';
import { print, printPieces, remark, type Terminal } from './terminal.ts';

/** `steno usage`: the plan, what is left and what was used, of the account of the key. */
export const addUsage = (program: Command, terminal: Terminal): void => {
  addServerVerb(program, terminal, {
    endpoint: readUsage,
    name: 'usage',
    show: async (on, { by_kind, ...usage }) => {
      await printFields(on, {
        plan: usage.plan,
        credits_remaining: usage.unlimited ? 'unlimited' : usage.credits_remaining,
        rate_limit_per_min: usage.rate_limit_per_min,
        period_days: usage.period_days,
        requests: usage.requests,
        successful: usage.successful,
        failed: usage.failed,
        credits_used: usage.credits_used,
      });
      if (by_kind.length === 0) return;
      await print(on, '');
      await printRows(on, by_kind, { kind: 'kind', count: 'count', credits: 'credits' }, false);
    },
  });
};

/** `steno receipts`: the signed receipts of a charge, a request or a job, one a line, for `docs/verify-receipt.mjs`. */
export const addReceipts = (program: Command, terminal: Terminal): void => {
  addServerVerb(program, terminal, {
    endpoint: readReceipts,
    name: 'receipts',
    args: [['<id>', 'id of an event or charge, of a request or of a job']],
    show: async (on, { receipts, next_cursor }) => {
      for (const receipt of receipts) await print(on, receipt);
      if (next_cursor !== null) remark(on, `there are more: --cursor ${next_cursor}`);
    },
  });
};

/** `steno statements list` and `get`: the billing periods of the account of the key. */
export const addStatements = (statements: Command, terminal: Terminal): void => {
  addServerVerb(statements, terminal, {
    endpoint: listStatements,
    name: 'list',
    about: 'the billing periods, newest first',
    show: async (on, { statements: periods }) => {
      for (const { period, provisional } of periods) await print(on, `${period}${provisional ? '\tprovisional' : ''}`);
    },
  });
  addServerVerb(statements, terminal, {
    endpoint: readStatement,
    name: 'get',
    about: 'the statement of a period, as JSON or CSV',
    args: [['<period>', 'the day on which it begins, such as 2026-11-01']],
    options: optionsOf(readStatement, ['format']).map((option) => option.conflicts('json')),
    into: (on, { options: { format } }) => (format === 'csv' ? (pieces) => printPieces(on, pieces) : null),
  });
};

/** Throws unless these entries, newest first, are what their hashes cover, and each follows the next one. */
const requireProof = (entries: readonly Entry[]): void => {
  const broken = brokenEntry(
    entries.map((entry) => ({ ...entry, schemaVersion: entry.schema_version, prevHash: entry.prev_hash })),
  );
  if (broken === null) return;
  throw new Error(`the ledger is broken: ${broken}; nothing is shown`);
};

type Entry = z.output<typeof ledgerEntrySchema>;

const signed = (change: number | null): string | null =>
  change === null ? null : change > 0 ? `+${change}` : String(change);

/** The credits that could be spent after each of these entries, newest first, by id. */
const balancesAfter = async (client: ServerClient, entries: readonly Entry[]): Promise<ReadonlyMap<string, number>> => {
  const [newest] = entries;
  const balances = new Map<string, number>();
  if (newest === undefined) return balances;
  const request = requestTo(readUsage, [], { as_of: newest.occurred_at });
  const { body } = await client.send(request, answerSchemaOf(readUsage));
  let balance = body.credits_remaining;
  for (const entry of entries) {
    balances.set(entry.id, balance);
    balance -= availableChangeOf(entry) ?? 0;
  }
  return balances;
};

/** Whether options leave out entries between others. */
const isSelection = ({ options: { requestId, costTag } }: ParsedArguments): boolean =>
  requestId !== undefined || costTag !== undefined;

/** `steno ledger list`, `get`, `proof` and `events`: the ledger of the account of the key with what proves each entry. */
export const addLedgerReads = (ledger: Command, terminal: Terminal): void => {
  addServerVerb(ledger, terminal, {
    endpoint: readEntry,
    name: 'get',
    about: 'one entry with its proof, as JSON (from a server)',
    check: (entry) => requireProof([entry]),
  });
  addServerVerb(ledger, terminal, {
    endpoint: readProof,
    name: 'proof',
    about: 'the proof that the public log has an entry, as JSON for docs/verify-ledger.mjs (from a server)',
    check: ({ entry }) => requireProof([entry]),
  });
  addServerVerb(ledger, terminal, {
    endpoint: listEvents,
    name: 'events',
    about: 'a page of the ledger as CloudEvents, one per line, oldest first (from a server)',
    check: ({ events }) => requireProof(events.map(({ data }) => data).toReversed()),
    show: async (on, { events }) => {
      for (const event of events) await print(on, JSON.stringify(event));
    },
    remarkOn: (on, { next_cursor }) => {
      if (next_cursor !== null) remark(on, `to continue: --cursor ${next_cursor}`);
    },
  });
  addListVerb(ledger, terminal, {
    endpoint: listLedger,
    name: 'list',
    about: "the ledger entries of the key's account, newest first (from a server)",
    check: ({ entries }, given) => {
      // An entry that is selected need not follow the next one.
      for (const part of isSelection(given) ? entries.map((entry) => [entry]) : [entries]) requireProof(part);
    },
    columns: async (client, rows, given) => {
      const balances = isSelection(given) ? null : await balancesAfter(client, rows);
      return {
        id: 'id',
        time: 'occurred_at',
        change: (entry) => signed(availableChangeOf(entry)),
        ...(balances === null ? {} : { balance: ({ id }) => balances.get(id) }),
        type: 'type',
      };
    },
  });
};

/** `steno raw`: the captions as the platform sent them, as JSON. */
export const addRaw = (program: Command, terminal: Terminal): void => {
  addServerVerb(program, terminal, {
    endpoint: readRaw,
    name: 'raw',
    about: 'the captions of a video as the platform sent them, as JSON (from a server)',
    args: [['<link>', 'video id or link']],
  });
};
