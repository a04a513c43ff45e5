import { type Command, Option } from 'commander';
import { nameLink } from '../../commands.ts';
import { aboutFormat, formatNamed, formatNames, plainFormat, type TranscriptFormat } from '../../contract/formats.ts';
import { includable } from '../../contract/video-details.ts';
import { linksOf } from './account-links.ts';
import { printLanguages } from './lists.ts';
import { withAccount } from './named-account.ts';
import type { TranscriptRequest, TranscriptSource } from './operator-interface.ts';
import {
  asrOption,
  captionsOption,
  costTagOption,
  countOption,
  invalidValue,
  keepOptions,
  languageOption,
  listOption,
  wordsOption,
} from './option-parsers.ts';
import { formatOf, openArchive, outputFiles } from './output-files.ts';
import { progress, waiting } from './progress.ts';
import { attemptsOn } from './retries.ts';
import { print, remark, say, type Terminal } from './terminal.ts';
import { jsonOf, listOf, openSource, type SourceOptions, withSource } from './transcript-source.ts';

type Options = SourceOptions &
  Partial<Pick<TranscriptRequest, 'timestamps' | 'clean' | 'captions' | 'asr' | 'words'>> & {
    readonly format?: string;
    readonly lang?: string;
    readonly autoTranslate?: boolean;
    readonly include?: readonly string[];
    readonly countTokens?: boolean;
    readonly output?: string;
    readonly archive?: string;
    readonly limit?: number;
    readonly listLanguages?: boolean;
    readonly json?: boolean;
  };

/**
 * `steno get`: transcripts of videos, playlists and channels, in the order given; `-` reads links from stdin, one a line.
 * From the server of the login, else from the engine in this process, without a charge.
 */
export const addGet = (program: Command, terminal: Terminal): void => {
  const get = program
    .command('get')
    .description('print transcripts, or write them to files')
    .argument('<link...>', 'videos, playlists and channels: ids or links; - reads them from stdin')
    .addOption(
      new Option('-f, --format <format>', 'of the output')
        .choices(formatNames)
        .default(undefined, `that of the file of -o, else ${plainFormat}`),
    )
    .addOption(languageOption())
    .addOption(captionsOption())
    .option('--timestamps', 'prefix each line with [mm:ss]')
    .option('--clean', 'remove cues such as [Music]')
    .option('-o, --output <path>', "a folder, a file, or '{channel}/{title} [{id}].{ext}'")
    .option('--archive <file>', 'skip the videos listed in it, and append completed ones')
    .addOption(countOption('--limit <n>', 'maximum videos from each list'))
    .addOption(wordsOption())
    .addOption(asrOption())
    .option('--auto-translate', 'if a video lacks the language, let the platform translate')
    .addOption(listOption('--include <list>', includable, 'with --format json: details of the video and its chapters'))
    .option('--count-tokens', 'with --format json: token count of the text')
    .option('--list-languages', 'print the available captions instead');
  for (const option of [...keepOptions(), costTagOption()]) get.addOption(option);
  withAccount(get, 'read from this machine, without a server, and charge this account');
  withSource(get)
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .action(async (links: readonly string[], options: Options) => {
      const run = await prepare(links, options, terminal);
      await using source = await openSource(terminal, options);
      const { listLanguages = false, json = false } = options;
      if (listLanguages) terminal.end(await printLanguages(terminal, source, run.references, json));
      else terminal.end(await getAll(terminal, source, run));
    });
};

/** One command, with its options validated. */
type Run = Awaited<ReturnType<typeof prepare>>;

const prepare = async (links: readonly string[], options: Options, terminal: Terminal) => {
  const { output, archive, lang: language = null, timestamps = false, clean = false, json = false } = options;
  const { captions = 'any', asr = 'off', words = false, autoTranslate: mayTranslate = false } = options;
  const { include = [], countTokens: countsTokens = false } = options;
  const includesVideo = include.includes('video');
  const format = formatFor(json ? 'json' : options.format, output ?? '');
  const files = output === undefined || output === '-' ? null : outputFiles(output);
  const isSubtitle = aboutFormat(format).isSubtitle === true;
  const isForOne = files === null ? isSubtitle : files.isOneFile;
  // Links on stdin are processed as they arrive, unless only one is allowed.
  const references =
    isForOne || !links.includes('-') ? await Array.fromAsync(linksOf(links, terminal)) : linksOf(links, terminal);
  const isOne = Array.isArray(references) && references.length <= 1 && !references.some(isList);
  if (isForOne && !isOne && options.listLanguages !== true) {
    const place = files === null ? 'stdout can have one subtitle file' : `${output} can have one transcript`;
    throw invalidValue('output', `${place}: for several videos, give -o a folder or a template`);
  }
  return {
    references,
    wanted: {
      ...{ language, captions, asr, mayTranslate, words, format, timestamps, clean, includesVideo, countsTokens },
      ...(options.keep === undefined ? {} : { keep: options.keep }),
    },
    files,
    archive: archive === undefined ? null : await openArchive(archive),
    limit: options.limit ?? null,
  };
};

/** The format of `-f`, else that of the extension. Refuses a file whose extension says another. */
const formatFor = (given: Options['format'], output: string): TranscriptFormat => {
  const wanted = given === undefined ? null : formatNamed(given);
  const named = formatOf(output);
  if (wanted !== null && named !== null && wanted !== named) {
    throw invalidValue('output', `${output} has the format ${named}, but the requested format is ${wanted}`);
  }
  return wanted ?? named ?? plainFormat;
};

const isList = (link: string): boolean => listOf(link) !== null;

/** Gets the transcripts that are not in the download archive; returns the exit code. */
const getAll = async (terminal: Terminal, source: TranscriptSource, run: Run): Promise<number> => {
  const { references, wanted, archive, files } = run;
  await files?.prepare();
  const attempts = attemptsOn(terminal);
  const videos = videosOf(terminal, source, run, attempts);
  // The total is known only if all links are.
  const all = Array.isArray(references) ? await Array.fromAsync(videos) : null;
  const isOne = all?.length === 1;
  using _ = isOne ? waiting(terminal, 'the transcript') : null;
  using shown = isOne ? null : progress(terminal, 'videos', all?.length ?? null);
  for await (const reference of all ?? videos) {
    await attempts.of(reference, async () => {
      const read = await source.readTranscript({ ...wanted, reference });
      const text = read.text ?? `${jsonOf(read)}\n`;
      if (files === null) await print(terminal, text.replace(/\n$/, ''));
      else await print(terminal, await files.write(read.transcript, aboutFormat(wanted.format).extension, text));
      await archive?.add(read.transcript.videoId);
    });
    shown?.step();
  }
  if (archive !== null && all?.length === 0) remark(terminal, 'nothing is left to get');
  return attempts.code();
};

/** The videos that the links name, those of lists too, without those in the archive. */
async function* videosOf(
  terminal: Terminal,
  source: TranscriptSource,
  { references, archive, limit }: Run,
  attempts: ReturnType<typeof attemptsOn>,
): AsyncGenerator<string> {
  const isLeft = (reference: string): boolean => {
    const named = nameLink(reference);
    return named?.kind !== 'video' || archive?.has(named.videoId) !== true;
  };
  for await (const reference of references) {
    const list = listOf(reference);
    if (list === null) {
      if (isLeft(reference)) yield reference;
      continue;
    }
    const listed = await attempts.of(reference, () => source.listVideos({ ...list, limit }), { counts: false });
    const { videos = [], hasMore = false } = listed ?? {};
    if (hasMore && videos.length < (limit ?? Number.POSITIVE_INFINITY)) {
      const message = `only its first ${videos.length} videos; use steno jobs create for more`;
      say(terminal, `${reference}: ${message}`);
    }
    yield* videos.map(({ video_id }) => video_id).filter(isLeft);
  }
}
