import { type Command, Option } from 'commander';
import {
  type Chunks,
  chunkedBy,
  chunkFormat,
  chunkOverlap,
  chunkTokens,
  isOverlapShorter,
  overlapTooLong,
} from '../../contract/chunks.ts';
import { invalidRequest } from '../../kernel/refusal.ts';
import type { ChunksRequest } from './operator-interface.ts';
import {
  asrOption,
  captionsOption,
  costTagOption,
  countOption,
  keepOptions,
  languageOption,
} from './option-parsers.ts';
import { waiting } from './progress.ts';
import { printable } from './table.ts';
import { print, type Terminal } from './terminal.ts';
import { openSource, type SourceOptions, withSource } from './transcript-source.ts';

type Options = SourceOptions &
  Pick<ChunksRequest, 'captions' | 'asr' | 'maxTokens' | 'overlap' | 'by'> & {
    readonly lang?: string;
    readonly format?: (typeof chunkFormat.options)[number];
    readonly json?: boolean;
  };

/** `steno chunks`: a transcript in pieces for retrieval, charged as a transcript by a server, free here. */
export const addChunks = (program: Command, terminal: Terminal): void => {
  const chunks = program
    .command('chunks')
    .description('a transcript in pieces of whole sentences, for retrieval')
    .argument('<link>', 'video id or link')
    .addOption(new Option('-f, --format <format>', 'one object, or one chunk per line').choices(chunkFormat.options))
    .addOption(countOption('--max-tokens <n>', 'maximum tokens per chunk', chunkTokens))
    .addOption(countOption('--overlap <n>', 'maximum tokens that a chunk shares with the previous one', chunkOverlap))
    .addOption(
      new Option('--by <what>', 'chapters: no chunk crosses the end of a chapter')
        .choices(chunkedBy.options)
        .default('sentences'),
    )
    .addOption(languageOption())
    .addOption(captionsOption())
    .addOption(asrOption());
  for (const option of [...keepOptions(), costTagOption()]) chunks.addOption(option);
  withSource(chunks)
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .action(async (reference: string, options: Options) => {
      const { lang: language = null, captions = 'any', asr = 'off', maxTokens, overlap, by, keep } = options;
      if (!isOverlapShorter({ max_tokens: maxTokens, overlap })) {
        throw invalidRequest(`overlap ${overlapTooLong.error}`, { path: 'overlap', code: 'too_big' });
      }
      await using source = await openSource(terminal, options);
      using _ = waiting(terminal, 'the chunks');
      const kept = keep === undefined ? {} : { keep };
      const read = await source.readChunks({ reference, language, captions, asr, maxTokens, overlap, by, ...kept });
      const format = options.json === true ? 'json' : options.format;
      if (format === 'json') await print(terminal, JSON.stringify(read));
      else await print(terminal, read.chunks.map(format === 'ndjson' ? lineOf : shownOf).join('\n'));
    });
};

type Chunk = Chunks['chunks'][number];

const lineOf = (chunk: Chunk): string => JSON.stringify(chunk);

const shownOf = ({ timestamp, token_count, url, text }: Chunk): string =>
  `${timestamp}  ${token_count} tokens  ${url}\n${printable(text)}\n`;
