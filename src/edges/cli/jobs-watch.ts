import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { answerOf } from '../../contract/answer-of.ts';
import { jobSchema, readJob, watchJob } from '../../contract/jobs.ts';
import { elapsedMs } from '../../kernel/clock.ts';
import { isTerminal } from '../../queries.ts';
import { requestTo } from './endpoint-request.ts';
import { exit } from './exit-codes.ts';
import { barOf, paceOf } from './progress.ts';
import { type ServerClient, serverClient } from './server-client.ts';
import { isTemporary } from './server-error.ts';
import { type ServerOptions, serverOf } from './server-login.ts';
import { withServer } from './server-verb.ts';
import { canRedraw, print, say, type Terminal } from './terminal.ts';

/**
 * `steno jobs watch`: watches a job until it has ended, on the server of the login, else in this database for any
 * account. A progress bar on a terminal, else a line for each change. Exits with 0 if the job is completed, 8 if some items
 * failed, 1 if it failed or was cancelled, 5 if there is no such job.
 */
export const addJobsWatch = (jobs: Command, terminal: Terminal): void => {
  const watch = jobs
    .command('watch')
    .description('show the progress of a job until it ends')
    .argument('<id>', 'the job');
  withServer(watch)
    .option('--local', 'use the local database even when logged in to a server')
    .option('--json', 'print one JSON object per change')
    .action(async (jobId: string, options: ServerOptions & { json?: boolean }) => {
      const isLive = canRedraw(terminal, terminal.stdout);
      const live = liveLine();
      const show = options.json === true ? jsonLine : isLive ? live : plainLine;
      let last: Job | null = null;
      try {
        for await (const job of watched(terminal, jobId, options)) {
          await show(terminal, job);
          last = job;
        }
      } finally {
        if (show === live && last !== null) terminal.stdout.write('\n');
      }
      if (last === null) return terminal.end(exit.failed);
      if (last.error_code !== null) {
        say(terminal, `${last.error_code}: ${last.error_message ?? ''}`);
      }
      terminal.end(codes[last.status] ?? exit.failed);
    });
};

async function* watched(terminal: Terminal, jobId: string, options: ServerOptions): AsyncIterable<Job> {
  const { signal } = terminal;
  const server = await serverOf(terminal, options);
  if (server !== null) {
    const wait = (ms: number): Promise<void> => pause(ms, undefined, { signal });
    yield* watchOnServer(serverClient(server, terminal), jobId, wait);
    return;
  }
  await using application = await terminal.openApplication({ mayCreate: false });
  for await (const job of application.actions.watchJob({ jobId }, { signal })) yield jobAnswer(job, { id: jobId });
}

/** Of jobs that did not fail. An open job at the end means that the watch ended early. */
const codes: Readonly<Partial<Record<Job['status'], number>>> = {
  completed: exit.ok,
  completed_with_errors: exit.partial,
};

type Show = (terminal: Terminal, job: Job) => Promise<void>;

const jsonLine: Show = (terminal, { id, ...job }) => print(terminal, JSON.stringify({ job_id: id, ...job }));

const plainLine: Show = (terminal, job) => print(terminal, `${job.updated_at} ${summaryOf(job)}`);

const barWidth = 30;

/** A bar with the rate since it was first drawn, and the time left. */
const liveLine = (): Show => {
  const startedAt = elapsedMs();
  let before: number | null = null;
  return async (terminal, job) => {
    terminal.signal.throwIfAborted();
    const ended = job.completed_items + job.failed_items;
    before ??= ended;
    const since = { total: job.total_items - before, ms: elapsedMs() - startedAt };
    const bar = barOf(ended, job.total_items, barWidth);
    terminal.stdout.write(`\r\x1b[2K${bar} ${summaryOf(job)}${paceOf(ended - before, since)}`);
  };
};

const summaryOf = ({ status, ...items }: Job): string =>
  `${status}: ${items.completed_items} of ${items.total_items} complete, ${items.failed_items} failed`;

const { id, status, run, total_items, completed_items, failed_items, error_code, error_message, updated_at } =
  jobSchema.shape;
const Job = z.object({
  ...{ id, status, run, total_items, completed_items, failed_items, error_code, error_message, updated_at },
});
const jobAnswer = answerOf(Job);
type Job = z.output<typeof Job>;

/** Resolves after so many milliseconds; rejects at Ctrl-C. */
type Wait = (ms: number) => Promise<unknown>;

/** Minimum interval between reads of the job, because events may arrive in hundreds. */
const readEveryMs = 2_000;
/** Pause after a broken stream. */
const reopenAfterMs = 1_000;
/** Number of failed reads (each with the retries of the client) after which the watch fails; a restart of the server is survived. */
const maxFailedReads = 10;

/** Yields a job of a server now, after each change, and at its end. Its event stream triggers the reads. */
export async function* watchOnServer(client: ServerClient, jobId: string, wait: Wait): AsyncGenerator<Job> {
  const read = async (left: number): Promise<Job> => {
    try {
      return (await client.send(requestTo(readJob, [jobId]), Job)).body;
    } catch (error) {
      if (left === 0 || !isTemporary(error)) throw error;
      await wait(readEveryMs);
      return await read(left - 1);
    }
  };
  let job = await read(0);
  yield job;
  let position = '0';
  while (!isTerminal(job)) {
    const stream = await followed(client, requestTo(watchJob, [jobId]).path, position, wait);
    let isOpen = true;
    while (isOpen && !isTerminal(job)) {
      isOpen = await stream.change();
      const now = await read(maxFailedReads);
      if (JSON.stringify(now) !== JSON.stringify(job)) yield now;
      job = now;
    }
    position = stream.position();
  }
}

/** A stream of events that is read in the background. */
const followed = async (client: ServerClient, path: string, after: string, wait: Wait) => {
  let position = after;
  let changed = Promise.withResolvers<boolean>();
  const follow = async (): Promise<void> => {
    const events = (await client.follow(path, after)) ?? [];
    for await (const { id } of events) {
      position = id;
      changed.resolve(true);
    }
  };
  const ended = follow().catch(async (error: unknown) => {
    if (!isTemporary(error)) throw error;
    await wait(reopenAfterMs);
  });
  // The waiter gets the error; without a waiter the rejection must not be unhandled.
  ended.catch(() => {});
  return {
    position: () => position,
    /** Resolves some time after the next event, at once at the end of the stream: true while more can follow. */
    async change(): Promise<boolean> {
      const end = ended.then(() => false);
      await Promise.race([changed.promise, end]);
      changed = Promise.withResolvers<boolean>();
      return await Promise.race([wait(readEveryMs).then(() => true), end]);
    },
  };
};
