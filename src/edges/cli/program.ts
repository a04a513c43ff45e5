import { AssertionError } from 'node:assert/strict';
import { Command, CommanderError } from 'commander';
import { invalidRequest, type Refusal } from '../../kernel/refusal.ts';
import { addAccountCreate } from './account-create.ts';
import { addAccountPlan } from './account-plan.ts';
import {
  addAccountList,
  addAccountPassword,
  addAccountShow,
  addAccountStates,
} from './accounts.ts';
import { addAiVerbs } from './ai-verbs.ts';
import { addBackup, addEvents, addRestore } from './archives.ts';
import { addCompletion } from './completion.ts';
import { addDocs } from './docs.ts';
import { addDoctor } from './doctor.ts';
import { exit, exitCodeOf } from './exit-codes.ts';
import { addGet } from './get.ts';
import { addGrant } from './grant.ts';
import { addJobVerbs } from './job-verbs.ts';
import { addJobsWatch } from './jobs-watch.ts';
import { addKeysCreate } from './keys-create.ts';
import { addKeysList } from './keys-list.ts';
import { addKeysRevoke } from './keys-revoke.ts';
import { addLanguages } from './languages.ts';
import { addLedgerExport } from './ledger-export.ts';
import { addLists } from './lists.ts';
import { addLogAdopt } from './log-adopt.ts';
import { addLogin } from './login.ts';
import { addMcp } from './mcp.ts';
import { addMigrate } from './migrate.ts';
import { addProjectionsRebuild } from './projections-rebuild.ts';
import { addRefund } from './refund.ts';
import { addReplay } from './replay.ts';
import { addSecretAdopt } from './secret-adopt.ts';
import { addServe } from './serve.ts';
import { addStatusEnd, addStatusNote, addStatusNotes } from './status-notes.ts';
import { type Host, say, type Terminal, terminalOf } from './terminal.ts';
import { addLedgerReads, addRaw, addUsage } from './usage-verbs.ts';
import { addVerify } from './verify.ts';
import { addWebhookVerbs } from './webhook-verbs.ts';

/**
 * Runs one command line (without program and script) and answers its exit code, one of `exit-codes.ts`.
 * Data go to stdout, talk to stderr.
 */
export const runCommandLine = async (args: readonly string[], terminal: Host): Promise<number> => {
  let code: number = exit.ok;
  const end = (wanted: number): void => {
    code = wanted;
  };
  try {
    const words = args.length === 0 ? ['--help'] : [...args];
    await programOf(terminal, end).parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exit.ok : exit.usage;
    if (terminal.signal.aborted) return exit.interrupted;
    say(terminal, `steno: ${isBug(error) ? String(error.stack) : messageOf(error)}`);
    return exitCodeOf(error, terminal);
  }
};

const programOf = (host: Host, end: (code: number) => void): Command => {
  // Before the verbs: they inherit it.
  const program = new Command('steno')
    .description(
      'Transcripts of public videos: the tools of callers, the server and the tools of its operators.',
    )
    .version(host.version)
    .option('--quiet', 'neither progress nor remarks')
    .option('--no-color', 'no colors; NO_COLOR and FORCE_COLOR are obeyed too')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .allowExcessArguments(false)
    .showHelpAfterError('(add --help for what it takes)')
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
    });
  program.hook('preAction', (_, { args }) => {
    if (args.includes('')) throw emptyArgument();
  });
  const terminal = terminalOf(host, () => program.opts());
  addCallerVerbs(program, terminal, end);
  addServe(program, terminal, end);
  addMigrate(program, terminal);
  addDoctor(program, terminal, end);
  const account = program.command('account').description('accounts');
  addAccountCreate(account, terminal);
  addAccountPlan(account, terminal);
  addAccountList(account, terminal);
  addAccountShow(account, terminal);
  addAccountStates(account, terminal);
  addAccountPassword(account, terminal);
  const keys = program.command('keys').description('API keys of any account');
  addKeysCreate(keys, terminal);
  addKeysList(keys, terminal);
  addKeysRevoke(keys, terminal);
  addGrant(program, terminal);
  addRefund(program, terminal);
  addBackup(program, terminal);
  addRestore(program, terminal);
  addEvents(program.command('events').description('the events of the whole log'), terminal);
  const ledger = program.command('ledger').description('the books of an account');
  addLedgerExport(ledger, terminal, end);
  addLedgerReads(ledger, terminal);
  addVerify(program, terminal, end);
  addLogAdopt(program.command('log').description('the event log'), terminal);
  addSecretAdopt(program.command('secret').description('the SECRET_KEY of the database'), terminal);
  const status = program.command('status').description('notes on the status page');
  addStatusNote(status, terminal);
  addStatusNotes(status, terminal);
  addStatusEnd(status, terminal);
  const projections = program.command('projections').description('read models');
  addProjectionsRebuild(projections, terminal, end);
  addReplay(program, terminal);
  addDocs(program, terminal);
  addCompletion(program, terminal);
  return program;
};

/** Mostly of a variable that is not set: an empty id would name the list that the id is of. */
const emptyArgument = (): Refusal =>
  invalidRequest('an argument is empty', { path: 'argument', code: 'invalid_value' });

/** What callers use: by the API of a server, and some of it without one. */
const addCallerVerbs = (
  program: Command,
  terminal: Terminal,
  end: (code: number) => void,
): void => {
  addLogin(program, terminal);
  addGet(program, terminal, end);
  addLanguages(program, terminal, end);
  addRaw(program, terminal);
  addLists(program, terminal);
  addAiVerbs(program, terminal);
  const jobs = program.command('jobs').description('work on many videos');
  addJobVerbs(jobs, terminal);
  addJobsWatch(jobs, terminal, end);
  addUsage(program, terminal);
  const webhooks = program
    .command('webhooks')
    .description('receivers that get a webhook when a job ends');
  addWebhookVerbs(webhooks, terminal);
  addMcp(program, terminal);
};

/** Programming errors are shown with their stack trace, because no operator can cause or fix them. */
const isBug = (error: unknown): error is Error =>
  error instanceof TypeError || error instanceof ReferenceError || error instanceof AssertionError;

/** The messages of an error and its causes, on one line. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const own = error.message.replace(/\s*\n\s*/g, '; ');
  const cause = error.cause === undefined ? '' : messageOf(error.cause);
  return cause === '' || own.includes(cause) ? own : `${own}: ${cause}`;
};
