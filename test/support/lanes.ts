import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Following, followingFrom } from './following.ts';

/*
 * The files of a run share a few processes, the lanes, because loading the product takes longer than most files do.
 * Each lane takes the next file that no lane has taken, until there is none: a lane that waits holds up nobody, and
 * what a lane leaves that breaks down is taken by the others. Within a lane one file runs after the other, each as a
 * suite that bears its name.
 */

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Those that take longest, longest first: begun last, one of them would keep the run waiting alone. */
const longest: readonly string[] = [
  'test/journeys/job-faults.test.ts',
  'test/journeys/killed-workers.test.ts',
  'test/start/serve.test.ts',
  'test/examples.test.ts',
  'test/reliability/postgres-restart.test.ts',
  'test/reliability/database-away.test.ts',
  'test/jobs/interleavings.test.ts',
  'test/journeys/operators.test.ts',
  'test/journeys/account.test.ts',
  'test/journeys/demo.test.ts',
  'test/credits/ledger.property.test.ts',
  'test/edges/http/account/auth.test.ts',
  'test/adapters/embedded-postgres.test.ts',
  'test/reliability/many-sockets.test.ts',
  'test/reliability/clocks.test.ts',
];

/** The test files that these names mean: files, folders or globs. A name that means none is an error. */
export const filesNamed = (names: readonly string[]): readonly string[] => {
  const found = names.flatMap((name) => {
    const isFolder = statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;
    const files = globSync(isFolder ? join(name, '**/*.test.ts') : name).toSorted();
    if (files.length === 0) throw new Error(`no test file is named ${name}`);
    return files;
  });
  return [...new Set(found.map((file) => resolve(file)))];
};

/** All test files, in the order in which they are begun. */
export const allFiles = (): readonly string[] => {
  const files = filesNamed([join(repository, 'test')]);
  const first = longest.map((file) => join(repository, file));
  return [...first, ...files.filter((file) => !first.includes(file))];
};

/** Lays out these files in a folder; tells the modules, one a lane, that a test runner is to run side by side. */
export const layOut = (
  folder: string,
  files: readonly string[],
  lanes: number,
  patienceMs = 60_000,
): readonly string[] => {
  writeFileSync(join(folder, 'files.json'), JSON.stringify(files));
  const walk = JSON.stringify(import.meta.url);
  return Array.from({ length: Math.min(lanes, files.length) }, (_, index) => {
    const name = `lane-${index + 1}`;
    const module = join(folder, `${name}.mjs`);
    const lane = JSON.stringify({ folder, name, patienceMs });
    writeFileSync(module, `import { walkLane } from ${walk};\nawait walkLane(${lane});\n`);
    return module;
  });
};

/**
 * Runs file after file in this process, until all of the folder are taken. Something that a file left and that runs on
 * would keep the run waiting for ever: after a while it ends the process, as a failure.
 */
export const walkLane = async ({
  folder,
  name,
  patienceMs,
}: {
  readonly folder: string;
  readonly name: string;
  readonly patienceMs: number;
}): Promise<void> => {
  const following = followingFrom(() => before(() => {}));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, told);
  for (const [index, file] of filesIn(folder).entries()) {
    if (take(folder, index, name)) {
      // Nothing else is waited for between two files: the runner takes a lane without a suite for ended.
      await over(file, following);
      writeFileSync(mark(folder, index, 'ended'), '');
    }
  }
  setTimeout(() => {
    console.error(`${name} does not end: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, patienceMs).unref();
};

/** What is wrong with how a run went, whatever its tests said: one sentence a file that was not run to its end. */
export const unfinishedIn = (folder: string): readonly string[] =>
  filesIn(folder).flatMap((file, index) => {
    const shown = relative(repository, file);
    if (!existsSync(mark(folder, index, 'taken'))) return [`${shown} was not run`];
    if (!existsSync(mark(folder, index, 'ended'))) {
      return [`${shown} did not come to its end: its process, ${takerOf(folder, index)}, did`];
    }
    return [];
  });

/** Which files shared a process, in their order: what it takes to see again what came of it. */
export const walkedIn = (folder: string): ReadonlyMap<string, readonly string[]> => {
  const walked = new Map<string, string[]>();
  for (const [index, file] of filesIn(folder).entries()) {
    if (!existsSync(mark(folder, index, 'taken'))) continue;
    const lane = takerOf(folder, index);
    walked.set(lane, [...(walked.get(lane) ?? []), relative(repository, file)]);
  }
  return walked;
};

const filesIn = (folder: string): readonly string[] =>
  JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8'));

const mark = (folder: string, index: number, what: 'taken' | 'ended'): string =>
  join(folder, `${index}-${what}`);

const takerOf = (folder: string, index: number): string =>
  readFileSync(mark(folder, index, 'taken'), 'utf8');

/** Whether this lane is the one that runs the file: of all that ask, one is. */
const take = (folder: string, index: number, name: string): boolean => {
  try {
    writeFileSync(mark(folder, index, 'taken'), name, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
};

/** The runner fails the process, and cannot tell more of an error than its message. */
const told = (error: unknown): void => {
  console.error(`${process.env['STENO_TEST_FILE']}: nobody caught this:`, error);
};

/** Runs a file as a suite, and resolves when its tests are over. */
const over = (file: string, following: Following): Promise<void> =>
  new Promise((resolve) => {
    following.goOn();
    void describe(relative(repository, file), async () => {
      // The first of its hooks: behind one that fails it would not be called.
      after(() => resolve());
      before(() => following.rest());
      process.env['STENO_TEST_FILE'] = file;
      await import(pathToFileURL(file).href).catch((error: unknown) => {
        it('is loaded', () => {
          throw error;
        });
      });
    });
  });
