import { type Command, Option } from 'commander';
import { z } from 'zod';
import { brokenEntry } from '../../queries.ts';
import { addListVerb, addServerVerb, countOption } from './server-verb.ts';
import { printFields, printRows } from './table.ts';
import { print, type Terminal } from './terminal.ts';

const Usage = z.looseObject({
  plan: z.string(),
  credits_remaining: z.int(),
  unlimited: z.boolean(),
  rate_limit_per_min: z.int().nullable(),
  period_days: z.int(),
  requests: z.int(),
  successful: z.int(),
  failed: z.int(),
  credits_used: z.int(),
  by_kind: z.array(z.looseObject({ kind: z.string(), count: z.int(), credits: z.int() })),
});

/** `steno usage`: the plan, what is left and what was used, of the account of the key. */
export const addUsage = (program: Command, terminal: Terminal): void => {
  addServerVerb(program, terminal, {
    name: 'usage',
    about: 'what the account of the key has used, and what is left',
    options: [countOption('--days <n>', 'how many UTC days back, today included').default(30)],
    request: ({ options: { days } }) => ({
      method: 'GET',
      path: '/v1/usage',
      query: { days: Number(days) },
    }),
    answer: Usage,
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
      const columns = [
        ['kind', (row: { kind: string }) => row.kind],
        ['count', (row: { count: number }) => row.count],
        ['credits', (row: { credits: number }) => row.credits],
      ] as const;
      await printRows(on, by_kind, columns, false);
    },
  });
};

/** What the hash of an entry covers, and the hash. */
const Entry = z.looseObject({
  id: z.string(),
  type: z.string(),
  schema_version: z.int(),
  stream: z.string(),
  version: z.string().regex(/^\d+$/),
  occurred_at: z.string(),
  data: z.record(z.string(), z.unknown()),
  meta: z.record(z.string(), z.unknown()),
  prev_hash: z.string(),
  hash: z.string(),
});

const Entries = z.looseObject({
  entries: z.array(Entry),
  next_before: z.string().nullable(),
});

/** Throws unless these entries, newest first, are what their hashes cover, and each follows the next one. */
const requireProof = (entries: readonly z.infer<typeof Entry>[]): void => {
  const broken = brokenEntry(
    entries.map(({ schema_version: schemaVersion, prev_hash: prevHash, ...entry }) => ({
      ...{ ...entry, schemaVersion, prevHash },
    })),
  );
  if (broken === null) return;
  throw new Error(`the ledger does not hold: ${broken}; nothing of it is shown`);
};

/** `steno ledger list` and `get`: the ledger of the account of the key, newest first, with what proves each entry. */
export const addLedgerReads = (ledger: Command, terminal: Terminal): void => {
  addServerVerb(ledger, terminal, {
    name: 'get',
    about: 'one entry with what proves it, as JSON (from a server)',
    args: [['<id>', 'the entry, as X-Credits-Event names it']],
    request: ({ args: [id = ''] }) => ({
      method: 'GET',
      path: `/v1/ledger/${encodeURIComponent(id)}`,
    }),
    answer: Entry,
    check: (entry) => requireProof([entry]),
    show: (on, entry) => print(on, JSON.stringify(entry)),
  });
  addListVerb(ledger, terminal, {
    name: 'list',
    about: 'the entries of the account of the key, newest first (from a server)',
    limit: { default: 50, page: 100 },
    request: (_, { limit, after }) => ({
      method: 'GET',
      path: '/v1/ledger',
      query: { limit, before: after },
    }),
    answer: Entries,
    check: ({ entries }) => requireProof(entries),
    rows: ({ entries }) => entries,
    next: ({ next_before }) => next_before,
    columns: [
      ['id', ({ id }) => id],
      ['time', ({ occurred_at }) => occurred_at],
      ['amount', ({ data }) => (typeof data['amount'] === 'number' ? data['amount'] : null)],
      ['type', ({ type }) => type],
    ],
  });
};

/** `steno raw`: the captions as the platform sent them, as JSON. */
export const addRaw = (program: Command, terminal: Terminal): void => {
  addServerVerb(program, terminal, {
    name: 'raw',
    about: 'the captions of a video as the platform sent them, as JSON (from a server)',
    args: [['<link>', 'video id or link']],
    options: [new Option('-l, --lang <language>', 'without it, that of the video')],
    request: ({ args: [link = ''], options: { lang } }) => ({
      method: 'GET',
      path: `/v1/transcripts/${encodeURIComponent(link)}/raw`,
      query: { lang: typeof lang === 'string' ? lang : null },
      isCharged: true,
    }),
    answer: z.looseObject({ video_id: z.string() }),
    show: (on, raw) => print(on, JSON.stringify(raw)),
  });
};
