import { z } from 'zod';
import type * as contract from '../contract/operations/summarize.ts';
import { type ModelSession, mapCaptions } from './ask-model.ts';
import { captionBlock, writeIn } from './captions-prompt.ts';
import { extract as summarizeExtract, wordsWanted } from './extractive/summarize.ts';
import { groundedText, lengthFor } from './grounded-text.ts';
import type { Implementation } from './implementation.ts';
import type { Source } from './source.ts';

export const summarize: Implementation<typeof contract.summarize> = {
  cacheKeyOf: ({ length, output_lang = null }) => [length, output_lang],
  withModel: async (source, input, asking) => {
    const summarized = runningText('summary', summaryTask, wordsWanted[input.length], 2_500);
    return { summary: await summarized(source, await notesOf(source, asking), input, asking) };
  },
  withoutModel: async (source, { length }, extract) => ({
    summary: await extract(summarizeExtract, source, { length }),
  }),
};

const notesSchema = z.object({ notes: z.array(z.object({ n: z.int(), note: z.string() })) });

const notesTask = `Take notes of this part of the captions: its main statements, in order, at most 20, each with the number n of the caption where it is made. Keep names and numbers as they stand.`;

/** The captions themselves where they fit into one request, else notes of each part. Lines begin with a caption number. */
export const notesOf = async (source: Source, asking: ModelSession): Promise<string> => {
  const parts = await mapCaptions(source, asking, async (chunk, { of }) => {
    if (of === 1) return captionBlock(chunk);
    const { notes } = await asking.ask({
      name: 'notes',
      task: notesTask,
      content: captionBlock(chunk),
      answer: notesSchema,
      maxOutputTokens: 1_500,
    });
    return captionBlock(
      notes.map(({ n, note }) => ({ n, text: note })),
      'notes',
    );
  });
  return parts.join('\n');
};

const summaryTask =
  'Sum up what is said in the video, in its order, as running text without headings or lists. Use nothing but the captions or notes. Write numbers as they stand there.';

/** Writes about a video from its captions or notes. */
export type Writer = (
  source: Source,
  notes: string,
  input: Pick<contract.SummarizeInput, 'output_lang'>,
  asking: ModelSession,
) => Promise<string>;

/** Text of as many words as its form wants; the answer of the model holds it under `name`. */
export const runningText =
  (name: string, task: string, length: readonly [number, number], maxOutputTokens: number): Writer =>
  (source, notes, { output_lang }, asking) => {
    const words = lengthFor(source, length);
    const answer = z.object({ [name]: z.string() });
    return groundedText(source, { output_lang, words }, async (complaint) => {
      const content = `${notes}\n\nWrite ${words[0]} to ${words[1]} words. ${writeIn(output_lang, source.language)}${complaint}`;
      const { [name]: text = '' } = await asking.ask({ name, task, content, answer, maxOutputTokens });
      return text;
    });
  };
