import type { Command } from 'commander';
import { exit } from './exit-codes.ts';
import { progressInParts } from './progress.ts';
import { print, type Terminal } from './terminal.ts';

type Options = { sideBySide?: boolean; json?: boolean };

/** `steno projections rebuild`: folds a read model anew from the events and says how the old one differed. */
export const addProjectionsRebuild = (projections: Command, terminal: Terminal): void => {
  projections
    .command('rebuild')
    .description('fold read models anew from the events')
    .argument('[name]', 'one read model; without it, all')
    .option('--side-by-side', 'build beside the live one and switch when they are equal')
    .option('--json', 'print one JSON object a line')
    .action(async (name: string | undefined, { sideBySide = false, json = false }: Options) => {
      await using application = await terminal.openApplication();
      using shown = progressInParts(terminal);
      const rebuilds = application.operations.rebuildProjections(
        { name: name ?? null, isSideBySide: sideBySide },
        shown,
      );
      let isSwitched = true;
      for await (const rebuild of rebuilds) {
        isSwitched &&= rebuild.isSwitched;
        const { events, elapsedMs, differences, message } = rebuild;
        await print(
          terminal,
          json
            ? JSON.stringify({
                name: rebuild.name,
                events,
                elapsed_ms: elapsedMs,
                differences,
                switched: rebuild.isSwitched,
                message,
              })
            : `${rebuild.name}: ${events} events in ${elapsedMs} ms, ${differences} rows differed${message === null ? '' : ` (${message})`}${rebuild.isSwitched ? '' : ', not switched'}`,
        );
      }
      if (!isSwitched) terminal.end(exit.failed);
    });
};
