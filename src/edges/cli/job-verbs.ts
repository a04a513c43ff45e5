import type { Command } from 'commander';
import type { z } from 'zod';
import { listLink } from '../../commands.ts';
import { cancelJob, createJob, type jobSchema, listJobs, readJob, readResults, retryJob } from '../../contract/jobs.ts';
import { listJobDeliveries, replayJobDelivery } from '../../contract/webhooks.ts';
import { linksOf } from './account-links.ts';
import { addDeliveries } from './delivery-verbs.ts';
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
    showsQuote: true,
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

const addCreate = (jobs: Command, terminal: Terminal): void => {
  addServerVerb(jobs, terminal, {
    isSentOnce: true,
    endpoint: createJob,
    name: 'create',
    about: 'create a job from videos, playlists and channels; prints its id',
    args: [['<link...>', 'video, playlist and channel ids or links; - reads them from stdin']],
    without: ['ids', 'video_ids', 'urls'],
    showsQuote: true,
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
