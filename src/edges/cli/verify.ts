import type { Command } from 'commander';
import { exit } from './exit-codes.ts';
import { print, progress, say, type Terminal } from './terminal.ts';

type Options = { account?: string; json?: boolean };

/** `steno verify`: proves the books; prints the first bad position first and ends with 1 when there is one. */
export const addVerify = (
  program: Command,
  terminal: Terminal,
  end: (code: number) => void,
): void => {
  program
    .command('verify')
    .description('check hash chains, balances and read models against the events')
    .option(
      '--account <id>',
      'its chain and balances; without it, all accounts and every read model',
    )
    .option('--json', 'print JSON')
    .action(async ({ account, json = false }: Options) => {
      await using application = await terminal.openApplication();
      const shown = progress(terminal, 'events');
      const { streams, events, problems } = await application.operations.verify(
        { accountId: account ?? null },
        { signal: terminal.signal, onProgress: shown.at },
      );
      shown.done();
      if (json) {
        await print(
          terminal,
          JSON.stringify({ ok: problems.length === 0, streams, events, problems }),
        );
      } else {
        for (const { stream, position, message } of problems) {
          await print(terminal, `${position ?? '-'}\t${stream}\t${message}`);
        }
        say(terminal, `${events} events in ${streams} streams, ${problems.length} problems`);
      }
      if (problems.length > 0) end(exit.failed);
    });
};
