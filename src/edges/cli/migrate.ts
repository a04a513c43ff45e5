import type { Command } from 'commander';
import { print, say, type Terminal } from './terminal.ts';

/** `steno migrate`: brings the database to this version; prints what it applied, or would apply. */
export const addMigrate = (program: Command, terminal: Terminal): void => {
  program
    .command('migrate')
    .description('apply the migrations that the database lacks')
    .option('--dry-run', 'only print them')
    .option('--json', 'print JSON')
    .action(async ({ dryRun = false, json = false }: { dryRun?: boolean; json?: boolean }) => {
      const names = await terminal.migrate({ isDryRun: dryRun });
      if (json)
        return await print(terminal, JSON.stringify({ dry_run: dryRun, migrations: names }));
      for (const name of names) await print(terminal, name);
      if (names.length === 0) say(terminal, 'the database is up to date');
    });
};
