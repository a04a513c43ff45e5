import { AssertionError } from 'node:assert/strict';
import { Command, CommanderError } from 'commander';
import { addAccounts } from './accounts.ts';
import { addBackup, addEvents, addRestore } from './archives.ts';
import { addChunks } from './chunks.ts';
import { addCompletion } from './completion.ts';
import { addGrant, addRefund } from './credit-verbs.ts';
import { exit, exitCodeOf } from './exit-codes.ts';
import { addFollowVerbs } from './follow-verbs.ts';
import { addFollowsWatch } from './follows-watch.ts';
import { addGet } from './get.ts';
import { addJobVerbs } from './job-verbs.ts';
import { addJobsWatch } from './jobs-watch.ts';
import { addKeys } from './keys.ts';
import { addLedgerExport } from './ledger-export.ts';
import { addLibraryVerbs } from './library-verbs.ts';
import { addLanguages, addLists } from './lists.ts';
import { addLogin } from './login.ts';
import {
  addDocs,
  addDoctor,
  addLogAdopt,
  addMigrate,
  addOpenApi,
  addProjectionsRebuild,
  addProjectionsStatus,
  addRelay,
  addSecretAdopt,
  addServers,
  addVerify,
} from './maintenance.ts';
import { addMcp } from './mcp.ts';
import { addOperationVerbs } from './operation-verbs.ts';
import { invalidValue, withBareAsr } from './option-parsers.ts';
import { addReplay } from './replay.ts';
import { addStatusNotes } from './status-notes.ts';
import { type Host, hasSaid, OutputClosedError, say, sayText, type Terminal, terminalOf } from './terminal.ts';
import { addTlog } from './tlog-verbs.ts';
import { addLedgerReads, addRaw, addReceipts, addStatements, addUsage } from './usage-verbs.ts';
import { addVideo } from './video.ts';
import { addWebhookVerbs } from './webhook-verbs.ts';

/**
 * Runs one command line (without program and script) and answers its exit code, one of `exit-codes.ts`.
 * Data go to stdout, talk to stderr. A command that does not end well says so on stderr, whatever its verb says.
 */
export const runCommandLine = async (args: readonly string[], terminal: Host): Promise<number> => {
  const code = await exitCodeFor(args, terminal);
  if (code !== exit.ok && !hasSaid(terminal)) say(terminal, `steno: ${endingWith(code)}`);
  return code;
};

const endingWith = (code: number): string => {
  if (code === exit.interrupted) return 'interrupted';
  const [name] = Object.entries(exit).find(([, one]) => one === code) ?? [];
  return `ended with exit code ${code}${name === undefined ? '' : ` (${name})`}`;
};

const exitCodeFor = async (args: readonly string[], terminal: Host): Promise<number> => {
  let code: number = exit.ok;
  const end = (wanted: number): void => {
    code = wanted;
  };
  try {
    const words = args.length === 0 ? ['--help'] : withBareAsr(args);
    await programOf(terminal, end, shownVersion(words, terminal)).parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exit.ok : exit.usage;
    const { signal } = terminal;
    if (signal.aborted) {
      return signal.reason instanceof OutputClosedError ? exit.ok : exit.interrupted;
    }
    say(terminal, `steno: ${isBug(error) ? String(error.stack) : reasonOf(error, terminal)}`);
    return exitCodeOf(error, terminal);
  }
};

/** Errors of a database name no database. */
const reasonOf = (error: unknown, { isUnavailable }: Pick<Host, 'isUnavailable'>): string =>
  isUnavailable(error) ? `the database could not be queried: ${messageOf(error)}` : messageOf(error);

/** With the commit where it is asked for: reading that starts a process. */
const shownVersion = (words: readonly string[], { version, commit }: Host): string => {
  const known = words.some((word) => word === '--version' || word === '-V') ? commit() : null;
  return known === null ? version : `${version} (${known})`;
};

const programOf = (host: Host, end: (code: number) => void, version: string): Command => {
  // Before the verbs: they inherit it.
  const program = new Command('steno')
    .description('Transcripts of public videos: commands for callers, the server, and commands for its operators.')
    .version(version)
    .option('--quiet', 'no progress or remarks')
    .option('--no-input', 'never prompt; missing input is an error')
    .option('--no-color', 'no colors; NO_COLOR and FORCE_COLOR are honored too')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .allowExcessArguments(false)
    .showHelpAfterError('(see --help)')
    .configureOutput({ writeOut: (text) => host.stdout.write(text), writeErr: (text) => sayText(host, text) });
  program.hook('preAction', (_, { args }) => {
    // Mostly a variable that is not set: an empty id would name the list that the id is of.
    if (args.includes('')) throw invalidValue('argument', 'an argument is empty');
  });
  const terminal = { ...terminalOf(host, () => program.opts()), end };
  type Add = (parent: Command, terminal: Terminal) => void;
  const addTo = (parent: Command, adds: readonly Add[]): void => {
    for (const add of adds) add(parent, terminal);
  };
  const verbs = (...adds: readonly Add[]) => addTo(program, adds);
  const group = (name: string, about: string, ...adds: readonly Add[]) =>
    addTo(program.command(name).description(about), adds);
  // What callers use: by the API of a server, and some of it without one.
  verbs(addLogin, addGet, addVideo, addChunks, addLanguages, addRaw, addLists, addOperationVerbs);
  group('jobs', 'jobs over many videos', addJobVerbs, addJobsWatch);
  verbs(addUsage, addReceipts);
  group('statements', 'the billing periods of an account', addStatements);
  group('follows', 'transcribe new videos of channels and playlists automatically', addFollowVerbs, addFollowsWatch);
  group('library', 'the transcripts that the account keeps', addLibraryVerbs);
  group('webhooks', 'webhook endpoints, notified when a job ends', addWebhookVerbs);
  // What operators use.
  verbs(addMcp, addServers, addMigrate, addDoctor);
  group('account', 'accounts', addAccounts);
  group('keys', 'API keys of any account', addKeys);
  verbs(addGrant, addRefund, addBackup, addRestore);
  group('events', 'export and import the event log', addEvents);
  group('ledger', 'the ledger of an account', addLedgerExport, addLedgerReads);
  group('tlog', 'the transparency log of the ledgers', addTlog);
  group('relay', 'the relay of the events to a KurrentDB', addRelay);
  verbs(addVerify);
  group('log', 'the event log', addLogAdopt);
  group('secret', 'the SECRET_KEY of the database', addSecretAdopt);
  group('status', 'notes on the status page', addStatusNotes);
  group('projections', 'read models', addProjectionsStatus, addProjectionsRebuild);
  verbs(addReplay, addOpenApi, addDocs, addCompletion);
  return program;
};

/** Programming errors are shown with their stack trace, because no operator can cause or fix them. */
const isBug = (error: unknown): error is Error =>
  error instanceof TypeError || error instanceof ReferenceError || error instanceof AssertionError;

/** The messages of an error and its causes, on one line. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const own = (error.message || codeIn(error)).replace(/\s*\n\s*/g, '; ');
  const cause = error.cause === undefined ? '' : messageOf(error.cause);
  return cause === '' || own.includes(cause) ? own : `${own}: ${cause}`;
};

/** A connection that was tried at several addresses fails with a code and no message. */
const codeIn = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name);
