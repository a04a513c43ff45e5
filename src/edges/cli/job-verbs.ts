import { type Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import { listLink } from '../../commands.ts';
import { cancelJob, createJob, type jobSchema, listJobs, readJob, readResults, retryJob } from '../../contract/jobs.ts';
import { fieldsOf } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { listJobDeliveries, replayJobDelivery } from '../../contract/webhooks.ts';
import { linksOf } from './account-links.ts';
import { addDeliveries } from './delivery-verbs.ts';
import { optionsOf } from './endpoint-request.ts';
import {
  asrOption,
  captionsOption,
  keepOptions,
  languageOption,
  parserOfNames,
  wordsOption,
} from './option-parsers.ts';
import { addListVerb, addServerVerb, type ParsedArguments } from './server-verb.ts';
import { type Columns, printFields } from './table.ts';
import { print, remark, type Terminal } from './terminal.ts';
import { listOf } from './transcript-source.ts';

type Job = z.output<typeof jobSchema>;

/** The jobs of the account of the key: `steno jobs create`, `list`, `get`, `results`, `cancel`, `retry`, `deliveries`, `replay`. */
export const addJobVerbs = (jobs: Command, terminal: Terminal): void => {
  addCreate(jobs, terminal);
  addListVerb(jobs, terminal, { endpoint: listJobs, name: 'list', columns: jobColumns });
  addServerVerb(jobs, terminal, { endpoint: readJob, name: 'get', show: showJob });
  addServerVerb(jobs, terminal, { endpoint: cancelJob, name: 'cancel', show: showJob });
  addServerVerb(jobs, terminal, {
    endpoint: retryJob,
    name: 'retry',
    options: [new Option('--dry-run', 'print the credits it would reserve, without creating it')],
    show: (on, answer) =>
      'dry_run' in answer ? printFields(on, { videos: answer.videos, credits: answer.credits }) : showJob(on, answer),
  });
  addListVerb(jobs, terminal, {
    endpoint: readResults,
    name: 'results',
    about: 'the finished items of a job; with --json, their transcripts too',
    columns: {
      video: ({ video_id, reference }) => video_id ?? reference,
      status: 'status',
      language: 'language',
      credits: 'credits_charged',
      error: 'error_code',
    },
  });
  addDeliveries(jobs, terminal, { list: listJobDeliveries, replay: replayJobDelivery });
};

const jobColumns: Columns<Job> = {
  id: 'id',
  kind: 'kind',
  status: 'status',
  items: 'total_items',
  complete: 'completed_items',
  failed: 'failed_items',
  charged: 'credits_charged',
  reserved: 'credits_reserved',
  created: 'created_at',
};

const showJob = (terminal: Terminal, job: Job): Promise<void> =>
  printFields(terminal, {
    id: job.id,
    kind: job.kind,
    source: job.source,
    status: job.status,
    items: job.total_items,
    complete: job.completed_items,
    failed: job.failed_items,
    charged: job.credits_charged,
    reserved: job.credits_reserved,
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
export const parseThen = (text: string, before: readonly object[] = []): readonly object[] => {
  if (text.trimStart().startsWith('{')) {
    try {
      return [...before, JSON.parse(text) as object];
    } catch {
      throw new InvalidArgumentError('It must be an operation as JSON, or a list of names.');
    }
  }
  const refusal = `Names are ${complete.join(', ')}; give others as JSON: ${exampleOfOthers}.`;
  return [...before, ...parserOfNames(complete, refusal)(text).map((operation) => ({ operation }))];
};

const addCreate = (jobs: Command, terminal: Terminal): void => {
  addServerVerb(jobs, terminal, {
    isSentOnce: true,
    endpoint: createJob,
    name: 'create',
    about: 'create a job from videos, playlists and channels; prints its id',
    args: [['<link...>', 'video, playlist and channel ids or links; - reads them from stdin']],
    options: [
      ...optionsOf(createJob, { kind: 'of the job' }),
      languageOption('that of each video'),
      captionsOption(),
      wordsOption(),
      ...optionsOf(createJob, { limit: 'maximum videos from all lists together' }),
      new Option('--then <operations>', 'operations on each transcript: names, or JSON').argParser(parseThen),
      asrOption(),
      ...keepOptions(),
      ...optionsOf(createJob, { cost_tag: 'what its cost is assigned to' }),
      ...optionsOf(createJob, { webhook_url: 'receives a webhook when the job ends' }),
      new Option('--dry-run', 'print its size and cost without creating it'),
    ],
    members: (given) => jobMembers(given, terminal),
    show: async (on, made) => {
      if ('dry_run' in made) {
        const { kind, videos_found, credits_needed } = made;
        return printFields(on, { kind, videos_found, credits_needed });
      }
      const { job_id, status, total_items } = made;
      await print(on, job_id);
      remark(on, `${status}: ${total_items} items; follow it with steno jobs watch ${job_id}`);
    },
  });
};

/** Turns other names of a playlist or channel into a link, which the API accepts among videos; leaves videos as they are. */
const linkOf = (reference: string): string => {
  const list = listOf(reference);
  return list === null ? reference : listLink(list);
};

const jobMembers = async ({ args, options }: ParsedArguments, terminal: Terminal): Promise<object> => {
  const ids = await Array.fromAsync(linksOf(args, terminal));
  const only = ids.length === 1 ? listOf(ids[0] ?? '') : null;
  const kind = options['kind'] ?? only?.kind ?? 'batch';
  return { ids: kind === 'batch' ? ids.map(linkOf) : ids, kind };
};
