import type { Command } from 'commander';
import { listings } from '../../contract/listings.ts';
import { linksOf } from './account-links.ts';
import { optionsOf } from './endpoint-request.ts';
import type { CaptionTrack, TranscriptSource } from './operator-interface.ts';
import { costTagOption } from './option-parsers.ts';
import { progress, waiting } from './progress.ts';
import { attemptsOn } from './retries.ts';
import { printRows } from './table.ts';
import { say, type Terminal } from './terminal.ts';
import { openSource, type SourceOptions, withSource } from './transcript-source.ts';

/** `steno playlists` and `steno channels`: the videos of one. */
export const addLists = (program: Command, terminal: Terminal): void => {
  for (const kind of ['playlist', 'channel'] as const) {
    const list = program
      .command(`${kind}s`)
      .description(`the videos of a ${kind}`)
      .argument(`<${kind}>`, kind === 'channel' ? 'its id, handle or link' : 'its id or link');
    for (const option of optionsOf(listings[kind].read, ['limit'])) list.addOption(option);
    withSource(list.addOption(costTagOption()))
      .option('--json', 'print one JSON object per line')
      .action(async (reference: string, options: Options) => {
        await using source = await openSource(terminal, options);
        using _ = waiting(terminal, `the videos of the ${kind}`);
        const { videos, hasMore } = await source.listVideos({ kind, reference, limit: options.limit });
        await printRows(terminal, videos, columns, options.json === true);
        if (hasMore) say(terminal, `The ${kind} has more videos than these ${videos.length}.`);
      });
  }
};

type Options = SourceOptions & { readonly limit: number; readonly json?: boolean };

const columns = { video: 'video_id', seconds: 'duration', state: 'availability', title: 'title' } as const;

/** `steno languages`: which captions videos have; free of charge. */
export const addLanguages = (program: Command, terminal: Terminal): void => {
  const languages = program
    .command('languages')
    .description('the available captions of videos')
    .argument('<link...>', 'video ids or links; - reads them from stdin');
  withSource(languages)
    .option('--json', 'print one JSON object per line')
    .action(async (links: readonly string[], options: SourceOptions & { json?: boolean }) => {
      const { json = false } = options;
      await using source = await openSource(terminal, options);
      terminal.end(await printLanguages(terminal, source, linksOf(links, terminal), json));
    });
};

/** Prints a row for each caption track of each video; answers the exit code. */
export const printLanguages = async (
  terminal: Terminal,
  source: TranscriptSource,
  links: AsyncIterable<string> | readonly string[],
  isJson: boolean,
): Promise<number> => {
  const attempts = attemptsOn(terminal);
  const rows: Row[] = [];
  const all = await Array.fromAsync(links);
  using shown = progress(terminal, 'videos', all.length);
  for (const link of all) {
    await attempts.of(link, async () => {
      const tracks = await source.listTracks(link);
      rows.push(...tracks.map((track) => ({ video: link, ...track })));
    });
    shown.step();
  }
  await printRows(
    terminal,
    rows,
    {
      language: 'language',
      kind: 'kind',
      default: (row) => (row.default ? 'default' : ''),
      name: 'name',
      video: 'video',
    },
    isJson,
  );
  return attempts.code();
};

type Row = CaptionTrack & { readonly video: string };
