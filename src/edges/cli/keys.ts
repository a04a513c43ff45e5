import { type Command, Option } from 'commander';
import { answerOf } from '../../contract/answer-of.ts';
import { capAnswer, capPeriods, newCap, warnAt } from '../../contract/caps.ts';
import { type KeyScope, keyScopes } from '../../contract/key-scopes.ts';
import { keySchema } from '../../contract/keys.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { KeyView } from '../../queries.ts';
import { parseName } from './accounts.ts';
import { type NamedAccount, onAccount, withAccount } from './named-account.ts';
import {
  invalidValue,
  type None,
  optionValue,
  orNone,
  parseCredits,
  parserOf,
  parserOfNames,
  parseTime,
} from './option-parsers.ts';
import { type Columns, printFields, printRows } from './table.ts';
import { print, say, type Terminal } from './terminal.ts';

/** `steno keys`: the API keys of any account. */
export const addKeys = (keys: Command, terminal: Terminal): void => {
  addCreate(keys, terminal);
  addList(keys, terminal);
  addCap(keys, terminal);
  addRevoke(keys, terminal);
};

type CapPeriod = (typeof capPeriods)[number];

type Json = NamedAccount & { json?: boolean };

/** One more API key for an account, shown once. */
const addCreate = (keys: Command, terminal: Terminal): void => {
  type Options = Json & {
    name: string;
    scopes: readonly KeyScope[];
    cap?: number;
    capPeriod?: CapPeriod;
    warnAt?: readonly number[];
    expires?: string;
  };
  withAccount(keys.command('create').description('create an API key for an account'))
    .option('--name <name>', 'name shown to its owner', parseName, 'API key')
    .addOption(
      new Option('--scopes <list>', `what it may do, out of ${keyScopes.join(',')}`)
        .argParser(parseScopes)
        .default([], 'all of it'),
    )
    .option('--cap <credits>', 'maximum credits it can spend', parseCredits)
    .addOption(capPeriodOption())
    .option('--warn-at <shares>', warnAtHelp, parseShares)
    .option('--expires <time>', 'expiry time, such as 2027-01-31T00:00:00Z', parseTime)
    .option('--json', 'print JSON')
    .action(({ name, scopes, cap, capPeriod, warnAt, expires, json = false, ...named }: Options) =>
      onAccount(terminal, named, async ({ commands }, call) => {
        const wanted = { name, scopes, ...newCap({ capCredits: cap, capPeriod, warnAt }), expiresAt: expires ?? null };
        const account = call.accountId;
        const made = await commands.createKey(call, wanted).catch((error: unknown) => {
          if (!(error instanceof Refusal)) {
            say(terminal, `It may have been created: check with steno keys list --account ${account}.`);
          }
          throw error;
        });
        const { keyId, fullKey, key } = made;
        if (json) return print(terminal, JSON.stringify({ account_id: account, api_key: fullKey, ...rowOf(key) }));
        await printFields(terminal, { key: keyId, 'api key': fullKey });
        say(terminal, 'The key is shown only once.');
      }),
    );
};

const scopesIn = parserOfNames(keyScopes, `It must be a comma-separated list of ${keyScopes.join(', ')}.`);

const parseScopes = (text: string): readonly KeyScope[] => [...new Set(scopesIn(text))];

/** The keys of an account, newest first, those that are over too; never a secret. */
const addList = (keys: Command, terminal: Terminal): void => {
  withAccount(keys.command('list').description('the API keys of an account'))
    .option('--json', 'print one JSON object per line')
    .action(({ json = false, ...named }: Json) =>
      onAccount(terminal, named, async ({ queries }, { accountId }) =>
        printRows(terminal, (await queries.keys(accountId)).map(rowOf), columns, json),
      ),
    );
};

type Row = ReturnType<typeof rowOf>;

const answer = answerOf(keySchema.omit({ id: true, links: true }));

/** A key as the API shows it, with its id named for lines of several kinds. */
const rowOf = (key: KeyView) => ({ key_id: key.keyId, ...answer(key, { key_prefix: key.prefix, ...capAnswer(key) }) });

const endOf = ({ revoked_at, expires_at }: Row): string => {
  if (revoked_at !== null) return `revoked ${revoked_at}`;
  return expires_at === null ? '-' : `expires ${expires_at}`;
};

const columns: Columns<Row> = { id: 'key_id', prefix: 'key_prefix', end: endOf, name: 'name' };

const capPeriodOption = () =>
  new Option(
    '--cap-period <window>',
    'window of the cap: a UTC day, a week from Monday, or the billing period',
  ).choices(capPeriods);

const warnAtHelp = 'percentages of the cap at which its owner is warned, such as 50,80,95; none: no warning';

const sharesOf = parserOf(warnAt, () => 'It must be a comma-separated list of whole numbers from 1 to 99, or none.');

const parseShares = (text: string): readonly number[] => sharesOf(text === 'none' ? [] : text.split(',').map(Number));

/** The new cap counts within a second. What is left out stays as it is. */
const addCap = (keys: Command, terminal: Terminal): void => {
  type Options = Json & { key: string; cap?: number | None; capPeriod?: CapPeriod; warnAt?: readonly number[] };
  withAccount(keys.command('cap').description('change the spending cap of an API key'))
    .requiredOption('--key <id>', 'id of the key, key_…')
    .option('--cap <credits>', 'maximum credits; none: no cap', orNone(parseCredits))
    .addOption(capPeriodOption())
    .option('--warn-at <shares>', warnAtHelp, parseShares)
    .option('--json', 'print JSON')
    .action(({ key, cap, json = false, account, email, ...changes }: Options) =>
      onAccount(terminal, { account, email }, async ({ commands, queries }, call) => {
        if (cap === undefined && Object.keys(changes).length === 0) {
          throw invalidValue('cap', 'give --cap, --cap-period or --warn-at');
        }
        const credits = cap === undefined ? {} : { capCredits: optionValue(cap) };
        await commands.setKeyCap(call, { keyId: key, ...credits, ...changes });
        const changed = (await queries.keys(call.accountId)).find(({ keyId }) => keyId === key);
        const done = { account_id: call.accountId, key_id: key, ...(changed === undefined ? {} : rowOf(changed)) };
        await print(terminal, json ? JSON.stringify(done) : `${key} has a new cap`);
      }),
    );
};

/** Every process refuses the key within a second. A second time changes nothing. */
const addRevoke = (keys: Command, terminal: Terminal): void => {
  withAccount(keys.command('revoke').description('revoke an API key permanently'))
    .requiredOption('--key <id>', 'id of the key, key_…')
    .option('--json', 'print JSON')
    .action(({ key, json = false, ...named }: Json & { key: string }) =>
      onAccount(terminal, named, async ({ commands }, call) => {
        await commands.revokeKey(call, { keyId: key });
        const done = { account_id: call.accountId, key_id: key, revoked: true };
        await print(terminal, json ? JSON.stringify(done) : `${key} is no longer valid`);
      }),
    );
};
