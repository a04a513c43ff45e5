import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundlePrograms } from '#test/support/bundles.ts';
import { leaksIn } from '#test/support/leaks.ts';
import { isAlive } from '#test/support/program.ts';
import { shareOut, testFiles } from '#test/support/test-files.ts';
import { openTestServer } from '#test/support/test-server.ts';

/** A test that hangs fails with its name. */
const testTimeoutMs = 300_000;
const prefix = 'steno-tests-';
/** A database is some 900 files. On a disk, each costs ten times as much as in memory. */
const memoryFolder = '/dev/shm';
const memoryBytes = 6 * 1024 ** 3;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'test-name-pattern': { type: 'string', multiple: true },
    /** Tests spend most of their time waiting, so more processes than cores keep the cores busy. */
    processes: { type: 'string', default: String(availableParallelism() * 2 + 1) },
    postgres: { type: 'string' },
    /** Prints the seconds of each test file, for the list in test/support/test-files.ts. */
    durations: { type: 'boolean', default: false },
  },
});

/** Removes the folders of runs that were killed. */
const removeAbandoned = (): void => {
  for (const parent of [tmpdir(), memoryFolder]) {
    for (const name of readdirSync(parent).filter((one) => one.startsWith(prefix))) {
      const pid = Number(name.slice(prefix.length).split('-')[0]);
      if (pid > 0 && !isAlive(pid)) rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
};

const scratchParent = (): string => {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    const hasRoom = bavail * bsize >= memoryBytes && freemem() >= 2 * memoryBytes;
    return hasRoom ? memoryFolder : tmpdir();
  } catch {
    return tmpdir();
  }
};

/**
 * What a failed test left running does not keep its process alive: the runner then says that the process ended too
 * early. It waits longer than pools keep idle connections. The option `forceExit` exits before the summary of the process
 * has left its pipe.
 */
const exitAfterTests = `import { after } from 'node:test';
after(() => setTimeout(() => process.exit(), 60_000).unref());
`;

/** Writes one module for each process, which imports the files of that process. */
const entryPoints = (folder: string, files: readonly string[]): readonly string[] =>
  shareOut(files, Number(values.processes)).map((share, index) => {
    const entry = join(folder, `process-${index + 1}.mjs`);
    const imports = share.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`);
    writeFileSync(entry, `${exitAfterTests}${imports.join('')}`);
    return entry;
  });

/** Runs each of these modules in a process; returns what was wrong with the run. */
const runTests = async (modules: readonly string[]): Promise<readonly string[]> => {
  const counted = new Map<string, number>();
  const secondsOf = new Map<string, number>();
  let isSuccess = false;
  const events = run({
    files: [...modules],
    concurrency: modules.length,
    timeout: testTimeoutMs,
    execArgv: ['--import', import.meta.resolve('#test/support/load-tsx.mjs')],
    ...(values['test-name-pattern'] && { testNamePatterns: values['test-name-pattern'] }),
  });
  events.on('test:summary', ({ file, counts, success }) => {
    if (file === undefined) isSuccess = success;
    else counted.set(file, counts.tests);
  });
  events.on('test:complete', ({ nesting, file = '', details }) => {
    if (nesting > 0) return;
    secondsOf.set(file, (secondsOf.get(file) ?? 0) + details.duration_ms / 1000);
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  if (values.durations) {
    for (const [file, seconds] of [...secondsOf].toSorted(([, a], [, b]) => b - a)) {
      console.log(`${seconds.toFixed(1)} ${file}`);
    }
  }
  const tests = [...counted.values()].reduce((sum, count) => sum + count, 0);
  return [
    ...(isSuccess ? [] : ['a test failed']),
    ...(tests > 0 ? [] : ['no test was run']),
    // A process that exits with code 0 in a test has no summary.
    ...modules.filter((module) => !counted.has(module)).map((one) => `${one} ended too early`),
  ];
};

/** Runs the tests of the files that the arguments name, then searches the logs and dumps of the run for secrets. */
const main = async (): Promise<void> => {
  removeAbandoned();
  const scratch = join(scratchParent(), `${prefix}${process.pid}`);
  // The OS user of Postgres enters this folder.
  mkdirSync(scratch, { mode: 0o755 });
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
    const faults = await runTests(entryPoints(scratch, testFiles(positionals)));
    const found = leaksIn(leaks).slice(0, 50);
    for (const fault of [...faults, ...found.map((leak) => `leak: ${leak}`)]) {
      console.error(fault);
      process.exitCode = 1;
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};

// Ctrl-C ends the test processes. This one goes on until Postgres is stopped.
process.on('SIGINT', () => {});
await main();
