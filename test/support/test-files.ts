import { globSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const tests = fileURLToPath(new URL('..', import.meta.url));

/** Files that take long come first, so that the processes end at about the same time. */
const slow = /\/test\/(?:examples|journeys|reliability|start)\b/;

/** Files that repeat a fault many times, wait for clocks, start many processes or check every route. */
const isSoak = (file: string): boolean => file.endsWith('.soak.test.ts');

/**
 * The test files for these names (files, folders or globs), or all of them for no name. Without `soak` they are those of
 * `npm test`, with it those of `npm run test:soak`; the name of a single file selects it in both. A name that selects
 * nothing is an error.
 */
export const testFiles = (names: readonly string[], soak = false): readonly string[] => {
  const found = (names.length > 0 ? names : [tests]).flatMap((name) => {
    const named = statSync(name, { throwIfNoEntry: false });
    if (named?.isFile()) return [name];
    const matching = globSync(named?.isDirectory() ? join(name, '**/*.test.ts') : name);
    const files = matching.filter((file) => isSoak(file) === soak).toSorted();
    if (files.length === 0) throw new Error(`no ${soak ? 'soak ' : ''}test file is named ${name}`);
    return files;
  });
  const files = [...new Set(found.map((file) => resolve(file)))];
  // Not by folder: files of `reliability` and `start` wait for time limits, and side by side they leave the cores idle.
  const byName = (one: string, other: string) => basename(one).localeCompare(basename(other));
  return [...files.filter((file) => slow.test(file)).toSorted(byName), ...files.filter((file) => !slow.test(file))];
};

/** The name of the suite of a file. */
export const suiteOf = (file: string): string => relative(tests, file);
