import { once } from 'node:events';
import type { McpServer } from './mcp.ts';
import type { Archives, Check, OperatorInterface } from './operator-interface.ts';

/** As much of a stream as a command writes to. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** What a verb is given: where data and talk go, and how it reaches the program. */
export type Terminal = {
  /** Of the package. */
  readonly version: string;
  /** Data, and nothing else. */
  readonly stdout: Output;
  /** Talk: progress, warnings, why something failed. */
  readonly stderr: Output;
  readonly stdin: NodeJS.ReadableStream;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Opens the application on the configured database; the verb disposes it. */
  readonly openApplication: () => Promise<OperatorInterface>;
  /** The service in this process, for one local client of the Model Context Protocol. */
  readonly startMcp: () => Promise<McpServer & AsyncDisposable>;
  /** STENO_API_KEY: the key for a server elsewhere; null: not set. */
  readonly apiKey: () => string | null;
  readonly migrate: (input: { readonly isDryRun: boolean }) => Promise<readonly string[]>;
  /** From now on the database is that of the configured secret. */
  readonly adoptSecret: () => Promise<void>;
  readonly archives: Archives;
  readonly checks: () => AsyncIterable<Check>;
  /** Writes the documents that are made from the program; answers their paths. */
  readonly writeDocuments: () => Promise<readonly string[]>;
  /** Runs the server until it is told to stop; answers its exit code. `role` null: from the environment. */
  readonly serve: (role: 'api' | 'worker' | null) => Promise<number>;
  /** Whether an error says that the database could not be asked. */
  readonly isUnavailable: (error: unknown) => boolean;
};

type Streams = Pick<Terminal, 'stdout' | 'stderr'>;

/** Streams on whose last line a counter stands. It is erased before anything else is written to the terminal. */
const withCounter = new WeakSet<Output>();

const eraseLine = '\r\x1b[2K';

const eraseCounter = ({ stderr }: Pick<Streams, 'stderr'>): void => {
  if (withCounter.delete(stderr)) stderr.write(eraseLine);
};

/** Writes one line of data; waits while the reader is slower than the writer. Throws once the signal aborts. */
export const print = (terminal: Streams & Pick<Terminal, 'signal'>, line: string): Promise<void> =>
  printBytes(terminal, `${line}\n`);

/** The same for data that are no lines. */
export const printBytes = async (
  { stdout, stderr, signal }: Streams & Pick<Terminal, 'signal'>,
  bytes: Uint8Array | string,
): Promise<void> => {
  signal.throwIfAborted();
  eraseCounter({ stderr });
  if (!stdout.write(bytes)) await once(stdout, 'drain', { signal });
};

/** Writes one line of talk. */
export const say = ({ stderr }: Pick<Terminal, 'stderr'>, line: string): void => {
  eraseCounter({ stderr });
  stderr.write(`${line}\n`);
};

/** A counter on one line of a terminal, until `done` or the next line of data or talk. Silent without a terminal. */
export const progress = ({ stderr }: Pick<Terminal, 'stderr'>, what: string) => ({
  at: (count: number): void => {
    if (stderr.isTTY !== true) return;
    withCounter.add(stderr);
    stderr.write(`${eraseLine}${what}: ${count}`);
  },
  done: (): void => eraseCounter({ stderr }),
});

const longestLine = 10_000;

/** The first line of a stream that is no terminal; empty for a terminal. */
export const firstLine = async (stdin: NodeJS.ReadableStream): Promise<string> => {
  if ('isTTY' in stdin && stdin.isTTY === true) return '';
  // A letter may come in two pieces.
  stdin.setEncoding('utf8');
  let text = '';
  for await (const chunk of stdin) {
    text += chunk;
    if (text.includes('\n') || text.length > longestLine) break;
  }
  return text.split('\n')[0]?.replace(/\r$/, '') ?? '';
};
