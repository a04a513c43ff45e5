import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '#src/edges/cli/program.ts';
import type { Environment, Host } from '#src/edges/cli/terminal.ts';
import type { ProgramResult } from '#test/support/program.ts';

const refuse = (): never => {
  throw new Error('a client has no database');
};

/** A PassThrough stream with `isTTY`. */
export const screen = (columns = 80) => Object.assign(new PassThrough(), { isTTY: true, columns });

/** Runs a `steno` command in this process as a client of a server, without access to a database. */
export const call = async (
  environment: Environment,
  words: readonly string[],
  {
    stdin = '',
    ...given
  }: { readonly stdin?: string } & Partial<Omit<Host, 'stdin'>> & { readonly input?: Host['stdin'] } = {},
): Promise<ProgramResult> => {
  const stdout = given.stdout ?? new PassThrough();
  const stderr = given.stderr ?? new PassThrough();
  const said = Promise.all([text(stdout as PassThrough), text(stderr as PassThrough)]);
  const code = await runCommandLine(words, {
    version: '1.0.0',
    commit: () => null,
    signal: new AbortController().signal,
    openApplication: refuse,
    openReader: refuse,
    startMcp: refuse,
    archives: { write: refuse, restore: refuse },
    migrate: refuse,
    adoptSecret: refuse,
    checks: refuse,
    openApi: refuse,
    serve: refuse,
    demo: refuse,
    writeDocuments: refuse,
    isUnavailable: () => false,
    ...given,
    ...{ stdout, stderr, stdin: given.input ?? Readable.from([stdin]) },
    environment: () => environment,
  });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, stdout: out, stderr: err };
};
