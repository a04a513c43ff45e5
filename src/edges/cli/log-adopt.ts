import type { Command } from 'commander';
import { print, say, type Terminal } from './terminal.ts';

/** `steno log adopt`: the remedy for a log that was put back in parts, which a server refuses to start on. */
export const addLogAdopt = (log: Command, terminal: Terminal): void => {
  log
    .command('adopt')
    .description('take the events as they are where other tables of the log contradict them')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      await using application = await terminal.openApplication();
      const settled = await application.operations.adoptLog();
      if (json) await print(terminal, JSON.stringify({ settled }));
      else for (const sentence of settled) await print(terminal, sentence);
      if (settled.length === 0) say(terminal, 'nothing contradicts the events');
      else say(terminal, 'settled; now: steno projections rebuild, then steno verify');
    });
};
