import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../simulator/demo.ts', import.meta.url));
const loader = import.meta.resolve('tsx/esm');
/** The JSX of pages is set there; `npm run demo` starts in its folder. */
const tsconfig = fileURLToPath(new URL('../../tsconfig.json', import.meta.url));

/** One run of the demo as `npm run demo` starts it, from its start to the end of what it says to its user. */
export const startDemo = async (dataDir: string) => {
  const child = spawn(process.execPath, ['--import', loader, program], {
    cwd: tmpdir(),
    // A configured database is not for the demo.
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      TSX_TSCONFIG_PATH: tsconfig,
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let said = '';
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (said.includes('Ctrl-C')) resolve();
    });
    child.once('exit', () => reject(new Error(`the demo ended early: ${complaints}`)));
  });
  /** Ends it as a user does; its exit code. */
  const end = async (): Promise<unknown> => {
    child.kill('SIGINT');
    return (await exited)[0];
  };
  return {
    lineOf: (first: string) => new RegExp(`^${first}\\s+(.+)$`, 'm').exec(said)?.[1] ?? '',
    url: /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0],
    end,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) await end();
    },
  };
};

/** A demo that runs. */
export type Demo = Awaited<ReturnType<typeof startDemo>>;
