import type { Command } from 'commander';
import type { VideoDetails, WrittenChapter } from '../../contract/video-details.ts';
import { readVideo } from '../../contract/videos.ts';
import { waiting } from './progress.ts';
import { printable, printFields } from './table.ts';
import { print, type Terminal } from './terminal.ts';
import { openSource, type SourceOptions, withSource } from './transcript-source.ts';

/** `steno video`: what the platform and its author say of a video; free of charge. */
export const addVideo = (program: Command, terminal: Terminal): void => {
  const video = program
    .command(readVideo.operation)
    .description('details of a video: title, channel, description, chapters')
    .argument('<link>', 'video id or link');
  withSource(video)
    .option('--json', 'print JSON')
    .action(async (link: string, options: SourceOptions & { readonly json?: boolean }) => {
      await using source = await openSource(terminal, options);
      using _ = waiting(terminal, 'the details of the video');
      const found = await source.readVideo(link);
      if (options.json === true) await print(terminal, JSON.stringify(found));
      else await show(terminal, found);
    });
};

const show = async (
  terminal: Terminal,
  { chapters, tracks, thumbnails: _, description, ...fields }: VideoDetails,
): Promise<void> => {
  const languages = tracks.map(({ language, kind }) => `${language} (${kind})`).join(', ');
  await printFields(terminal, { ...fields, captions: languages });
  if (chapters !== null) await print(terminal, `\n${chapters.map(lineOf).join('\n')}`);
  if (description !== null) await print(terminal, `\n${printable(description)}`);
};

const lineOf = ({ timestamp, title }: WrittenChapter): string => `${timestamp}  ${printable(title)}`;
