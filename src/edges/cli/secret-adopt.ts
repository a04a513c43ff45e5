import type { Command } from 'commander';
import { say, type Terminal } from './terminal.ts';

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
