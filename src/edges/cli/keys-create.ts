import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { Refusal } from '../../kernel/refusal.ts';
import { type KeyScope, keyScopes } from '../../queries.ts';
import { parseName } from './account-create.ts';
import { parseCredits } from './grant.ts';
import { accountIdOf, type NamedAccount, requireOneName, withAccount } from './named-account.ts';
import { operatorCall } from './operator-call.ts';
import { print, say, type Terminal } from './terminal.ts';

type Options = NamedAccount & {
  name: string;
  scopes: readonly KeyScope[];
  cap?: number;
  expires?: string;
  json?: boolean;
};

/** `steno keys create`: one more API key for an account, shown once. */
export const addKeysCreate = (keys: Command, terminal: Terminal): void => {
  withAccount(keys.command('create').description('make an API key for an account'))
    .option('--name <name>', 'what its owner sees', parseName, 'API key')
    .addOption(
      new Option('--scopes <list>', `what it may do, of ${keyScopes.join(',')}`)
        .argParser(parseScopes)
        .default([], 'all of it'),
    )
    .option('--cap <credits>', 'the most that it may spend in a billing period', parseCredits)
    .option('--expires <time>', 'when it ends, such as 2027-01-31T00:00:00Z', parseTime)
    .option('--json', 'print JSON')
    .action(async ({ name, scopes, cap, expires, json = false, ...named }: Options) => {
      requireOneName(named);
      await using application = await terminal.openApplication();
      const account = await accountIdOf(application, named);
      const wanted = { name, scopes, capCredits: cap ?? null, expiresAt: expires ?? null };
      const making = application.commands.createKey(operatorCall(account, terminal.signal), wanted);
      const { keyId, fullKey, key } = await making.catch((error: unknown) => {
        if (!(error instanceof Refusal)) {
          say(terminal, `It may have been made: steno keys list --account ${account} shows it.`);
        }
        throw error;
      });
      if (json) {
        const made = { account_id: account, key_id: keyId, api_key: fullKey, name: key.name };
        const limits = { monthly_cap_credits: key.capCredits, expires_at: key.expiresAt };
        return print(terminal, JSON.stringify({ ...made, scopes: key.scopes, ...limits }));
      }
      await print(terminal, `key      ${keyId}`);
      await print(terminal, `api key  ${fullKey}`);
      say(terminal, 'The key is shown this once.');
    });
};

const Scopes = z.array(z.enum(keyScopes));

const parseScopes = (text: string): readonly KeyScope[] => {
  const scopes = Scopes.safeParse(text.split(',').map((scope) => scope.trim()));
  if (scopes.success) return [...new Set(scopes.data)];
  throw new InvalidArgumentError(`They are some of ${keyScopes.join(', ')}, with commas between.`);
};

const Time = z.iso.datetime({ offset: true });

const parseTime = (text: string): string => {
  if (Time.safeParse(text).success) return text;
  throw new InvalidArgumentError('It is a time with its offset, such as 2027-01-31T00:00:00Z.');
};
