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

/** `steno secret adopt`: the way on where SECRET_KEY is lost or known to others, or the database was begun with a wrong one. */
export const addSecretAdopt = (secret: Command, terminal: Terminal): void => {
  secret
    .command('adopt')
    .description('make SECRET_KEY that of the database; passwords made with another are lost')
    .action(async () => {
      await terminal.adoptSecret();
      say(terminal, 'the database knows this SECRET_KEY now, and no other');
    });
};

/** `steno docs`: regenerates the documents that are generated from the program; a test checks that they are up to date. */
export const addDocs = (program: Command, terminal: Terminal): void => {
  program
    .command('docs')
    .description('write the documents that are made from the program')
    .action(async () => {
      for (const path of await terminal.writeDocuments()) await print(terminal, path);
    });
};
