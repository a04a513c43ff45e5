import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { startOf } from '#test/support/program.ts';

export type WorkerProcess = AsyncDisposable & {
  readonly child: ChildProcess;
  /** Sends a signal, waits for the process to exit and returns its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
};

/** They keep the garbage collector out of a start, and leave one thread to it and to the compiler. */
const flags = ['--no-warnings', '--min-semi-space-size=32', '--v8-pool-size=1'];

/** Starts a worker in a child process and waits until it takes tasks. */
export const startWorkerProcess = async (
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<WorkerProcess> => {
  const { script, env } = startOf('test/support/worker-process.ts');
  const child = spawn(process.execPath, [...flags, script, ...args], {
    cwd: tmpdir(),
    env: { ...env, ...environment, ROLE: 'worker' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const ready = once(child.stdout, 'data');
  const code = await Promise.race([ready.then(() => 'ready' as const), ended]);
  if (code !== 'ready') throw new Error(`the worker ended with ${code}: ${stderr}`);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return await ended;
  };
  return {
    child,
    end,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGCONT');
      await end('SIGKILL');
    },
  };
};
