import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { listLink } from '../../commands.ts';
import { fieldsOf } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { collected, linksOf } from './account-links.ts';
import { addDeliveries } from './delivery-verbs.ts';
import { addListVerb, addServerVerb, countOption, type Given } from './server-verb.ts';
import { type Column, printFields } from './table.ts';
import { print, remark, type Terminal } from './terminal.ts';
import { listOf } from './transcript-source.ts';

const Job = z.looseObject({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  total_items: z.int(),
  completed_items: z.int(),
  failed_items: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  source: z.string().nullish(),
  error_code: z.string().nullish(),
  error_message: z.string().nullish(),
});
type Job = z.output<typeof Job>;

/** The jobs of the account of the key: `steno jobs create`, `list`, `get`, `results`, `cancel`, `retry`, `deliveries`, `replay`. */
export const addJobVerbs = (jobs: Command, terminal: Terminal): void => {
  addCreate(jobs, terminal);
  addListVerb(jobs, terminal, {
    name: 'list',
    about: 'the jobs of the account of the key, newest first',
    limit: { default: 50, page: 100 },
    request: (_, { limit, after }) => ({
      method: 'GET',
      path: '/v1/jobs',
      query: { limit, before: after },
    }),
    answer: z.looseObject({ jobs: z.array(Job), next_before: z.string().nullable() }),
    rows: (page) => page.jobs,
    next: ({ next_before }) => next_before,
    columns: jobColumns,
  });
  for (const { name, about, method } of [
    { name: 'get', about: 'one job', method: 'GET' },
    { name: 'cancel', about: 'cancel a job', method: 'POST' },
    { name: 'retry', about: 'queue the failed items of a job again', method: 'POST' },
  ] as const) {
    addServerVerb(jobs, terminal, {
      name,
      about,
      args: [['<id>', 'the job']],
      request: ({ args: [id = ''] }) => ({
        method,
        path: `/v1/jobs/${encodeURIComponent(id)}${method === 'GET' ? '' : `/${name}`}`,
      }),
      answer: Job,
      show: showJob,
    });
  }
  addResults(jobs, terminal);
  addDeliveries(jobs, terminal, { noun: 'job', path: '/v1/jobs' });
};

const jobColumns: readonly Column<Job>[] = [
  ['id', ({ id }) => id],
  ['kind', ({ kind }) => kind],
  ['status', ({ status }) => status],
  ['items', ({ total_items }) => total_items],
  ['complete', ({ completed_items }) => completed_items],
  ['failed', ({ failed_items }) => failed_items],
  ['created', ({ created_at }) => created_at],
];

const showJob = (terminal: Terminal, job: Job): Promise<void> =>
  printFields(terminal, {
    id: job.id,
    kind: job.kind,
    source: job.source,
    status: job.status,
    items: job.total_items,
    complete: job.completed_items,
    failed: job.failed_items,
    created: job.created_at,
    updated: job.updated_at,
    ...(job.error_code == null ? {} : { error: `${job.error_code}: ${job.error_message ?? ''}` }),
  });

/** Operations that can be named alone. */
const complete = operations
  .filter((operation) => fieldsOf(operation).every(({ isRequired }) => !isRequired))
  .map(({ name }) => name);

const exampleOfOthers = operations
  .filter(({ name }) => !complete.includes(name))
  .slice(0, 1)
  .map((operation) => {
    const [field] = fieldsOf(operation).filter(({ isRequired }) => isRequired);
    return JSON.stringify({ operation: operation.name, [field?.name ?? '']: '…' });
  })
  .join();

/** Names of operations with commas between, or an operation with its members as JSON. Each `--then` adds to those before. */
const parseThen = (text: string, before: readonly object[] = []): readonly object[] => {
  if (text.trimStart().startsWith('{')) {
    try {
      return [...before, JSON.parse(text) as object];
    } catch {
      throw new InvalidArgumentError('It is an operation as JSON, or the names of some.');
    }
  }
  const names = text.split(',').map((name) => name.trim());
  const known: readonly string[] = complete;
  if (names.some((name) => !known.includes(name))) {
    throw new InvalidArgumentError(`Names are ${complete.join(', ')}; others are JSON: ${exampleOfOthers}.`);
  }
  return [...before, ...names.map((operation) => ({ operation }))];
};

const Started = z.looseObject({ job_id: z.string(), status: z.string(), total_items: z.int() });
const Planned = z.looseObject({
  dry_run: z.literal(true),
  kind: z.string(),
  videos_found: z.int().nullable(),
  credits_needed: z.int(),
});

const addCreate = (jobs: Command, terminal: Terminal): void => {
  addServerVerb(jobs, terminal, {
    isSentOnce: true,
    name: 'create',
    about: 'make a job of videos, playlists and channels; prints its id',
    args: [['<link...>', 'video, playlist and channel ids or links; - reads them from stdin']],
    options: [
      new Option('--kind <kind>', 'of the job').choices(['batch', 'playlist', 'channel']),
      new Option('-l, --lang <language>', 'of the captions; without it, that of each video'),
      countOption('--limit <n>', 'at most so many videos of all lists together'),
      new Option('--then <operations>', 'what to make of each transcript: names, or JSON').argParser(parseThen),
      new Option('--asr', 'recognize the speech of videos without captions'),
      new Option('--webhook-url <url>', 'gets a webhook when the job ends'),
      new Option('--dry-run', 'print what it would hold and cost, and make none'),
    ],
    request: async (given) => ({
      method: 'POST',
      path: '/v1/jobs',
      body: await jobBody(given, terminal),
    }),
    answer: z.union([Started, Planned]),
    show: async (on, made) => {
      const planned = Planned.safeParse(made);
      if (planned.success) {
        const { kind, videos_found, credits_needed } = planned.data;
        return printFields(on, { kind, videos_found, credits_needed });
      }
      const { job_id, status, total_items } = Started.parse(made);
      await print(on, job_id);
      remark(on, `${status}: ${total_items} items; steno jobs watch ${job_id} follows it`);
    },
  });
};

/** The member `then` of the body; as a literal, the linter would take the object for a thenable. */
const following = 'then';

/** Turns other names of a playlist or channel into a link, which the API accepts among videos; leaves videos as they are. */
const linkOf = (reference: string): string => {
  const list = listOf(reference);
  return list === null ? reference : listLink(list);
};

const jobBody = async ({ args, options }: Given, terminal: Terminal): Promise<object> => {
  const ids = await collected(linksOf(args, terminal));
  const only = ids.length === 1 ? listOf(ids[0] ?? '') : null;
  const kind = options['kind'] ?? only?.kind ?? 'batch';
  return {
    ids: kind === 'batch' ? ids.map(linkOf) : ids,
    kind,
    lang: options['lang'],
    limit: options['limit'],
    [following]: options['then'],
    webhook_url: options['webhookUrl'],
    ...(options['asr'] === true ? { asr: 'auto' } : {}),
    ...(options['dryRun'] === true ? { dry_run: true } : {}),
  };
};

const Result = z.looseObject({
  item_id: z.string(),
  reference: z.string(),
  video_id: z.string().nullable(),
  status: z.string(),
  language: z.string().nullable(),
  error_code: z.string().nullable(),
  credits_charged: z.int(),
});

const addResults = (jobs: Command, terminal: Terminal): void => {
  addListVerb(jobs, terminal, {
    name: 'results',
    about: 'the items of a job that have ended; with --json their transcripts too',
    args: [['<id>', 'the job']],
    limit: { default: null, page: 100 },
    request: ({ args: [id = ''] }, { limit, after }) => ({
      method: 'GET',
      path: `/v1/jobs/${encodeURIComponent(id)}/results`,
      query: { limit, cursor: after },
    }),
    answer: z.looseObject({ results: z.array(Result), next_cursor: z.string().nullable() }),
    rows: ({ results }) => results,
    next: ({ next_cursor }) => next_cursor,
    columns: [
      ['video', ({ video_id, reference }) => video_id ?? reference],
      ['status', ({ status }) => status],
      ['language', ({ language }) => language],
      ['credits', ({ credits_charged }) => credits_charged],
      ['error', ({ error_code }) => error_code],
    ],
  });
};
