import type { Command } from 'commander';
import { z } from 'zod';
import { timestampOf } from '../../commands.ts';
import { translationLanguages } from '../../contract/languages.ts';
import { fieldsOf, type InputField, type Place, type ResultView } from '../../contract/operation.ts';
import { aiStatus, operationEndpoints, operationQuote } from '../../contract/operation-endpoints.ts';
import { operationNamed } from '../../contract/operations.ts';
import { helpOf } from './endpoint-request.ts';
import { exit } from './exit-codes.ts';
import { addServerVerb } from './server-verb.ts';
import { printable, printFields } from './table.ts';
import { print, remark, say, type Terminal } from './terminal.ts';

/** A verb for each operation on a transcript, and `steno ai-status`. */
export const addOperationVerbs = (program: Command, terminal: Terminal): void => {
  for (const endpoint of operationEndpoints) addOperation(program, terminal, endpoint);
  addServerVerb(program, terminal, {
    name: 'ai-status',
    about: 'whether a model is available, and which',
    endpoint: aiStatus,
    show: (on, { ai_enabled, model }) => printFields(on, { ai_enabled, model }),
  });
};

const argumentOf = ({ name, kind, description }: InputField) =>
  [`<${name}>`, kind === 'language' ? `one of ${translationLanguages.join(', ')}` : helpOf(description)] as const;

const lineOf = ({ start, until, title, text }: Place): string => {
  const time = timestampOf(start * 1_000);
  const whole = until === undefined ? time : `${time}-${timestampOf(until * 1_000)}`;
  return `${whole}  ${[title, text].filter((part) => part !== undefined).join(': ')}`;
};

const linesOf = ({ text, places = [] }: ResultView): readonly string[] => {
  const lines = places.map(lineOf);
  if (text === undefined) return lines;
  return lines.length === 0 ? [text] : [text, '', ...lines];
};

const FallbackNotes = z.looseObject({
  fallback: z.boolean().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});

const addOperation = (program: Command, terminal: Terminal, endpoint: (typeof operationEndpoints)[number]): void => {
  const operation = operationNamed(endpoint.operation);
  const typed = fieldsOf(operation).filter(({ isRequired }) => isRequired);
  addServerVerb(program, terminal, {
    isSentOnce: true,
    endpoint,
    name: operation.name,
    args: [['<link>', 'video id or link'], ...typed.map(argumentOf)],
    without: ['video_id', 'videoId', 'url', 'language'],
    showsQuote: true,
    members: ({ args: [link] }) => ({ video_id: link }),
    show: async (on, answer) => {
      const price = operationQuote.safeParse(answer);
      if (price.success) {
        const { credits, credits_if_fallback } = price.data;
        return printFields(on, { credits, credits_if_fallback });
      }
      const lines = linesOf(operation.shown(answer as never));
      for (const line of lines) await print(on, printable(line));
    },
    remarkOn: (on, answer) => {
      const { fallback = false, code = '', message = '' } = FallbackNotes.parse(answer);
      if (code === 'FEATURE_UNAVAILABLE') {
        say(on, `Warning: ${message}`);
        if (!operationQuote.safeParse(answer).success) on.end(exit.unavailable);
      } else if (fallback) remark(on, 'made without a model, as an extract of the captions');
    },
  });
};
