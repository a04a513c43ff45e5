import type { Command } from 'commander';
import { z } from 'zod';
import type { OperatedAccount } from '../../commands.ts';
import { invalidRequest, Refusal } from '../../kernel/refusal.ts';
import { newPasswordFrom } from './hidden-prompt.ts';
import { requireOneName, withAccount } from './named-account.ts';
import { operatorCall } from './operator-call.ts';
import type { OperatorInterface } from './operator-interface.ts';
import { print, say, type Terminal } from './terminal.ts';

const Named = z.object({
  account: z.string().optional(),
  email: z.string().optional(),
  yes: z.boolean().default(false),
  link: z.boolean().default(false),
  json: z.boolean().default(false),
});

type Named = z.output<typeof Named>;

const Search = z.object({
  search: z.string().optional(),
  plan: z.string().optional(),
  state: z.enum(['active', 'suspended']).optional(),
  json: z.boolean().default(false),
});

const pageSize = 100;

/** A verb about one account, by its id or the mail address of its owner. */
const verb = (account: Command, name: string, description: string): Command =>
  withAccount(account.command(name).description(description)).option('--json', 'print JSON');

/** The account that is named. Throws NOT_FOUND, and INVALID_REQUEST where none or two are named. */
const named = async (
  { commands }: Pick<OperatorInterface, 'commands'>,
  given: Named,
): Promise<OperatedAccount> => {
  requireOneName(given);
  const { account: accountId, email } = given;
  const wanted = accountId === undefined ? { email: email ?? '' } : { accountId };
  const found = await commands.findAccount(wanted);
  if (found === null) throw new Refusal('NOT_FOUND', `There is no account ${accountId ?? email}.`);
  return found;
};

const accountJson = ({ accountId, email, name, registeredAt, suspendedAt }: OperatedAccount) => ({
  account_id: accountId,
  email,
  name,
  state: suspendedAt === null ? 'active' : 'suspended',
  registered_at: registeredAt.toISOString(),
  suspended_at: suspendedAt?.toISOString() ?? null,
});

/** `steno account list`: accounts by id, a line each; NDJSON with `--json`. */
export const addAccountList = (account: Command, terminal: Terminal): void => {
  account
    .command('list')
    .description('list accounts')
    .option('--search <text>', 'only where the mail address holds this')
    .option('--plan <plan>', 'only of this plan')
    .option('--state <state>', 'only active or suspended ones')
    .option('--json', 'print NDJSON')
    .action(async (given: unknown) => {
      const { search, plan, state, json } = Search.parse(given);
      await using application = await terminal.openApplication();
      const { commands, operations } = application;
      const isSuspended = state === undefined ? null : state === 'suspended';
      let after: string | null = null;
      if (!json && terminal.stdout.isTTY === true) {
        await print(terminal, `${'ACCOUNT'.padEnd(36)}  ${'PLAN'.padEnd(10)}  STATE      EMAIL`);
      }
      do {
        const wanted = { email: search ?? null, isSuspended, after, limit: pageSize };
        const page: readonly OperatedAccount[] = await commands.listAccounts(wanted);
        for (const one of page) {
          const { key } = await operations.planOf(one);
          if (plan !== undefined && key !== plan) continue;
          const shown = { ...accountJson(one), plan: key };
          const line = `${shown.account_id.padEnd(36)}  ${key.padEnd(10)}  ${shown.state.padEnd(9)}  ${shown.email}`;
          await print(terminal, json ? JSON.stringify(shown) : line);
        }
        after = page.length < pageSize ? null : (page.at(-1)?.accountId ?? null);
      } while (after !== null);
    });
};

/** `steno account show`: who owns it, its plan, credits, keys and sessions. */
export const addAccountShow = (account: Command, terminal: Terminal): void => {
  verb(account, 'show', 'show one account').action(async (given: unknown) => {
    const options = Named.parse(given);
    await using application = await terminal.openApplication();
    const { commands, operations } = application;
    const found = await named(application, options);
    const overview = await operations.overview(found);
    const { plan, credits, keysActive, webhooksActive } = overview;
    const sessions = await commands.openSessions(found.accountId);
    const shown = {
      ...accountJson(found),
      plan: plan.key,
      mailbox_proof_pending: overview.isProvisional,
      credits_remaining: credits.remaining,
      keys_active: keysActive,
      webhooks_active: webhooksActive,
      sessions: sessions.length,
    };
    if (options.json) return await print(terminal, JSON.stringify(shown));
    for (const [name, value] of Object.entries(shown)) {
      await print(terminal, `${name.padEnd(21)}  ${value ?? '-'}`);
    }
  });
};

/** `steno account suspend`, `resume` and `erase`. */
export const addAccountStates = (account: Command, terminal: Terminal): void => {
  const change = (
    name: string,
    description: string,
    work: (
      application: OperatorInterface,
      operated: Parameters<OperatorInterface['commands']['suspendAccount']>[0],
    ) => Promise<string>,
  ): Command =>
    verb(account, name, description).action(async (given: unknown) => {
      const options = Named.parse(given);
      if (name === 'erase' && !options.yes) {
        const message = 'erasing cannot be undone: add --yes';
        throw invalidRequest(message, { path: 'yes', code: 'invalid_value' });
      }
      await using application = await terminal.openApplication();
      const { accountId } = await named(application, options);
      const cause = operatorCall(accountId, terminal.signal);
      const state = await work(application, { accountId, cause });
      const done = { account_id: accountId, state };
      await print(terminal, options.json ? JSON.stringify(done) : `${accountId} is ${state}`);
    });
  change('suspend', 'refuse its keys and its owner', async ({ commands }, operated) => {
    await commands.suspendAccount(operated);
    return 'suspended';
  });
  change('resume', 'take a suspension back', async ({ commands }, operated) => {
    await commands.resumeAccount(operated);
    return 'active';
  });
  change('erase', 'erase the person behind an account', async ({ commands }, operated) => {
    await commands.eraseAccountOf(operated);
    return 'erased';
  }).option('--yes', 'erase it without asking');
};

/** `steno account password`: sets the password, or prints a link by which its owner does. */
export const addAccountPassword = (account: Command, terminal: Terminal): void => {
  verb(account, 'password', 'set the password; every session ends')
    .option('--link', 'print a link by which the owner sets it, once and within an hour')
    .action(async (given: unknown) => {
      const options = Named.parse(given);
      requireOneName(options);
      if (options.link) return await printLink(terminal, options);
      const password = await newPasswordFrom(terminal);
      await using application = await terminal.openApplication();
      const { accountId } = await named(application, options);
      const cause = operatorCall(accountId, terminal.signal);
      await application.commands.setPassword({ accountId, cause, password });
      const done = { account_id: accountId, password: 'set' };
      await print(
        terminal,
        options.json ? JSON.stringify(done) : `${accountId} has a new password`,
      );
    });
};

const printLink = async (terminal: Terminal, options: Named): Promise<void> => {
  await using application = await terminal.openApplication();
  const { accountId } = await named(application, options);
  const cause = operatorCall(accountId, terminal.signal);
  const { url, expiresAt } = await application.commands.issuePasswordLink({ accountId, cause });
  const issued = { account_id: accountId, url, expires_at: expiresAt.toISOString() };
  await print(terminal, options.json ? JSON.stringify(issued) : url);
  say(terminal, `The link is good once, until ${issued.expires_at}. Pass it on to the owner only.`);
};
