import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { type KeyScope, keyScopes } from '../../contract/key-scopes.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { KeyView } from '../../queries.ts';
import { parseName } from './accounts.ts';
import { type NamedAccount, onAccount, withAccount } from './named-account.ts';
import { parseCredits, parseTime } from './option-parsers.ts';
import { printRows } from './table.ts';
import { print, say, type Terminal } from './terminal.ts';

/** `steno keys`: the API keys of any account. */
export const addKeys = (keys: Command, terminal: Terminal): void => {
  addCreate(keys, terminal);
  addList(keys, terminal);
  addRevoke(keys, terminal);
};

type Json = NamedAccount & { json?: boolean };

/** One more API key for an account, shown once. */
const addCreate = (keys: Command, terminal: Terminal): void => {
  type Options = Json & {
    name: string;
    scopes: readonly KeyScope[];
    cap?: number;
    expires?: string;
  };
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
    .action(({ name, scopes, cap, expires, json = false, ...named }: Options) =>
      onAccount(terminal, named, async ({ commands }, call) => {
        const wanted = { name, scopes, capCredits: cap ?? null, expiresAt: expires ?? null };
        const account = call.accountId;
        const made = await commands.createKey(call, wanted).catch((error: unknown) => {
          if (!(error instanceof Refusal)) {
            say(terminal, `It may have been made: steno keys list --account ${account} shows it.`);
          }
          throw error;
        });
        const { keyId, fullKey, key } = made;
        if (json) {
          const shown = { account_id: account, key_id: keyId, api_key: fullKey, name: key.name };
          const limits = { monthly_cap_credits: key.capCredits, expires_at: key.expiresAt };
          return print(terminal, JSON.stringify({ ...shown, scopes: key.scopes, ...limits }));
        }
        await print(terminal, `key      ${keyId}`);
        await print(terminal, `api key  ${fullKey}`);
        say(terminal, 'The key is shown this once.');
      }),
    );
};

const Scopes = z.array(z.enum(keyScopes));

const parseScopes = (text: string): readonly KeyScope[] => {
  const scopes = Scopes.safeParse(text.split(',').map((scope) => scope.trim()));
  if (scopes.success) return [...new Set(scopes.data)];
  throw new InvalidArgumentError(`They are some of ${keyScopes.join(', ')}, with commas between.`);
};

/** The keys of an account, newest first, those that are over too; never a secret. */
const addList = (keys: Command, terminal: Terminal): void => {
  withAccount(keys.command('list').description('the API keys of an account'))
    .option('--json', 'print one JSON object a line')
    .action(({ json = false, ...named }: Json) =>
      onAccount(terminal, named, async ({ operations }, call) =>
        printRows(terminal, (await operations.keys(call)).map(rowOf), columns, json),
      ),
    );
};

type Row = ReturnType<typeof rowOf>;

const rowOf = (key: KeyView) => ({
  key_id: key.keyId,
  name: key.name,
  key_prefix: key.prefix,
  scopes: key.scopes,
  monthly_cap_credits: key.capCredits,
  credits_used: key.creditsUsed,
  created_at: key.createdAt,
  last_used_at: key.lastUsedAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  rolled_to: key.rolledTo,
});

const endOf = ({ revoked_at, expires_at }: Row): string => {
  if (revoked_at !== null) return `revoked ${revoked_at}`;
  return expires_at === null ? '-' : `expires ${expires_at}`;
};

const columns = [
  ['id', ({ key_id }: Row) => key_id],
  ['prefix', ({ key_prefix }: Row) => key_prefix],
  ['end', endOf],
  ['name', ({ name }: Row) => name],
] as const;

/** Every process refuses the key within a second. A second time changes nothing. */
const addRevoke = (keys: Command, terminal: Terminal): void => {
  withAccount(keys.command('revoke').description('end an API key, for ever'))
    .requiredOption('--key <id>', 'the key: key_…, as the list has it')
    .option('--json', 'print JSON')
    .action(({ key, json = false, ...named }: Json & { key: string }) =>
      onAccount(terminal, named, async ({ commands }, call) => {
        await commands.revokeKey(call, { keyId: key });
        const done = { account_id: call.accountId, key_id: key, revoked: true };
        await print(terminal, json ? JSON.stringify(done) : `${key} is good no more`);
      }),
    );
};
