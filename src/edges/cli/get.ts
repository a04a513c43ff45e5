import { createInterface } from 'node:readline';
import { type Command, Option } from 'commander';
import { type Commands, toJson } from '../../commands.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { exit, exitCodeOf } from './exit-codes.ts';
import { operatorCall } from './operator-call.ts';
import type { OperatorInterface } from './operator-interface.ts';
import { print, say, type Terminal } from './terminal.ts';

type Input = Parameters<Commands['readTranscript']>[1];
type Read = Pick<Awaited<ReturnType<Commands['readTranscript']>>, 'transcript' | 'text'>;

type Options = {
  account?: string;
  format: 'json' | 'txt' | 'srt' | 'vtt' | 'markdown' | 'md';
  lang?: string;
  timestamps?: boolean;
  clean?: boolean;
  json?: boolean;
};

/**
 * `steno get`: transcripts of one or many videos, in the order given; `-` reads links from stdin, one a line.
 * Without --account it is the operator's own reading: nothing is charged.
 */
export const addGet = (program: Command, terminal: Terminal, end: (code: number) => void): void => {
  program
    .command('get')
    .description('print transcripts')
    .argument('<link...>', 'video ids or links; - reads them from stdin')
    .addOption(
      new Option('-f, --format <format>', 'of the output')
        .choices(['json', 'txt', 'srt', 'vtt', 'markdown', 'md'])
        .default('txt'),
    )
    .option('-l, --lang <language>', 'language (BCP 47); without it, that of the video')
    .option('--timestamps', 'a [mm:ss] before each line')
    .option('--clean', 'without cues such as [Music]')
    .option('--account <id>', 'charge this account')
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .action(async (links: readonly string[], options: Options) => {
      await using application = await terminal.openApplication();
      let read = 0;
      let failure: number | null = null;
      for await (const reference of referencesOf(links, terminal)) {
        try {
          await print(
            terminal,
            await transcriptOf(reference, options, application, terminal.signal),
          );
          read += 1;
        } catch (error) {
          if (terminal.signal.aborted) throw error;
          failure ??= exitCodeOf(error, terminal);
          say(terminal, `${reference}: ${messageOf(error)}`);
        }
      }
      if (failure !== null) end(read > 0 ? exit.partial : failure);
    });
};

/** Why it failed; where other languages are there, which. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const available = error instanceof Refusal ? error.details?.['available'] : undefined;
  return Array.isArray(available)
    ? `${error.message} There are: ${available.join(', ')}.`
    : error.message;
};

async function* referencesOf(
  links: readonly string[],
  { stdin }: Pick<Terminal, 'stdin'>,
): AsyncGenerator<string> {
  for (const link of links) {
    if (link !== '-') {
      yield link;
      continue;
    }
    for await (const line of createInterface({ input: stdin })) {
      if (line.trim() !== '') yield line.trim();
    }
  }
}

const transcriptOf = async (
  reference: string,
  { account, format, lang, timestamps = false, clean = false, json = false }: Options,
  { commands, operations }: OperatorInterface,
  signal: AbortSignal,
): Promise<string> => {
  const wanted = json ? 'json' : format === 'md' ? 'markdown' : format;
  const input: Input = { reference, language: lang ?? null, format: wanted, timestamps, clean };
  const { transcript, text }: Read =
    account === undefined
      ? await operations.readTranscript(input, { signal })
      : await commands.readTranscript(operatorCall(account, signal), input);
  return text === null ? JSON.stringify(toJson(transcript)) : text.replace(/\n$/, '');
};
