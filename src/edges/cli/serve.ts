import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

/** `steno serve`, and one role alone: `steno api`, `steno worker`. */
export const addServe = (program: Command, terminal: Terminal): void => {
  program
    .command('serve')
    .description('run the server: what ROLE says, by default the API and the worker')
    .action(async () => terminal.end(await terminal.serve(null)));
  for (const role of ['api', 'worker'] as const) {
    program
      .command(role)
      .description(`run the ${role} alone`)
      .action(async () => terminal.end(await terminal.serve(role)));
  }
};
