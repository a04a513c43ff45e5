import type { Command } from 'commander';
import { type Call, callWithoutRequest } from '../../kernel/call.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { OperatorInterface } from './operator-interface.ts';
import { invalidValue } from './option-parsers.ts';
import type { Terminal } from './terminal.ts';

/** The id or the mail address of an account, exactly one of them. */
export type NamedAccount = { readonly account?: string | undefined; readonly email?: string | undefined };

/** Options by which a verb takes one account. */
export const withAccount = (command: Command, about = 'the account'): Command =>
  command.option('--account <id>', about).option('--email <address>', 'or the mail address of its owner');

/** Refuses a command line that names no account, or names it twice. */
export const requireOneName = ({ account, email }: NamedAccount): void => {
  if ((account === undefined) !== (email === undefined)) return;
  throw invalidValue('account', 'give one of --account and --email');
};

/** Opens the application for one piece of work on behalf of the account that the options name. */
export const onAccount = async <Result>(
  terminal: Pick<Terminal, 'openApplication' | 'signal'>,
  named: NamedAccount,
  work: (application: OperatorInterface, call: Call) => Promise<Result>,
): Promise<Result> => {
  requireOneName(named);
  await using application = await terminal.openApplication({ mayCreate: false });
  const accountId = await accountIdOf(application, named);
  return await work(application, operatorCall(accountId, terminal.signal));
};

/** The id of the account by its one name. An id is not checked, because the books of an erased account still exist. */
export const accountIdOf = async (
  { commands }: Pick<OperatorInterface, 'commands'>,
  named: NamedAccount,
): Promise<string> => {
  const { account, email = '' } = named;
  if (account !== undefined) return account;
  const found = await commands.findAccount({ email });
  if (found === null) throw new Refusal('NOT_FOUND', `There is no account ${email}.`);
  return found.accountId;
};

/** A call of an operator at the command line, on behalf of an account. */
export const operatorCall = (accountId: string, signal: AbortSignal): Call =>
  callWithoutRequest({
    accountId,
    // The user id instead of the login name, because ledger entries are permanent and visible to account owners.
    actor: { type: 'operator', id: `uid-${process.getuid?.() ?? 'unknown'}` },
    channel: 'cli',
    traceparent: null,
    signal,
  });
