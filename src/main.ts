import { once } from 'node:events';
import { createLogger } from './adapters/telemetry/log.ts';
import { adoptSecret } from './app/adopt-secret.ts';
import { archivesOf } from './app/archives.ts';
import { readCommit } from './app/commit.ts';
import { runDemo } from './app/demo-process.ts';
import { checkSetup } from './app/doctor-checks.ts';
import { migrateDatabase } from './app/open-database.ts';
import { isUnavailable, openApplication, startApp, version } from './app.ts';
import {
  type Config,
  hasDatabase,
  loadConfig,
  loadSettings,
  namesInFile,
  processEnvironment,
  readEnvironment,
  type Settings,
} from './config.ts';
import { runCommandLine } from './edges/cli/program.ts';
import { type Host, OutputClosedError, say } from './edges/cli/terminal.ts';
import { elapsedMs } from './kernel/clock.ts';
import type { Logger } from './kernel/logger.ts';
import { Refusal } from './kernel/refusal.ts';

/** Orchestrators kill after 30 s: what has not ended by then ends with the process. */
const stopLimitMs = 25_000;
/** `npm` sends on the Ctrl-C that the terminal sent us already: within this time it is still the first. */
const echoMs = 500;

/** Aborts once the process is told to stop, by a signal, a fault or a reader that went away. */
const stopping = new AbortController();

const stop = (reason?: Error): void => {
  if (stopping.signal.aborted) return;
  stopping.abort(reason);
  setTimeout(() => {
    process.stderr.write(`steno: not stopped within ${stopLimitMs / 1000} s; ending anyway\n`);
    process.exit(1);
  }, stopLimitMs).unref();
};

const obeySignals = (): void => {
  let firstAt: number | null = null;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      firstAt ??= elapsedMs();
      const isSecond = elapsedMs() - firstAt > echoMs;
      if (isSecond) {
        process.stderr.write(`steno: ended by a second ${signal}\n`);
        process.exit(signal === 'SIGINT' ? 130 : 143);
      }
      stop();
    });
  }
};

/** The settings of the environment and the file `.env`; `given` goes before both. */
const configured = (given: Readonly<Record<string, string>> = {}): Config =>
  loadConfig({ ...readEnvironment(), ...given }, '.', namesInFile());

/** Runs the server until it is told to stop; 1 when a fault that nobody caught stopped it. */
const serve = async (role: Config['role'] | null): Promise<number> => {
  const config = configured(role === null ? {} : { ROLE: role });
  const logger = createLogger({ level: config.logLevel, service: config.serviceName });
  let code = 0;
  const end = (error: unknown): void => {
    logger.error('unhandled error: stopping', { error });
    code = 1;
    stop();
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  for (const warning of config.warnings) logger.warn(warning);

  await using app = await startApp(config, { logger });
  process.stdout.write(app.url === null ? 'working\n' : `listening on ${app.url}\n`);
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
  logger.info('stopping');
  return code;
};

/** The settings alone: reading them creates nothing. */
const settings = (): Settings => loadSettings(readEnvironment(), '.', namesInFile());

/** The configuration of a database that exists: a command that only reads or changes one does not create it. */
const existing = (): Config => {
  const found = settings();
  if (hasDatabase(found)) return configured();
  throw new Refusal(
    'NOT_FOUND',
    `There is no database in ${found.dataDir}. Set DATA_DIR or DATABASE_URL to another one; steno serve and steno account create set one up.`,
  );
};

/** The settings of a command, and its log: a command talks on stderr itself, and shows of the log what is wrong. */
const forCommand = <Of extends Settings>(config: Of): [Of, { readonly logger: Logger }] => {
  const level = config.logLevel === 'info' ? 'warn' : config.logLevel;
  const sink = { isTalk: true, write: (line: string) => say(terminal, line) };
  return [config, { logger: createLogger({ level, sink }) }];
};

const terminal: Host = {
  version,
  commit: () => readCommit(),
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  signal: stopping.signal,
  openApplication: ({ mayCreate }) => openApplication(...forCommand(mayCreate ? configured() : existing())),
  openReader: async () => {
    const { openLocalReader } = await import('./app/local-reader.ts');
    const [given, { logger }] = forCommand(settings());
    return openLocalReader(given, { logger, signal: stopping.signal });
  },
  startMcp: async () => {
    const { localConfig, startLocalMcp } = await import('./app/local-mcp.ts');
    return startLocalMcp(...forCommand(localConfig()));
  },
  environment: processEnvironment,
  migrate: ({ isDryRun }) => migrateDatabase(...forCommand(isDryRun ? existing() : configured()), { isDryRun }),
  adoptSecret: (accepted) => adoptSecret(...forCommand(existing()), accepted),
  archives: archivesOf(({ mayCreate }) => forCommand(mayCreate ? configured() : existing()), version),
  checks: () => {
    const found = settings();
    return checkSetup(...forCommand(hasDatabase(found) ? configured() : { ...found, secretKey: null }));
  },
  writeDocuments: async () => (await import('./app/documents.ts')).writeDocuments(),
  openApi: async () => (await import('./app/documents.ts')).openApiText(),
  serve,
  demo: () => runDemo(stopping.signal),
  isUnavailable,
};

/** How a command ends whose output nobody took. `steno … | head` closes the pipe when it has enough: that is a good end. */
let unread: number | null = null;
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (unread === null && code !== 'EPIPE') {
    process.stderr.write(`steno: the output cannot be written: ${message}\n`);
  }
  unread ??= code === 'EPIPE' ? 0 : 1;
  stop(new OutputClosedError());
});
process.stderr.on('error', () => {});
obeySignals();
/** Of Node: the event loop has nothing left to wait for, and the command did not end. */
const unsettled = 13;
process.on('exit', (code) => {
  if (code === unsettled) {
    process.stderr.write('steno: the command stopped halfway: nothing was left to wait for\n');
    process.exitCode = 1;
  }
});
const code = await runCommandLine(process.argv.slice(2), terminal);
// An error of the last write is emitted in a later turn of the event loop.
await new Promise((resolve) => setImmediate(resolve));
process.exit(unread ?? code);
