import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { styleText } from 'node:util';
import { withBoundedLines } from '../../kernel/bounded-lines.ts';
import type { Adoption, Archives, Check, Loss, OperatorInterface, TranscriptSource } from './operator-interface.ts';

/** As much of a stream as a command writes to. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

export type Environment = Readonly<Record<string, string | undefined>>;

/** The URL of a server, and the API key for it. */
export type Server = { readonly url: string; readonly key: string };

/** The environment of the command line: its streams, and the functions of the program. */
export type Host = {
  /** The version of the package. */
  readonly version: string;
  /** The commit that the program was made from; null: neither a checkout nor a file `COMMIT` says it. */
  readonly commit: () => string | null;
  /** Data, and nothing else. */
  readonly stdout: Output;
  /** Progress, warnings and errors. */
  readonly stderr: Output;
  readonly stdin: NodeJS.ReadableStream;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Opens the application on the configured database; the verb disposes it. Refuses if there is none and it may not create one. */
  readonly openApplication: (options: { readonly mayCreate: boolean }) => Promise<OperatorInterface>;
  /** Opens the engine in this process, without a database: no account, nothing charged, no event. The verb disposes it. */
  readonly openReader: () => Promise<TranscriptSource>;
  /** The Model Context Protocol of the service in this process, for one local client. */
  readonly startMcp: () => Promise<Server & AsyncDisposable>;
  /** Of the process; the file `.env` takes no part. */
  readonly environment: () => Environment;
  readonly migrate: (input: { readonly isDryRun: boolean }) => Promise<readonly string[]>;
  /** Makes the configured SECRET_KEY that of the database, unless more would be lost than is accepted. */
  readonly adoptSecret: (accepted: readonly Loss[]) => Promise<Adoption>;
  readonly archives: Archives;
  readonly checks: () => AsyncIterable<Check>;
  /** Writes the documents that are made from the program; answers their paths. */
  readonly writeDocuments: () => Promise<readonly string[]>;
  /** The OpenAPI description of the API, as it is served. */
  readonly openApi: () => Promise<string>;
  /** Runs the server until it is told to stop; answers its exit code. `role` null: from the environment. */
  readonly serve: (role: 'api' | 'worker' | null) => Promise<number>;
  /** Runs the demo until it is told to stop; answers its exit code. */
  readonly demo: () => Promise<number>;
  /** Whether an error says that the database could not be asked. */
  readonly isUnavailable: (error: unknown) => boolean;
};

/** What a verb is given: the host, and what the options of every verb say of it. */
export type Terminal = Host & {
  /** `--quiet`: neither progress nor remarks. Errors and warnings are shown. */
  readonly isQuiet: () => boolean;
  /** False with `--no-input`: nothing is prompted for. */
  readonly isAsking: () => boolean;
  /** Whether this stream takes colors. */
  readonly hasColor: (stream: Output) => boolean;
  /** Sets the exit code of a verb that was done, and found something. */
  readonly end: (code: number) => void;
};

/** The terminal of a host: `--quiet` and `--no-color` win over NO_COLOR, FORCE_COLOR and TERM, those over what the stream is. */
export const terminalOf = <On extends Pick<Host, 'environment'>>(
  host: On,
  given: () => { readonly quiet?: boolean; readonly input?: boolean; readonly color?: boolean },
): On & Pick<Terminal, 'isQuiet' | 'isAsking' | 'hasColor'> => ({
  ...host,
  isQuiet: () => given().quiet === true,
  isAsking: () => given().input !== false,
  hasColor: (stream) => {
    const { NO_COLOR = '', FORCE_COLOR = '' } = host.environment();
    if (given().color === false || NO_COLOR !== '') return false;
    if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
    return canRedraw(host, stream);
  },
});

/** Whether a line of this stream can be written over: it is a terminal that obeys control characters. */
export const canRedraw = ({ environment }: Pick<Host, 'environment'>, stream: Output): boolean =>
  stream.isTTY === true && environment()['TERM'] !== 'dumb';

/** A text in a color or weight, where the stream takes one. */
export const styled = (
  { hasColor }: Pick<Terminal, 'hasColor'>,
  stream: Output,
  style: Parameters<typeof styleText>[0],
  text: string,
): string => (hasColor(stream) ? styleText(style, text, { validateStream: false }) : text);

type Streams = Pick<Terminal, 'stdout' | 'stderr'>;

/** Streams with a progress counter on their last line, which is erased before other output to a terminal. */
const withCounter = new WeakSet<Output>();

const eraseLine = '\r\x1b[2K';

/** Erases what `sayOnLastLine` wrote. */
export const clearLastLine = ({ stderr }: Pick<Streams, 'stderr'>): void => {
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
  if (stdout.isTTY === true) clearLastLine({ stderr });
  if (!stdout.write(bytes)) await once(stdout, 'drain', { signal });
};

/** Prints a file as its pieces come. */
export const printPieces = async (
  terminal: Streams & Pick<Terminal, 'signal'>,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> => {
  for await (const piece of pieces) await printBytes(terminal, piece);
};

/** Streams that a line of talk was written to. */
const withTalk = new WeakSet<Output>();

/** Whether a reader of stderr was told anything; progress does not count. */
export const hasSaid = ({ stderr }: Pick<Terminal, 'stderr'>): boolean => withTalk.has(stderr);

/** Writes talk as it is. */
export const sayText = ({ stderr }: Pick<Terminal, 'stderr'>, text: string): void => {
  clearLastLine({ stderr });
  withTalk.add(stderr);
  stderr.write(text);
};

/** Writes one line of talk. */
export const say = (terminal: Pick<Terminal, 'stderr'>, line: string): void => sayText(terminal, `${line}\n`);

/** Why a command is to end whose output nobody takes any more: a good end. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError';
}

/** Writes one line of talk for people: nothing where nobody looks, and nothing with `--quiet`. */
export const remark = (terminal: Pick<Terminal, 'stderr' | 'isQuiet'>, line: string): void => {
  if (terminal.stderr.isTTY === true && !terminal.isQuiet()) say(terminal, line);
};

/** Writes talk that is written over by the next such talk, data or line. */
export const sayOnLastLine = ({ stderr }: Pick<Terminal, 'stderr'>, text: string): void => {
  withCounter.add(stderr);
  stderr.write(`${eraseLine}${text}`);
};

/** The lines of stdin that are not blank, until the signal aborts. Throws for a line of more than `maxBytes`. */
export async function* linesIn(
  { stdin, signal }: Pick<Terminal, 'stdin'> & Partial<Pick<Terminal, 'signal'>>,
  maxBytes: number,
): AsyncGenerator<string> {
  const input = Readable.from(withBoundedLines(stdin, maxBytes));
  for await (const line of createInterface({ input, signal })) if (line.trim() !== '') yield line;
}

const longestLine = 10_000;

/** The first line of a stream that is no terminal; empty for a terminal. */
export const firstLine = async (stdin: NodeJS.ReadableStream): Promise<string> => {
  if ('isTTY' in stdin && stdin.isTTY === true) return '';
  // A UTF-8 character may be split between chunks.
  stdin.setEncoding('utf8');
  let text = '';
  for await (const chunk of stdin) {
    text += chunk;
    if (text.includes('\n') || text.length > longestLine) break;
  }
  return text.split('\n')[0]?.replace(/\r$/, '') ?? '';
};
