import type { Command } from 'commander';
import { operatorCall } from './operator-call.ts';
import { print, type Terminal } from './terminal.ts';

type Options = { account: string; key: string; json?: boolean };

/** `steno keys revoke`: every process refuses the key within a second. A second time changes nothing. */
export const addKeysRevoke = (keys: Command, terminal: Terminal): void => {
  keys
    .command('revoke')
    .description('end an API key, for ever')
    .requiredOption('--account <id>', 'the account')
    .requiredOption('--key <id>', 'the key: key_…, as the list has it')
    .option('--json', 'print JSON')
    .action(async ({ account, key, json = false }: Options) => {
      await using application = await terminal.openApplication();
      await application.commands.revokeKey(operatorCall(account, terminal.signal), { keyId: key });
      const done = { account_id: account, key_id: key, revoked: true };
      await print(terminal, json ? JSON.stringify(done) : `${key} is good no more`);
    });
};
