import { mkdirSync } from 'node:fs';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { suiteOf } from '#test/support/test-files.ts';

/** Whether no other process has taken this file before. */
const take = (index: number): boolean =>
  mkdirSync(`${process.env['STENO_TEST_TAKEN']}/${index}`, { recursive: true }) !== undefined;

// Properties without a seed of their own take that of the run.
fc.configureGlobal({ seed: Number(process.env['SEED']) });

const [count = '', ...files] = process.argv.slice(2);
// Each process begins with a file of its own: the runner takes one without tests for a test.
const own = files.findIndex((_, index) => take(index));
// When tests are chosen by name, the runner ends after a suite without any of them, unless another suite is declared by then.
const isChoosing = process.execArgv.some((one) => one.startsWith('--test-name-pattern'));
const isOurs = (index: number): boolean => {
  if (isChoosing) return index % Number(count) === own;
  return index === own || (index >= Number(count) && take(index));
};
// The test runner ends, and cancels what is left, where a test waits for nothing that keeps the process alive.
const keepAlive = setInterval(() => {}, 60_000);
const suites: Promise<void>[] = [];
for (const [index, file] of files.entries()) {
  if (!isOurs(index)) continue;
  const suite = describe(suiteOf(file), async () => {
    await import(pathToFileURL(file).href).catch((error: unknown) => {
      // The reporter does not count a suite without tests, which this one is when tests are chosen by name.
      process.exitCode = 1;
      throw error;
    });
  });
  suites.push(suite);
  if (!isChoosing) await suite;
}
await Promise.all(suites);
clearInterval(keepAlive);
// What a failed test left running does not keep its process alive: the runner then says that it ended too early. It
// waits longer than pools keep idle connections. `forceExit` exits before the summary has left its pipe.
setTimeout(() => process.exit(), 60_000).unref();
