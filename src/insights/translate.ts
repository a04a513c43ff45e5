import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { languageName } from '../contract/language-names.ts';
import type { TranslationLanguage } from '../contract/languages.ts';
import type * as contract from '../contract/operations/translate.ts';
import { isSameLanguage } from '../kernel/languages.ts';
import { type ModelSession, mapAtMost } from './ask-model.ts';
import { captionBlock, type NumberedCaption, numbered } from './captions-prompt.ts';
import type { Implementation } from './implementation.ts';
import { ModelFailure } from './model.ts';
import { plainLine } from './model-text.ts';
import type { Source } from './source.ts';
import { compact } from './verify-quotes.ts';

/** The captions as they are. */
const originalOf = (
  { language, segments }: Source,
  { code, message }: Pick<contract.Translation, 'code' | 'message'>,
): contract.Translation => ({
  translated: false,
  source_language: language,
  code,
  message,
  segment_count: segments.length,
  segments,
});

/** What is answered when there is nothing to translate. */
const unchanged = (source: Source, { mode, target_lang }: contract.TranslateInput): contract.Translation | null => {
  const code = 'OK';
  if (mode === 'original') {
    return originalOf(source, { code, message: 'These are the original captions.' });
  }
  if (!isSameLanguage(source.language, target_lang)) return null;
  return originalOf(source, { code, message: 'The captions are already in this language.' });
};

export const translate: Implementation<typeof contract.translate> = {
  unchanged,
  // Kept results of earlier releases lack members.
  cacheKeyOf: ({ target_lang, mode }) => [target_lang, mode, 'source_language'],
  withModel: async (source, { target_lang, mode }, asking) => {
    const lines = await translatedLines(source, target_lang, asking);
    const total = numbered(source.segments).length;
    const missing = total - lines.size;
    if (missing * 2 > total) throw new ModelFailure('invalid_answer', 'most lines are missing');
    return {
      translated: true,
      source_language: source.language,
      code: 'OK',
      message:
        missing === 0
          ? 'All lines are translated.'
          : `${missing} of ${total} lines could not be translated and are as in the original.`,
      segment_count: source.segments.length,
      segments: source.segments.map((segment, n) => {
        const line = lines.get(n);
        if (line === undefined) return segment;
        const text = mode === 'bilingual' ? `${segment.text}\n${line}` : line;
        return { ...segment, text };
      }),
    };
  },
  withoutModel: (source) =>
    originalOf(source, {
      code: 'FEATURE_UNAVAILABLE',
      message: 'Translation is not available now; these are the original captions.',
    }),
};

const linesPerBatch = 40;
const batchesAtOnce = 3;
/** A transcript of some fourteen hours; what is longer is not translated. */
const mostLines = 20_000;

const translatedLines = async (
  source: Source,
  target: TranslationLanguage,
  asking: ModelSession,
): Promise<ReadonlyMap<number, string>> => {
  const captions = numbered(source.segments);
  if (captions.length > mostLines) {
    throw new ModelFailure('too_long', `the transcript has ${captions.length} lines`);
  }
  const batches = Array.from({ length: Math.ceil(captions.length / linesPerBatch) }, (_, index) =>
    captions.slice(index * linesPerBatch, (index + 1) * linesPerBatch),
  );
  const parts = await mapAtMost(batches, batchesAtOnce, async (batch) => {
    const lines = await translatedBatch(batch, [], target, asking);
    const missing = batch.filter(({ n }) => !lines.has(n));
    if (missing.length === 0) return lines;
    const repaired = await translatedBatch(missing, besideOf(captions, missing), target, asking);
    return new Map([...lines, ...repaired]);
  });
  return new Map(parts.flatMap((part) => [...part]));
};

/** Two lines on both sides of each missing one: alone it may be half a sentence. */
const besideOf = (
  captions: readonly NumberedCaption[],
  missing: readonly NumberedCaption[],
): readonly NumberedCaption[] => {
  const wanted = new Set(missing.map(({ n }) => n));
  return captions.filter(({ n }) => !wanted.has(n) && missing.some((each) => Math.abs(each.n - n) <= 2));
};

/** The lines that came back as what they are: each has its own translation, and repeats how its source begins. */
const translatedBatch = async (
  batch: readonly NumberedCaption[],
  context: readonly NumberedCaption[],
  target: TranslationLanguage,
  asking: ModelSession,
): Promise<ReadonlyMap<number, string>> => {
  const around =
    context.length === 0
      ? ''
      : `${captionBlock(context, 'context')}\n\nThe lines above are context and are not translated.\n\n`;
  const said = await asking.ask({
    name: 'translation',
    task: `Translate each caption into the wanted language, line by line: one translation for each number, never joined with a neighbour, never divided. For each number, "begins" repeats the first words of the caption as it stands, at most 20 characters, and "text" is the translation.`,
    content: `${around}${captionBlock(batch)}\n\nTranslate into ${languageName(target) ?? target}.`,
    answer: batchSchema(batch),
    maxOutputTokens: 6_000,
  });
  const saying = Map.groupBy(batch, ({ n }) => compact(said[n]?.text ?? ''));
  const sources = new Set(batch.map(({ text }) => compact(text)));
  const lines = new Map<number, string>();
  for (const { n, text } of batch) {
    const line = said[n];
    if (line === undefined) continue;
    const translation = plainLine(line.text);
    const isDoubled = (saying.get(compact(translation))?.length ?? 0) > 1 && sources.size === batch.length;
    if (translation === '' || isDoubled || !beginsAs(text, line.begins)) continue;
    lines.set(n, translation);
  }
  return lines;
};

/** Each number of the batch and no other. Lines may be missing all the same: those are repaired one by one. */
const batchSchema = (batch: readonly NumberedCaption[]) =>
  z.object(
    Object.fromEntries(
      batch.map(({ n }) => [
        String(n),
        z.object({ begins: z.string(), text: z.string() }).catch({ begins: '', text: '' }),
      ]),
    ),
  );

const similarAtLeast = 0.75;

/** Whether a repeated beginning is that of this line: a merged or shifted line begins as another one. */
const beginsAs = (source: string, begins: string): boolean => {
  const said = compact(begins);
  const wanted = compact(source).slice(0, Math.max(said.length, 1));
  // A line without letters has nothing to repeat.
  if (wanted === '') return true;
  if (said.length < Math.min(3, compact(source).length)) return false;
  return 1 - distance(said, wanted) / Math.max(said.length, wanted.length) >= similarAtLeast;
};
