import type { Command } from 'commander';
import { exit } from './exit-codes.ts';
import type { WatchedJob } from './operator-interface.ts';
import { print, say, type Terminal } from './terminal.ts';

/**
 * `steno jobs watch`: a job until it is over, of whichever account: a bar on a terminal, else a line for each change.
 * Ends with 0 when the job is completed, 8 when some items failed, 1 when it failed or was cancelled, 5 when there is
 * no such job.
 */
export const addJobsWatch = (
  jobs: Command,
  terminal: Terminal,
  end: (code: number) => void,
): void => {
  jobs
    .command('watch')
    .description('follow a job until it is over')
    .argument('<id>', 'the job')
    .option('--json', 'print a line of JSON for each change')
    .action(async (jobId: string, { json = false }: { json?: boolean }) => {
      await using application = await terminal.openApplication();
      const show = json ? jsonLine : terminal.stdout.isTTY === true ? liveLine : plainLine;
      let last: WatchedJob | null = null;
      try {
        for await (const job of application.operations.watchJob(
          { jobId },
          { signal: terminal.signal },
        )) {
          await show(terminal, job);
          last = job;
        }
      } finally {
        if (show === liveLine && last !== null) terminal.stdout.write('\n');
      }
      if (last === null) return end(exit.failed);
      if (last.errorCode !== null) say(terminal, `${last.errorCode}: ${last.errorMessage ?? ''}`);
      end(codes[last.status]);
    });
};

/** A job that is still open is one whose watch ended early. */
const codes: Readonly<Record<WatchedJob['status'], number>> = {
  queued: exit.failed,
  processing: exit.failed,
  completed: exit.ok,
  completed_with_errors: exit.partial,
  failed: exit.failed,
  cancelled: exit.failed,
};

type Show = (terminal: Terminal, job: WatchedJob) => Promise<void>;

const jsonLine: Show = (terminal, job) =>
  print(
    terminal,
    JSON.stringify({
      job_id: job.jobId,
      status: job.status,
      run: job.run,
      total_items: job.totalItems,
      completed_items: job.completedItems,
      failed_items: job.failedItems,
      error_code: job.errorCode,
      error_message: job.errorMessage,
      updated_at: job.updatedAt,
    }),
  );

const plainLine: Show = (terminal, job) => print(terminal, `${job.updatedAt} ${summaryOf(job)}`);

const barWidth = 30;

const liveLine: Show = async (terminal, job) => {
  terminal.signal.throwIfAborted();
  const ended = job.completedItems + job.failedItems;
  const share = job.totalItems === 0 ? 0 : ended / job.totalItems;
  const done = Math.floor(share * barWidth);
  const bar = `[${'#'.repeat(done)}${'-'.repeat(barWidth - done)}]`;
  terminal.stdout.write(`\r\x1b[2K${bar} ${summaryOf(job)}`);
};

const summaryOf = ({ status, completedItems, failedItems, totalItems }: WatchedJob): string =>
  `${status}: ${completedItems} of ${totalItems} complete, ${failedItems} failed`;
