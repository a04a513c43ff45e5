import type { Command } from 'commander';
import { exit } from './exit-codes.ts';
import { print, styled, type Terminal } from './terminal.ts';

const colors = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

/** `steno doctor`: checks all dependencies of the service; each problem is printed with its remedy. */
export const addDoctor = (program: Command, terminal: Terminal): void => {
  program
    .command('doctor')
    .description('check the set-up; each problem comes with what fixes it')
    .option('--json', 'print one JSON object a line')
    .action(async ({ json = false }: { json?: boolean }) => {
      let hasFailed = false;
      for await (const check of terminal.checks()) {
        hasFailed ||= check.status === 'failed';
        if (json) {
          await print(terminal, JSON.stringify(check));
          continue;
        }
        const status = check.status.padEnd(7);
        const shown = styled(terminal, terminal.stdout, colors[check.status], status);
        await print(terminal, `${shown} ${check.name.padEnd(12)} ${check.message}`);
        if (check.fix !== null) await print(terminal, `${' '.repeat(21)}fix: ${check.fix}`);
      }
      if (hasFailed) terminal.end(exit.failed);
    });
};
