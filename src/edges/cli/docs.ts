import type { Command } from 'commander';
import { print, type Terminal } from './terminal.ts';

/** `steno docs`: regenerates the documents that are generated from the program; a test checks that they are up to date. */
export const addDocs = (program: Command, terminal: Terminal): void => {
  program
    .command('docs')
    .description('write the documents that are made from the program')
    .action(async () => {
      for (const path of await terminal.writeDocuments()) await print(terminal, path);
    });
};
