import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { shownName } from '../../kernel/shown-name.ts';
import { planKeys } from '../../queries.ts';
import { newPasswordFrom } from './hidden-prompt.ts';
import { print, say, type Terminal } from './terminal.ts';

const Options = z.object({
  email: z.string(),
  password: z.string().optional(),
  name: z.string().optional(),
  plan: z.enum(planKeys),
  json: z.boolean().default(false),
});

/**
 * `steno account create`: an account without captcha or rate limits, with its first key, which is shown once.
 * The password is an option, or a hidden prompt on a terminal, or a line of stdin, which keeps it out of shell histories.
 */
export const addAccountCreate = (account: Command, terminal: Terminal): void => {
  account
    .command('create')
    .description('create an account and its first API key')
    .requiredOption('--email <address>', 'mail address of its owner')
    .option(
      '--password <password>',
      'at least 8 characters; without it, a prompt or the first line of stdin',
    )
    .option('--name <name>', 'name of its owner', parseName)
    .addOption(new Option('--plan <plan>', 'its plan').choices(planKeys).default('free'))
    .option('--json', 'print JSON')
    .action(async (given: unknown) => {
      const {
        email,
        password = await newPasswordFrom(terminal),
        name,
        plan,
        json,
      } = Options.parse(given);
      await using application = await terminal.openApplication();
      const { accountId, apiKey } = await application.commands.createAccount({
        email,
        password,
        name: name ?? null,
        plan,
      });
      if (json) {
        return await print(terminal, JSON.stringify({ account_id: accountId, api_key: apiKey }));
      }
      await print(terminal, `account  ${accountId}`);
      await print(terminal, `api key  ${apiKey}`);
      say(terminal, 'The key is shown this once.');
    });
};

/** What the API takes for a name, too. */
export const parseName = (text: string): string => {
  const name = text.trim();
  if (name.length >= 1 && name.length <= 100 && shownName.test(name)) return name;
  throw new InvalidArgumentError(
    'A name has 1 to 100 characters, none of them a control character.',
  );
};
