import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { bundlePrograms } from '#test/support/bundles.ts';
import { leaksIn } from '#test/support/leaks.ts';
import { isAlive } from '#test/support/program.ts';
import { suiteOf, testFiles } from '#test/support/test-files.ts';
import { openTestServer } from '#test/support/test-server.ts';

/** A test that hangs fails with its name. */
const testTimeoutMs = 300_000;
const prefix = 'steno-tests-';
/** A file system in memory, and its bytes that a run may need. */
const [memoryFolder, memoryBytes] = ['/dev/shm', 6 * 1024 ** 3];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'test-name-pattern': { type: 'string', multiple: true },
    /** Tests spend most of their time waiting, so more processes than cores keep the cores busy. */
    processes: { type: 'string', default: String(availableParallelism() * 2 + 1) },
    postgres: { type: 'string' },
  },
});

/** A database is some 900 files. On a disk, each costs ten times as much as in memory. */
const scratchParent = (): string => {
  if (!existsSync(memoryFolder) || freemem() < 2 * memoryBytes) return tmpdir();
  const { bavail, bsize } = statfsSync(memoryFolder);
  return bavail * bsize < memoryBytes ? tmpdir() : memoryFolder;
};

/** A new folder for all files of this run. Removes those of runs that were killed. */
const scratchFolder = (parent = scratchParent()): string => {
  for (const name of readdirSync(parent).filter((one) => one.startsWith(prefix))) {
    const pid = Number(name.slice(prefix.length));
    if (pid > 0 && !isAlive(pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const folder = join(parent, `${prefix}${process.pid}`);
  // The OS user of Postgres enters it.
  mkdirSync(folder, { mode: 0o755 });
  return folder;
};

/** Writes one module for each process, which begins with a file of its own and then takes one after the other. */
const entryPoints = (folder: string, files: readonly string[]): readonly string[] => {
  const from = JSON.stringify(import.meta.resolve('#test/support/test-files.ts'));
  const names = JSON.stringify(files);
  const count = Math.min(Number(values.processes), files.length);
  return Array.from({ length: count }, (_, index) => {
    const entry = join(folder, `process-${index + 1}.mjs`);
    const call = `await runFiles(${names}, ${index}, ${count});`;
    writeFileSync(entry, `import { runFiles } from ${from};\n${call}\n`);
    return entry;
  });
};

/** Runs these files in some processes; returns what was wrong with the run. */
const runTests = async (scratch: string, files: readonly string[]): Promise<readonly string[]> => {
  const modules = entryPoints(scratch, files);
  const suites = new Set<string>();
  const counted = new Map<string, number>();
  let isSuccess = false;
  const events = run({
    files: [...modules],
    concurrency: modules.length,
    timeout: testTimeoutMs,
    // The space of new objects has its full size from the start: growing it takes up to a sixth of the processor time.
    execArgv: [
      '--min-semi-space-size=16',
      ...['--import', import.meta.resolve('#test/support/load-tsx.mjs')],
    ],
    ...(values['test-name-pattern'] && { testNamePatterns: values['test-name-pattern'] }),
  });
  events.on('test:summary', ({ file, counts, success }) => {
    if (file === undefined) isSuccess = success;
    else counted.set(file, counts.tests);
  });
  events.on('test:complete', ({ name, nesting }) => {
    if (nesting === 0) suites.add(name);
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  const tests = [...counted.values()].reduce((sum, count) => sum + count, 0);
  return [
    ...(isSuccess ? [] : ['a test failed']),
    ...(tests > 0 ? [] : ['no test was run']),
    // A process that exits with code 0 in a test has no summary.
    ...modules.filter((module) => !counted.has(module)).map((one) => `${one} ended too early`),
    // A file without a test that was asked for by its name is not reported.
    ...(values['test-name-pattern'] ? [] : files.map(suiteOf))
      .filter((suite) => !suites.has(suite))
      .map((suite) => `${suite} was not run`),
  ];
};

// Ctrl-C ends the test processes. This one goes on until Postgres is stopped.
process.on('SIGINT', () => {});
const scratch = scratchFolder();
const leaks = join(scratch, 'leaks');
mkdirSync(leaks);
try {
  const bundling = bundlePrograms(join(scratch, 'bundles'));
  await using postgres = await openTestServer(values.postgres, join(scratch, 'run'));
  await bundling;
  process.env['TEST_DATABASE_URL'] = postgres.url;
  process.env['STENO_TEST_SCRATCH'] = scratch;
  process.env['STENO_TEST_LEAKS'] = leaks;
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'steno-tests-compiled');
  const faults = await runTests(scratch, testFiles(positionals));
  // Everything that the product logged, and dumps of its databases.
  const found = leaksIn(leaks).slice(0, 50);
  for (const fault of [...faults, ...found.map((leak) => `leak: ${leak}`)]) {
    console.error(fault);
    process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
