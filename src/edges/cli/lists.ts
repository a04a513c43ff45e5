import type { Command } from 'commander';
import { waiting } from './progress.ts';
import { countOption, withServer } from './server-verb.ts';
import { printRows } from './table.ts';
import { say, type Terminal } from './terminal.ts';
import { openSource, type SourceOptions } from './transcript-source.ts';

/** `steno playlists` and `steno channels`: the videos of one. */
export const addLists = (program: Command, terminal: Terminal): void => {
  for (const kind of ['playlist', 'channel'] as const) {
    const list = program
      .command(`${kind}s`)
      .description(`the videos of a ${kind}`)
      .argument(`<${kind}>`, kind === 'channel' ? 'its id, handle or link' : 'its id or link')
      .addOption(countOption('--limit <n>', 'at most so many').default(100));
    withServer(list)
      .option('--local', 'ask here, also when logged in to a server')
      .option('--json', 'print one JSON object a line')
      .action(async (reference: string, options: Options) => {
        await using source = await openSource(terminal, options);
        using _ = waiting(terminal);
        const { videos, hasMore } = await source.videos({ kind, reference }, options.limit);
        await printRows(terminal, videos, columns, options.json === true);
        if (hasMore) say(terminal, `The ${kind} has more than these ${videos.length}.`);
      });
  }
};

type Options = SourceOptions & { readonly limit: number; readonly json?: boolean };

const columns = [
  ['video', ({ video_id }: Video) => video_id],
  ['seconds', ({ duration }: Video) => duration],
  ['state', ({ availability }: Video) => availability],
  ['title', ({ title }: Video) => title],
] as const;

type Video = {
  readonly video_id: string;
  readonly duration: number | null;
  readonly availability: string;
  readonly title: string | null;
};
