import type { Command } from 'commander';
import type { KeyView } from '../../queries.ts';
import { accountIdOf, type NamedAccount, requireOneName, withAccount } from './named-account.ts';
import { print, type Terminal } from './terminal.ts';

/** `steno keys list`: the keys of an account, newest first, those that are over too; never a secret. */
export const addKeysList = (keys: Command, terminal: Terminal): void => {
  withAccount(keys.command('list').description('the API keys of an account'))
    .option('--json', 'print one JSON object a line')
    .action(async ({ json = false, ...named }: NamedAccount & { json?: boolean }) => {
      requireOneName(named);
      await using application = await terminal.openApplication();
      const accountId = await accountIdOf(application, named);
      for (const key of await application.operations.keys({ accountId })) {
        await print(terminal, json ? jsonLine(key) : plainLine(key));
      }
    });
};

const jsonLine = (key: KeyView): string =>
  JSON.stringify({
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

const plainLine = (key: KeyView): string =>
  [key.keyId, key.prefix, endOf(key), key.name].join('\t');

const endOf = ({ revokedAt, expiresAt }: KeyView): string => {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  return expiresAt === null ? '-' : `expires ${expiresAt}`;
};
