import type { Command } from 'commander';
import { accountIdOf, type NamedAccount, requireOneName, withAccount } from './named-account.ts';
import { operatorCall } from './operator-call.ts';
import { print, type Terminal } from './terminal.ts';

type Options = NamedAccount & { key: string; json?: boolean };

/** `steno keys revoke`: every process refuses the key within a second. A second time changes nothing. */
export const addKeysRevoke = (keys: Command, terminal: Terminal): void => {
  withAccount(keys.command('revoke').description('end an API key, for ever'))
    .requiredOption('--key <id>', 'the key: key_…, as the list has it')
    .option('--json', 'print JSON')
    .action(async ({ key, json = false, ...named }: Options) => {
      requireOneName(named);
      await using application = await terminal.openApplication();
      const account = await accountIdOf(application, named);
      await application.commands.revokeKey(operatorCall(account, terminal.signal), { keyId: key });
      const done = { account_id: account, key_id: key, revoked: true };
      await print(terminal, json ? JSON.stringify(done) : `${key} is good no more`);
    });
};
