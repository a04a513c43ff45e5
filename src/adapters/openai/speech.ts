import { BadRequestError, toFile } from 'openai';
import type { Audio } from '../../extraction/audio.ts';
import { once } from '../../kernel/memoize.ts';
import { ownValue } from '../../kernel/own-value.ts';
import { textSegments } from '../../kernel/text-segments.ts';
import { type Endpoint, openAiClient, unusable, withFailures } from './client.ts';

/** Lines with their times; `language` is null if the provider returns no known one. */
type Transcription = {
  readonly language: string | null;
  readonly lines: readonly { text: string; startMs: number; durationMs: number | null }[];
};

/** Some models return text without times: `verbose_json` is requested until the endpoint refuses it. */
type ResponseFormat = 'verbose_json' | 'json';

/**
 * Speech recognition at any OpenAI-compatible endpoint. Throws a `ModelFailure` without the provider's message, or the
 * reason of the signal.
 */
export const openAiSpeech = (settings: Endpoint & { readonly model: string }) => {
  const client = openAiClient(settings);
  let format: ResponseFormat = 'verbose_json';

  const create = async ({ bytes, mediaType }: Audio, signal: AbortSignal): Promise<unknown> => {
    const file = await toFile(bytes, `audio.${ownValue(extensions, mediaType) ?? 'm4a'}`, { type: mediaType });
    for (;;) {
      try {
        const request = { model: settings.model, file, response_format: format };
        return await client.audio.transcriptions.create(request, { signal });
      } catch (error) {
        const isOfFormat =
          error instanceof BadRequestError &&
          /response_format|verbose_json/.test(`${error.param ?? ''} ${error.message}`);
        if (!isOfFormat || format === 'json') throw error;
        format = 'json';
      }
    }
  };

  return (audio: Audio, { signal }: { readonly signal: AbortSignal }): Promise<Transcription> =>
    withFailures(signal, async () => transcriptionOf(await create(audio, signal), audio));
};

const extensions: Readonly<Record<string, string>> = { 'audio/mp4': 'm4a', 'audio/webm': 'webm', 'audio/wav': 'wav' };

/** Validates every field: an endpoint may return an HTML page, or omit fields that the types declare. */
const transcriptionOf = (answer: unknown, audio: Audio): Transcription => {
  const { text, language, segments } = fieldsOf(answer);
  if (typeof text !== 'string') throw unusable('the transcription has no text', true);
  const lines = Array.isArray(segments) ? segments.map(lineOf) : [];
  return {
    language: typeof language === 'string' ? languageCode(language) : null,
    lines: lines.length > 0 ? lines : linesOf(text, audio.durationS),
  };
};

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const lineOf = (segment: unknown) => {
  const { text, start, end } = fieldsOf(segment);
  const isLine =
    typeof text === 'string' &&
    typeof start === 'number' &&
    typeof end === 'number' &&
    start >= 0 &&
    end >= start &&
    Number.isFinite(end);
  if (!isLine) throw unusable('a segment of the transcription has no times');
  return { text, startMs: start * 1_000, durationMs: (end - start) * 1_000 };
};

/** Estimated speed of speech in characters per second, if the duration is unknown. */
const lettersPerSecond = 15;

/** Times for a text without any: each sentence gets time in proportion to its length. */
const linesOf = (text: string, durationS: number | null): Transcription['lines'] => {
  const totalMs = (durationS ?? text.length / lettersPerSecond) * 1_000;
  const sentences = [...textSegments(text, new Intl.Segmenter('und', { granularity: 'sentence' }))];
  return sentences.map(({ segment, index }) => ({
    text: segment,
    startMs: (totalMs * index) / text.length,
    durationMs: (totalMs * segment.length) / text.length,
  }));
};

/** Endpoints return a code or, as OpenAI does, the English name of the language. */
const languageCode = (said: string): string | null => {
  const name = said.trim().toLowerCase();
  if (/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/.test(name)) return name;
  return codesByName().get(name) ?? null;
};

const codesByName = once((): ReadonlyMap<string, string> => {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
  const all = letters.flatMap((first) => letters.map((second) => first + second));
  return new Map(all.map((code) => [(names.of(code) ?? code).toLowerCase(), code]));
});
