import { globSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Seconds of the slowest test files, measured in a full run; any other file counts as one second. */
const seconds: Readonly<Record<string, number>> = {
  'test/journeys/killed-workers.test.ts': 51,
  'test/journeys/job-faults.test.ts': 49,
  'test/start/serve.test.ts': 41,
  'test/journeys/browser.test.ts': 35,
  'test/reliability/postgres-restart.test.ts': 33,
  'test/examples.test.ts': 31,
  'test/adapters/embedded-postgres.test.ts': 25,
  'test/reliability/clocks.test.ts': 21,
  'test/reliability/deadly-work.test.ts': 19,
  'test/reliability/many-sockets.test.ts': 19,
  'test/eventlog/stress.test.ts': 16,
  'test/journeys/account.test.ts': 16,
  'test/eventlog/subscriptions/subscription.test.ts': 15,
  'test/journeys/demo.test.ts': 14,
  'test/edges/http/account/auth.test.ts': 12,
  'test/reliability/database-faults.test.ts': 12,
  'test/edges/http/socket-errors.test.ts': 11,
  'test/journeys/jobs.test.ts': 11,
  'test/accounts/signing-in.test.ts': 10,
  'test/app/operations.test.ts': 10,
  'test/extraction/captions.test.ts': 10,
  'test/reliability/parallel-charges.test.ts': 10,
  'test/reliability/redis-faults.test.ts': 10,
  'test/accounts/registering.test.ts': 9,
  'test/journeys/keys.test.ts': 9,
  'test/start/silent-database.test.ts': 9,
  'test/adapters/webhook-http.test.ts': 8,
  'test/edges/http/pipelining.test.ts': 8,
  'test/extraction/linear-time.test.ts': 8,
  'test/extraction/simulated-platform.test.ts': 8,
  'test/projections/jobs.test.ts': 8,
  'test/reliability/database-away.test.ts': 8,
  'test/reliability/killed-server.test.ts': 8,
  'test/reliability/platform-faults.test.ts': 8,
  'test/reliability/reference-ledger.test.ts': 8,
  'test/adapters/processes.test.ts': 7,
  'test/eventlog/postgres-event-log.test.ts': 7,
  'test/eventlog/projections/rebuild.test.ts': 7,
  'test/jobs/interleavings.test.ts': 7,
  'test/journeys/ledger.test.ts': 7,
  'test/credits/ledger.property.test.ts': 6,
  'test/extraction/video-id.test.ts': 6,
  'test/journeys/restore.test.ts': 6,
  'test/edges/cli/server-verbs.test.ts': 6,
  'test/reliability/receivers.test.ts': 6,
  'test/support/test-files.test.ts': 6,
  'test/edges/http/account/account.test.ts': 5,
  'test/edges/http/openapi/linters.test.ts': 5,
  'test/edges/worker/worker.test.ts': 5,
  'test/eventlog/commands/command-handler.test.ts': 5,
  'test/eventlog/event-log-contract.test.ts': 5,
  'test/journeys/erasure.test.ts': 5,
  'test/journeys/mail.test.ts': 5,
  'test/journeys/operators.test.ts': 5,
  'test/journeys/recorded-examples.test.ts': 5,
  'test/reliability/idle.test.ts': 5,
  'test/accounts/erasing.test.ts': 4,
  'test/accounts/timing.test.ts': 4,
  'test/adapters/read-connections.test.ts': 4,
  'test/edges/http/middleware/allowed-methods.test.ts': 4,
  'test/edges/http/middleware/body.test.ts': 4,
  'test/eventlog/subscriptions/subscription-runner.test.ts': 4,
  'test/journeys/two-processes.test.ts': 4,
  'test/journeys/webhooks.test.ts': 4,
  'test/reliability/restored-in-parts.test.ts': 4,
  'test/docs/verify-ledger.test.ts': 3,
  'test/edges/http/middleware/response.test.ts': 3,
  'test/edges/http/v1/job-events.test.ts': 3,
  'test/extraction/listings.test.ts': 3,
  'test/journeys/ai.test.ts': 3,
  'test/journeys/described-answers.test.ts': 3,
  'test/journeys/swept-parameters.test.ts': 3,
  'test/projections/ledger-models.test.ts': 3,
  'test/reliability/rolling-deployment.test.ts': 3,
  'test/reliability/time-zone.test.ts': 3,
};

/** The test files for these names (files, folders or globs); all of them for no name. A name that matches nothing is an error. */
export const testFiles = (names: readonly string[]): readonly string[] => {
  const found = (names.length > 0 ? names : [join(repository, 'test')]).flatMap((name) => {
    const isFolder = statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;
    const files = globSync(isFolder ? join(name, '**/*.test.ts') : name).toSorted();
    if (files.length === 0) throw new Error(`no test file is named ${name}`);
    return files;
  });
  return [...new Set(found.map((file) => resolve(file)))];
};

/** Distributes files over processes: longest first, each to the process with the least so far. */
export const shareOut = (
  files: readonly string[],
  processes: number,
  secondsOf: (file: string) => number = (file) => seconds[file.slice(repository.length)] ?? 1,
): readonly (readonly string[])[] => {
  const shares = Array.from({ length: Math.min(processes, files.length) }, () => ({
    files: [] as string[],
    seconds: 0,
  }));
  for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    const least = shares.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    least.files.push(file);
    least.seconds += secondsOf(file);
  }
  return shares.map((share) => share.files);
};
