import type { Command } from 'commander';
import type { KeyView } from '../../queries.ts';
import { accountIdOf, type NamedAccount, requireOneName, withAccount } from './named-account.ts';
import { printRows } from './table.ts';
import type { Terminal } from './terminal.ts';

/** `steno keys list`: the keys of an account, newest first, those that are over too; never a secret. */
export const addKeysList = (keys: Command, terminal: Terminal): void => {
  withAccount(keys.command('list').description('the API keys of an account'))
    .option('--json', 'print one JSON object a line')
    .action(async ({ json = false, ...named }: NamedAccount & { json?: boolean }) => {
      requireOneName(named);
      await using application = await terminal.openApplication();
      const accountId = await accountIdOf(application, named);
      const rows = (await application.operations.keys({ accountId })).map(rowOf);
      await printRows(
        terminal,
        rows,
        [
          ['id', ({ key_id }) => key_id],
          ['prefix', ({ key_prefix }) => key_prefix],
          ['end', endOf],
          ['name', ({ name }) => name],
        ],
        json,
      );
    });
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
