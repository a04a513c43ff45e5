import { type Command, Option } from 'commander';
import type { AccountRecord } from '../../commands.ts';
import { getSettings, passwordLength, settingsShape } from '../../contract/account.ts';
import { answerOf } from '../../contract/answer-of.ts';
import { type PlanKey, planKey } from '../../contract/plan-keys.ts';
import { shownName } from '../../contract/schemas.ts';
import type { Call } from '../../kernel/call.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { addCorrection } from './credit-verbs.ts';
import { helpOf } from './endpoint-request.ts';
import { type NamedAccount, onAccount, requireOneName, withAccount } from './named-account.ts';
import type { OperatorInterface } from './operator-interface.ts';
import { invalidValue, optionValue, orNone, parserOf } from './option-parsers.ts';
import { newPasswordFrom } from './prompt.ts';
import { printFields } from './table.ts';
import { print, say, type Terminal } from './terminal.ts';

type AccountOptions = NamedAccount & { json?: boolean };

/** `steno account`. */
export const addAccounts = (account: Command, terminal: Terminal): void => {
  addCreate(account, terminal);
  addPlan(account, terminal);
  addCorrection(account, terminal);
  addList(account, terminal);
  addShow(account, terminal);
  addSettings(account, terminal);
  addStates(account, terminal);
  addPassword(account, terminal);
};

type New = { email: string; password?: string; name?: string | null; plan: PlanKey; json?: boolean };

/**
 * `steno account create`: an account without captcha or rate limits, with its first key, which is shown once.
 * The password is an option, or a hidden prompt on a terminal, or a line of stdin, which keeps it out of shell histories.
 */
const addCreate = (account: Command, terminal: Terminal): void => {
  account
    .command('create')
    .description('create an account and its first API key')
    .requiredOption('--email <address>', 'mail address of its owner')
    .option(
      '--password <password>',
      `at least ${passwordLength.least} characters; without it, a prompt or the first line of stdin`,
    )
    .option('--name <name>', 'name of its owner', parseName)
    .addOption(new Option('--plan <plan>', 'its plan').choices(planKey.options).default('free'))
    .option('--json', 'print JSON')
    .action(async ({ email, password: given, name = null, plan, json = false }: New) => {
      const password = given ?? (await newPasswordFrom(terminal));
      await using application = await terminal.openApplication({ mayCreate: true });
      const owner = { email, password, name, plan };
      const { accountId, apiKey } = await application.commands.createAccount(owner);
      if (json) {
        return await print(terminal, JSON.stringify({ account_id: accountId, api_key: apiKey }));
      }
      await printFields(terminal, { account: accountId, 'api key': apiKey });
      say(terminal, 'The key is shown only once.');
    });
};

/** What the API takes for a name, too. */
export const parseName = parserOf(shownName.min(1), () => 'A name has 1 to 100 characters and no control characters.');

/** `steno account plan`: puts an account on another plan at once. Does nothing if the account has that plan already. */
const addPlan = (account: Command, terminal: Terminal): void => {
  withAccount(account.command('plan').description('change the plan of an account'))
    .addOption(new Option('--plan <plan>', 'the new plan').choices(planKey.options).makeOptionMandatory())
    .option('--json', 'print JSON')
    .action(({ plan, json = false, ...named }: AccountOptions & { plan: PlanKey }) =>
      onAccount(terminal, named, async ({ commands }, call) => {
        await commands.assignPlan(call, { plan });
        const { accountId } = call;
        const done = { account_id: accountId, plan };
        await print(terminal, json ? JSON.stringify(done) : `${accountId} is on the plan ${plan}`);
      }),
    );
};

const pageSize = 100;

/** A verb about one account, by its id or the mail address of its owner. */
const verb = (account: Command, name: string, description: string): Command =>
  withAccount(account.command(name).description(description)).option('--json', 'print JSON');

/** The same as `onAccount`, for work on an account that has an owner. Throws NOT_FOUND for an account without one. */
const onOwned = (
  terminal: Terminal,
  named: NamedAccount,
  work: (application: OperatorInterface, found: AccountRecord, cause: Call) => Promise<void>,
): Promise<void> =>
  onAccount(terminal, named, async (application, call) => {
    const found = await application.commands.findAccount({ accountId: call.accountId });
    if (found === null) throw new Refusal('NOT_FOUND', `There is no account ${named.account ?? named.email}.`);
    return await work(application, found, call);
  });

const accountJson = ({ accountId, email, name, registeredAt, suspendedAt }: AccountRecord) => ({
  account_id: accountId,
  email,
  name,
  state: suspendedAt === null ? 'active' : 'suspended',
  registered_at: registeredAt.toISOString(),
  suspended_at: suspendedAt?.toISOString() ?? null,
});

type Search = { search?: string; plan?: string; state?: string; json?: boolean };

const addList = (account: Command, terminal: Terminal): void => {
  account
    .command('list')
    .description('list accounts')
    .option('--search <text>', 'only mail addresses that contain this')
    .addOption(new Option('--plan <plan>', 'only accounts on this plan').choices(planKey.options))
    .addOption(new Option('--state <state>', 'only active or only suspended accounts').choices(states))
    .option('--json', 'print NDJSON')
    .action(async ({ search, plan, state, json = false }: Search) => {
      await using application = await terminal.openApplication({ mayCreate: false });
      const { commands, queries } = application;
      const isSuspended = state === undefined ? null : state === 'suspended';
      let after: string | null = null;
      if (!json && terminal.stdout.isTTY === true) {
        await print(terminal, listLine('ACCOUNT', 'PLAN', 'STATE', 'EMAIL'));
      }
      do {
        const wanted = { email: search ?? null, isSuspended, after, limit: pageSize };
        const page: readonly AccountRecord[] = await commands.listAccounts(wanted);
        for (const one of page) {
          const { key } = await queries.planOfAccount(one.accountId);
          if (plan !== undefined && key !== plan) continue;
          const shown = { ...accountJson(one), plan: key };
          const line = listLine(shown.account_id, key, shown.state, shown.email);
          await print(terminal, json ? JSON.stringify(shown) : line);
        }
        after = page.length < pageSize ? null : (page.at(-1)?.accountId ?? null);
      } while (after !== null);
    });
};

const states = ['active', 'suspended'] as const;

const listLine = (account: string, plan: string, state: string, email: string): string =>
  `${account.padEnd(36)}  ${plan.padEnd(10)}  ${state.padEnd(9)}  ${email}`;

const addShow = (account: Command, terminal: Terminal): void => {
  verb(account, 'show', 'show one account').action(({ json = false, ...given }: AccountOptions) =>
    onOwned(terminal, given, async ({ commands, actions }, found) => {
      const overview = await actions.overview(found);
      const { plan, credits, keysActive, webhooksActive } = overview;
      const shown = {
        ...accountJson(found),
        plan: plan.key,
        mailbox_proof_pending: overview.isProvisional,
        credits_remaining: credits.remaining,
        unlimited: credits.isUnlimited,
        keys_active: keysActive,
        webhooks_active: webhooksActive,
        sessions: (await commands.openSessions(found.accountId)).length,
      };
      if (json) return await print(terminal, JSON.stringify(shown));
      const { unlimited, ...fields } = shown;
      const left = unlimited ? 'unlimited' : fields.credits_remaining;
      await printFields(terminal, { ...fields, credits_remaining: left });
    }),
  );
};

/** An option for each setting; `none` is null where a setting can be null. */
const settingOptions = Object.entries(settingsShape).map(([name, schema]) => {
  const parse = parserOf<unknown>(schema);
  const parseText = (text: string): unknown => parse(settingIn(text));
  return new Option(`--${name.replaceAll('_', '-')} <value>`, helpOf(schema.meta()?.description ?? name)).argParser(
    schema.safeParse(null).success ? orNone(parseText) : parseText,
  );
});

const settingIn = (text: string): unknown => {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
};

type ChosenSettings = Parameters<OperatorInterface['commands']['chooseRequestDefaults']>[1];

const settingsAnswer = answerOf(getSettings.answers[200].schema);

/** `steno account settings`: what holds for all requests of an account; options change it. */
const addSettings = (account: Command, terminal: Terminal): void => {
  const settings = verb(account, 'settings', 'show or change the settings for all requests of an account');
  for (const option of settingOptions) settings.addOption(option);
  settings.action(({ json = false, account: id, email, ...given }: AccountOptions & ChosenSettings) =>
    onOwned(terminal, { account: id, email }, async ({ commands }, { accountId }) => {
      const chosen = Object.fromEntries(Object.entries(given).map(([name, one]) => [name, optionValue<unknown>(one)]));
      const isRead = Object.keys(chosen).length === 0;
      const now = await (isRead
        ? commands.requestDefaults(accountId)
        : commands.chooseRequestDefaults(accountId, chosen));
      const shown = { account_id: accountId, ...settingsAnswer(now) };
      await (json ? print(terminal, JSON.stringify(shown)) : printFields(terminal, shown));
    }),
  );
};

const addStates = (account: Command, terminal: Terminal): void => {
  for (const [name, description, command, state] of [
    ['suspend', 'refuse its keys and its owner', 'suspendAccount', 'suspended'],
    ['resume', 'take a suspension back', 'resumeAccount', 'active'],
    ['erase', 'erase the person behind an account', 'eraseAccountOf', 'erased'],
  ] as const) {
    const change = verb(account, name, description);
    if (name === 'erase') change.option('--yes', 'erase without confirmation');
    change.action(({ json = false, yes = false, ...given }: AccountOptions & { yes?: boolean }) => {
      if (name === 'erase' && !yes) throw invalidValue('yes', 'erasure cannot be undone: add --yes');
      return onOwned(terminal, given, async ({ commands }, { accountId }, cause) => {
        await commands[command]({ accountId, cause });
        const done = { account_id: accountId, state };
        await print(terminal, json ? JSON.stringify(done) : `${accountId} is ${state}`);
      });
    });
  }
};

const addPassword = (account: Command, terminal: Terminal): void => {
  verb(account, 'password', 'set the password; every session ends')
    .option('--link', 'print a link for the owner to set it, valid once within an hour')
    .action(async ({ json = false, link = false, ...given }: AccountOptions & { link?: boolean }) => {
      if (link) return await printLink(terminal, given, json);
      requireOneName(given);
      const password = await newPasswordFrom(terminal);
      await onOwned(terminal, given, async ({ commands }, { accountId }, cause) => {
        await commands.setPassword({ accountId, cause, password });
        const done = { account_id: accountId, password: 'set' };
        await print(terminal, json ? JSON.stringify(done) : `${accountId} has a new password`);
      });
    });
};

const printLink = (terminal: Terminal, given: AccountOptions, json: boolean): Promise<void> =>
  onOwned(terminal, given, async ({ commands }, { accountId }, cause) => {
    const { url, expiresAt } = await commands.issuePasswordLink({ accountId, cause });
    const issued = { account_id: accountId, url, expires_at: expiresAt.toISOString() };
    await print(terminal, json ? JSON.stringify(issued) : url);
    say(terminal, `The link can be used once, until ${issued.expires_at}. Give it only to the owner.`);
  });
