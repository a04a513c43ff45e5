import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { bundledModules } from '#test/support/bundles.ts';
import { keepLog } from '#test/support/leaks.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
/** What TypeScript with JSX is loaded by. */
export const pageLoader = import.meta.resolve('#test/support/load-tsx.mjs');

/** Exit code and output of a finished process. */
export type ProgramResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** A running process of the program. `ready` resolves with its address. Disposing it ends the process. */
export type Running = {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly ready: Promise<string>;
  readonly finished: Promise<ProgramResult>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A new data folder that the OS user of Postgres can enter. Disposing it also ends a Postgres left running in it. */
export const dataFolder = async () => {
  const parent = process.env['STENO_TEST_SCRATCH'] ?? tmpdir();
  const folder = await mkdtemp(join(parent, 'steno-data-'));
  await chmod(folder, 0o755);
  const postmasterPid = async (): Promise<number | null> => {
    const path = join(folder, 'postgres', 'data', 'postmaster.pid');
    const text = await readFile(path, 'utf8').catch(() => null);
    return text === null ? null : Number(text.split('\n')[0]);
  };
  return {
    folder,
    postmasterPid,
    [Symbol.asyncDispose]: async () => {
      const pid = await postmasterPid();
      if (pid !== null && pid !== process.pid && isAlive(pid)) process.kill(pid, 'SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
};

/**
 * A data folder with an initialized database, as an earlier start leaves it: `initdb` takes longer than the rest of most tests of
 * a start. The first call in a run makes it; every call gets a copy.
 */
export const usedDataFolder = async (): ReturnType<typeof dataFolder> => {
  await using stack = new AsyncDisposableStack();
  const data = stack.use(await dataFolder());
  const scratch = process.env['STENO_TEST_SCRATCH'];
  if (scratch === undefined) await use(data.folder);
  else await copy(await used(join(scratch, 'used-data')), data.folder);
  stack.move();
  return data;
};

const used = async (kept: string): Promise<string> => {
  if (existsSync(kept)) return kept;
  await using making = await dataFolder();
  await use(making.folder);
  const copied = `${making.folder}-copied`;
  await mkdir(copied, { mode: 0o755 });
  await copy(making.folder, copied);
  // If another process was first, its folder stays.
  await rename(copied, kept).catch(() => rm(copied, { recursive: true }));
  return kept;
};

const use = async (folder: string): Promise<void> => {
  const { code, stderr } = await runProgram(['migrate'], { DATA_DIR: folder });
  if (code !== 0) throw new Error(`a data folder could not be made: ${stderr}`);
};

/** Copies with owners and modes, which `node:fs` does not keep. */
const copy = async (from: string, to: string): Promise<void> => {
  await promisify(execFile)('cp', ['-a', `${from}/.`, to]);
};

/** Whether a process with this id runs; a zombie does not count. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = `/proc/${pid}/cmdline`;
  return !existsSync(commandLine) || readFileSync(commandLine, 'utf8') !== '';
};

/** The variables of this process that a child needs, and the compile cache; nothing else. */
const bareEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  STENO_TEST_LEAKS: process.env['STENO_TEST_LEAKS'],
});

const startedBy = (module: string): string => (module === 'src/main.ts' ? 'src/start.js' : module);

/** The arguments that start a module of `bundledModules`: its bundle, or its source if there is no bundle. */
export const startOf = (module: (typeof bundledModules)[number]) => {
  const scratch = process.env['STENO_TEST_SCRATCH'];
  if (scratch === undefined) return { script: join(repository, startedBy(module)), env: bareEnvironment() };
  return {
    script: join(scratch, 'bundles', `${basename(module, '.ts')}.mjs`),
    env: { ...bareEnvironment(), NODE_COMPILE_CACHE: join(scratch, 'compiled') },
  };
};

/** Starts the program with exactly this environment. */
export const startProgram = (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  {
    isNpmStart = false,
    installation = repository,
    cwd = tmpdir(),
  }: {
    /** Starts it as `npm start` does: the first start after a change makes a bundle of its own. */
    readonly isNpmStart?: boolean;
    /** The folder that `npm start` would be run in. */
    readonly installation?: string;
    /** The default ignores the `.env` of a developer. */
    readonly cwd?: string;
  } = {},
): Running => {
  const { script, env } = isNpmStart
    ? { script: join(installation, startedBy('src/main.ts')), env: bareEnvironment() }
    : startOf('src/main.ts');
  const how = script.endsWith('.ts') ? ['--no-warnings', '--import', pageLoader] : [];
  const words = args.length === 0 ? ['serve'] : args;
  const child = spawn(process.execPath, [...how, script, ...words], {
    cwd,
    env: { ...env, PORT: '0', SHUTDOWN_DRAIN: '0s', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const ready = Promise.withResolvers<string>();
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    const url = /^listening on (\S+)\n/m.exec(stdout)?.[1];
    if (url !== undefined) ready.resolve(url);
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
    keepLog(String(chunk));
  });
  const finished = once(child, 'close').then(([code]): ProgramResult => {
    ready.reject(new Error(`the program ended with ${code} before it was ready: ${stderr}`));
    return { code, stdout, stderr };
  });
  ready.promise.catch(() => {});
  return {
    pid: child.pid ?? 0,
    child,
    ready: ready.promise,
    finished,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await finished;
    },
  };
};

/** Runs the program to its end. */
export const runProgram = (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  options: Parameters<typeof startProgram>[2] = {},
): Promise<ProgramResult> => startProgram(args, environment, options).finished;
