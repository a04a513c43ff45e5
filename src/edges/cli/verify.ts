import type { Command } from 'commander';
import { exit } from './exit-codes.ts';
import { accountIdOf, type NamedAccount, requireOneName, withAccount } from './named-account.ts';
import { progressInParts } from './progress.ts';
import { print, say, type Terminal } from './terminal.ts';

type Options = NamedAccount & { json?: boolean };

/** `steno verify`: proves the books; prints the first bad position first and ends with 1 when there is one. */
export const addVerify = (program: Command, terminal: Terminal): void => {
  const verify = program
    .command('verify')
    .description('check hash chains, balances and read models against the events');
  withAccount(verify, 'its chain and balances; without it, all accounts and every read model')
    .option('--json', 'print JSON')
    .action(async ({ json = false, ...named }: Options) => {
      const isOfAll = named.account === undefined && named.email === undefined;
      if (!isOfAll) requireOneName(named);
      await using application = await terminal.openApplication();
      const accountId = isOfAll ? null : await accountIdOf(application, named);
      using shown = progressInParts(terminal);
      const { streams, events, problems } = await application.operations.verify(
        { accountId },
        shown,
      );
      if (json) {
        await print(
          terminal,
          JSON.stringify({ ok: problems.length === 0, streams, events, problems }),
        );
      } else {
        for (const { stream, position, message } of problems) {
          await print(terminal, `${position ?? '-'}\t${stream}\t${message}`);
        }
        const books = `${counted(events, 'entry', 'entries')} in ${counted(streams, 'ledger stream')}`;
        const rest = isOfAll ? ', every read model compared' : '';
        say(terminal, `${books} proved${rest}: ${counted(problems.length, 'problem')}`);
      }
      if (problems.length > 0) terminal.end(exit.failed);
    });
};

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
