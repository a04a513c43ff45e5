import { globSync, mkdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const tests = fileURLToPath(new URL('..', import.meta.url));

/** Files that take long come first, so that the processes end at about the same time. */
const slow = /\/test\/(?:examples|journeys|reliability|start)\b/;

/** The test files for these names (files, folders or globs); all of them for no name. A name that matches nothing is an error. */
export const testFiles = (names: readonly string[]): readonly string[] => {
  const found = (names.length > 0 ? names : [tests]).flatMap((name) => {
    const isFolder = statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;
    const files = globSync(isFolder ? join(name, '**/*.test.ts') : name).toSorted();
    if (files.length === 0) throw new Error(`no test file is named ${name}`);
    return files;
  });
  const files = [...new Set(found.map((file) => resolve(file)))];
  return [...files.filter((file) => slow.test(file)), ...files.filter((file) => !slow.test(file))];
};

/** The name of the suite of a file. */
export const suiteOf = (file: string): string => relative(tests, file);

/** Runs, one after the other, each as a suite: this one of the files, and of those from `count` on what no other process took. */
export const runFiles = async (
  files: readonly string[],
  own: number,
  count: number,
): Promise<void> => {
  // The test runner ends, and cancels what is left, where a test waits for nothing that keeps the process alive.
  const keepAlive = setInterval(() => {}, 60_000);
  for (const [index, file] of files.entries()) {
    if (index < count ? index !== own : !take(index)) continue;
    await describe(suiteOf(file), async () => {
      await import(pathToFileURL(file).href).catch((error: unknown) => {
        // The reporter does not count a suite without tests, which this one is when tests are chosen by name.
        process.exitCode = 1;
        throw error;
      });
    });
  }
  clearInterval(keepAlive);
  // What a failed test left running does not keep its process alive: the runner then says that it ended too early. It
  // waits longer than pools keep idle connections. `forceExit` exits before the summary has left its pipe.
  setTimeout(() => process.exit(), 60_000).unref();
};

/** Whether no process has taken this file before. */
const take = (index: number): boolean => {
  try {
    mkdirSync(join(process.env['STENO_TEST_SCRATCH'] ?? '', `taken-${index}`));
    return true;
  } catch {
    return false;
  }
};
