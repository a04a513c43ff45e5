import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { archivesOf } from '#src/app/archives.ts';
import { openLocalReader } from '#src/app/local-reader.ts';
import { isUnavailable, openApplication, version } from '#src/app.ts';
import { loadConfig, loadSettings } from '#src/config.ts';
import { runCommandLine } from '#src/edges/cli/program.ts';
import { logOfRun } from '#test/support/leaks.ts';
import type { ProgramResult } from '#test/support/program.ts';

/**
 * Runs a `steno` command in this process as an operator, with the application and its database. It saves
 * the second that starting a process takes.
 */
export const operate = async (
  environment: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<ProgramResult> => {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const said = Promise.all([text(stdout), text(stderr)]);
  const refuse = (): never => {
    throw new Error('this command is run as a process of its own');
  };
  const { signal } = new AbortController();
  const code = await runCommandLine(words, {
    version,
    commit: () => null,
    stdout,
    stderr,
    stdin: Readable.from([]),
    signal,
    openApplication: () => openApplication(loadConfig(environment), { logger: logOfRun }),
    openReader: () => openLocalReader(loadSettings(environment), { logger: logOfRun, signal, folder: null }),
    startMcp: refuse,
    environment: () => ({}),
    migrate: refuse,
    adoptSecret: refuse,
    archives: archivesOf(() => [loadConfig(environment), { logger: logOfRun }], version),
    checks: refuse,
    openApi: refuse,
    serve: refuse,
    demo: refuse,
    writeDocuments: refuse,
    isUnavailable,
  });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, stdout: out, stderr: err };
};
