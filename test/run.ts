import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { bundlePrograms, startPrograms } from '#test/support/bundles.ts';
import { leaksIn } from '#test/support/leaks.ts';
import { isAlive, pageLoader } from '#test/support/program.ts';
import { suiteOf, testFiles } from '#test/support/test-files.ts';
import { openTestServer } from '#test/support/test-server.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'test-name-pattern': { type: 'string', multiple: true },
    processes: { type: 'string' },
    postgres: { type: 'string' },
    /** Runs the files `*.soak.test.ts` instead of the others. */
    soak: { type: 'boolean', default: false },
    /** Runs a file that failed once more, alone; one that passes then is listed as flaky and does not fail the run. */
    'retry-failed': { type: 'boolean', default: process.env['TEST_RETRY_FAILED'] === '1' },
    /** Lists the files that took longest. */
    slowest: { type: 'boolean', default: false },
  },
});

/**
 * Tests also wait, so more processes than cores keep the cores busy; soak tests start processes of their own. With more
 * than these, a run takes longer: time limits are missed, and what missed them is done again.
 */
const processesPerCore = values.soak ? 1.5 : 2;

/** A database is some 900 files. On a disk, each costs ten times as much as in memory. */
const scratchParent = (): string => {
  const inMemory = '/dev/shm';
  if (!existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return Math.min(bavail * bsize, freemem() / 2) < 6 * 1024 ** 3 ? tmpdir() : inMemory;
};

/** A new folder for all files of this run. Removes those of runs that were killed. */
const scratchFolder = (parent = scratchParent(), prefix = 'steno-tests-'): string => {
  for (const name of readdirSync(parent).filter((one) => one.startsWith(prefix))) {
    const pid = Number(name.slice(prefix.length));
    if (pid > 0 && !isAlive(pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const folder = join(parent, `${prefix}${process.pid}`);
  // The OS user of Postgres enters it.
  mkdirSync(folder, { mode: 0o755 });
  return folder;
};

/** The ten files that took longest, with their seconds. */
const slowestOf = (files: readonly string[], durationsMs: ReadonlyMap<string, number>): string =>
  files
    .map((file) => [suiteOf(file), durationsMs.get(suiteOf(file)) ?? 0] as const)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 10)
    .map(([name, ms]) => `${(ms / 1_000).toFixed(1).padStart(7)} s ${name}\n`)
    .join('');

/** Runs these files in some processes; returns what was wrong with the run, and the files that did not pass. */
const runTests = async (
  files: readonly string[],
  processes = Number(values.processes ?? Math.ceil(availableParallelism() * processesPerCore)),
): Promise<{ faults: string[]; failed: string[] }> => {
  const concurrency = Math.min(processes, files.length);
  // Where its processes note which file each has taken.
  process.env['STENO_TEST_TAKEN'] = mkdtempSync(join(scratch, 'taken-'));
  const suites = new Map<string, number>();
  const passed = new Set<string>();
  const faults: string[] = [];
  let [summaries, tests] = [0, 0];
  const events = run({
    files: Array(concurrency).fill(join(import.meta.dirname, 'support/test-process.ts')),
    argv: [String(concurrency), ...files],
    concurrency,
    // A test that hangs fails with its name. Soak tests share the cores with others that kill and start processes.
    timeout: values.soak ? 600_000 : 300_000,
    // The space of new objects has its full size from the start: growing it takes up to a sixth of the processor time.
    execArgv: ['--min-semi-space-size=16', '--import', pageLoader],
    ...(values['test-name-pattern'] && { testNamePatterns: values['test-name-pattern'] }),
  });
  events.on('test:summary', ({ file, success }) => {
    summaries += 1;
    if (file !== undefined) return;
    if (!success) faults.push('a test failed');
  });
  events.on('test:complete', ({ name, nesting, details }) => {
    if (nesting === 0) {
      suites.set(name, details.duration_ms);
      if (details.passed) passed.add(name);
    } else if (details.type === 'test') tests += 1;
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  if (values.slowest) process.stdout.write(slowestOf(files, suites));
  if (tests === 0) faults.push('no test was run');
  // A process that exits with code 0 has none; a file without a test is not reported.
  if (summaries <= concurrency) faults.push('a process ended too early');
  const asked = values['test-name-pattern'] ? [] : files.map(suiteOf);
  faults.push(...asked.filter((one) => !suites.has(one)).map((one) => `${one} was not run`));
  return { faults, failed: files.filter((file) => !passed.has(suiteOf(file))) };
};

// Ctrl-C ends the test processes. This one goes on until Postgres is stopped.
let isStopped = false;
process.on('SIGINT', () => {
  isStopped = true;
});
const scratch = scratchFolder();
const leaks = join(scratch, 'leaks');
mkdirSync(leaks);
try {
  const files = testFiles(positionals, values.soak);
  const bundling = startPrograms(files) && bundlePrograms(join(scratch, 'bundles'));
  await using postgres = await openTestServer(values.postgres, join(scratch, 'run'));
  await bundling;
  process.env['TEST_DATABASE_URL'] = postgres.url;
  process.env['STENO_TEST_SCRATCH'] = scratch;
  process.env['STENO_TEST_LEAKS'] = leaks;
  // A file that is run once more makes the same random choices, so that a fault which they found fails again.
  process.env['SEED'] ??= String(Date.now() % 1_000_000);
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'steno-tests-compiled');
  const first = await runTests(files);
  const { failed } = first;
  let { faults } = first;
  // A machine that is four times slower lets six fail by their time limits. What is broken fails alone, too.
  const isFew = failed.length > 0 && failed.length <= 10;
  if (values['retry-failed'] && faults.length > 0 && isFew && !isStopped) {
    const names = failed.map(suiteOf).join(', ');
    console.error(`failed, and run once more: ${names}`);
    ({ faults } = await runTests(failed, 1));
    if (faults.length === 0) console.error(`flaky: ${names}`);
  }
  // Everything that the product logged, and dumps of its databases.
  const found = leaksIn(leaks).slice(0, 50);
  faults.push(...found.map((leak) => `leak: ${leak}`));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
