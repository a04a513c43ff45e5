import { globSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

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
