import { z } from 'zod';
import type { Immutable } from './answer-of.ts';
import { languageName } from './language-names.ts';
import { translationLanguages } from './languages.ts';
import { named } from './schemas.ts';

/** One moment of the video, as every face shows it. Seconds. */
export type Place = {
  readonly start: number;
  /** Where it ends; absent: it is shown as a moment. */
  readonly until?: number;
  readonly title?: string;
  readonly text?: string;
  /** Why it was chosen. */
  readonly note?: string;
};

/** The parts of a result that people are shown, on pages and by the command line. */
export type ResultView = {
  readonly text?: string;
  /** The text is copied as a whole, and keeps its lines. */
  readonly isDocument?: boolean;
  /** The text says what the video does not hold. */
  readonly isNegative?: boolean;
  readonly places?: readonly Place[];
  /** The places as lines of captions, which are a file of subtitles too. Seconds. */
  readonly captions?: readonly { readonly text: string; readonly start: number; readonly duration: number }[];
};

/** Whole credits: of the result of a model, of the extractive one, and of what the author of the video wrote, where that is a result. */
export type OperationCredits = { readonly model: number; readonly extract: number; readonly author?: number };

type OperationDeclaration<
  Name extends string,
  Input extends z.ZodRawShape,
  Result extends z.ZodRawShape,
  Echo extends keyof Input,
> = {
  /** `operationId`, path below `/v1`, tool, verb, and kind of usage. */
  readonly name: Name;
  readonly credits: OperationCredits;
  /** An imperative sentence without its full stop. */
  readonly summary: string;
  readonly description?: string;
  /** What it takes besides the video and the language of its captions. */
  readonly input: Input;
  readonly result: z.ZodObject<Result>;
  /** Members of the input that the answer repeats. */
  readonly echoes?: readonly Echo[];
  /** What a caller gets; `schema`: the name among the schemas of the reference, else the name of the operation. */
  readonly answer: { readonly description: string; readonly schema?: string };
  /** Whether this input needs a model; absent: every input does. */
  readonly needsModel?: (input: z.output<z.ZodObject<Input>>) => boolean;
  /** What is given in place of its result without a model, where that is no extract. */
  readonly substitute?: string;
  /** False: it is complete without a model, and the answer does not say which one made it. */
  readonly hasFallback?: boolean;
  /** What agents are told. */
  readonly tool: { readonly title: string; readonly description: string };
  /** Agents get a long result in pages of its `segments`. */
  readonly isPaged?: boolean;
  /** The last part of the address of its page; absent: the name. */
  readonly page?: string;
  readonly shown: (result: z.output<z.ZodObject<Result>>) => ResultView;
};

/** What every answer says of the model, where a model can make it. */
export const madeBy = {
  model: z.string().nullable().describe('The model that made it; null: none did.'),
  fallback: z.boolean().describe('true: an extract of the captions, made without a model.'),
};

/** Of an answer that is not what was asked for. */
export const unavailable = {
  code: z.literal('FEATURE_UNAVAILABLE').optional().describe('Present only if the result is not what was requested.'),
  message: z.string().optional().describe('What differs from the request.'),
};

const videoId = z.string().describe('Id of the video.');

/** Declares an operation on a transcript. Every face is made of the declaration. */
export const operation = <
  const Name extends string,
  Input extends z.ZodRawShape,
  Result extends z.ZodRawShape,
  const Echo extends keyof Input = never,
>(
  declared: OperationDeclaration<Name, Input, Result, Echo>,
) => {
  const { name, answer, echoes = [], hasFallback = true } = declared;
  const echoed = Object.fromEntries(echoes.map((member) => [member, asAnswered(declared.input[member])]));
  return {
    ...declared,
    hasFallback,
    page: declared.page ?? name,
    /** The whole answer, by itself and in a job. */
    answerSchema: named(answer.schema ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`, {
      video_id: videoId.describe('Id of the video.'),
      ...(echoed as Pick<Input, Echo>),
      ...declared.result.shape,
      ...(hasFallback ? madeBy : {}),
      // An extract is in the language of the captions.
      ...('output_lang' in declared.input ? unavailable : {}),
    }),
  };
};

/** A member of the input as an answer repeats it: always there, and whatever was accepted. */
const asAnswered = (schema: unknown): unknown => {
  const inner = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  const meta = schema instanceof z.ZodType ? schema.meta() : {};
  if (inner instanceof z.ZodString) return z.string().meta({ ...meta });
  return inner instanceof z.ZodType ? inner.meta({ ...meta }) : inner;
};

/** Any operation, for code that knows none by its name. */
export type AnyOperation = Omit<
  OperationDeclaration<string, z.ZodRawShape, z.ZodRawShape, string>,
  'echoes' | 'needsModel' | 'hasFallback' | 'page' | 'shown'
> & {
  readonly answerSchema: z.ZodObject;
  readonly echoes?: readonly PropertyKey[];
  readonly needsModel?: (input: never) => boolean;
  readonly hasFallback: boolean;
  readonly page: string;
  readonly shown: (result: never) => ResultView;
};

/** What an operation takes besides the video. */
export type InputOf<Of extends Pick<AnyOperation, 'input'>> = keyof Of['input'] extends never
  ? object
  : z.output<z.ZodObject<Of['input']>>;

/** What an operation makes, as the API answers it. */
export type ResultOf<Of extends Pick<AnyOperation, 'result'>> = Immutable<z.output<Of['result']>>;

/** The language of an answer; left out: that of the captions. */
export const outputLanguage = z
  .string()
  .max(35)
  .refine((code) => languageName(code) !== null, { error: 'must be a language code such as en, es or pt-BR' })
  .nullable()
  .optional()
  .describe('Language of the answer; default: that of the captions.');

/** Seconds from the beginning of the video. */
export const seconds = z.number().describe('Seconds from the beginning of the video.');

/** Seconds at which a passage ends. */
export const endSeconds = z.number().describe('End, in seconds from the beginning of the video.');

/** A moment as people read it. */
export const moment = z.string().describe('mm:ss, from one hour on h:mm:ss');

/** Words of the captions. */
export const verbatim = z.string().describe('Verbatim from the captions.');

/** The language of a translation. */
export const targetLanguage = z.enum(translationLanguages).describe('Language code of the translation.');

/** How a form or a command line asks for a member of the input. */
export type InputField = { readonly name: string; readonly description: string; readonly isRequired: boolean } & (
  | { readonly kind: 'text'; readonly maxLength: number }
  | { readonly kind: 'choice'; readonly options: readonly string[]; readonly fallback: string }
  | { readonly kind: 'language' }
  | { readonly kind: 'count'; readonly min: number; readonly max: number; readonly fallback?: number | undefined }
);

/** The members of the input of an operation, for forms and command lines. */
export const fieldsOf = ({ input }: Pick<AnyOperation, 'input'>): readonly InputField[] =>
  Object.entries(input).map(([name, schema]) => fieldOf(name, schema as z.ZodType));

/** How a form or a command line asks for a member of a query or a body. */
export const fieldOf = (name: string, schema: z.ZodType): InputField => {
  const isRequired = !schema.safeParse(undefined).success;
  const about = { name, isRequired, description: schema.meta()?.description ?? '' };
  if (schema === outputLanguage || schema === targetLanguage) return { ...about, kind: 'language' };
  const inner = unwrapped(schema);
  const whole = wholeNumber.safeParse(schema.meta()?.['openapi']).data;
  if (whole !== undefined) {
    return { ...about, kind: 'count', min: whole.minimum, max: whole.maximum, fallback: whole.default };
  }
  if (inner instanceof z.ZodEnum) {
    const fallback = String(schema.safeParse(undefined).data ?? '');
    return { ...about, kind: 'choice', options: inner.options.map(String), fallback };
  }
  if (inner instanceof z.ZodNumber) {
    const { minValue, maxValue } = inner;
    const fallback = z.number().safeParse(schema.safeParse(undefined).data).data;
    return { ...about, kind: 'count', min: minValue ?? 0, max: maxValue ?? Number.MAX_SAFE_INTEGER, fallback };
  }
  const maxLength = inner instanceof z.ZodString ? (inner.maxLength ?? longestText) : longestText;
  return { ...about, kind: 'text', maxLength };
};

/** A schema without its default, and without that it may be null or left out. */
export const unwrapped = (schema: unknown): unknown =>
  schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap())
    : schema;

const longestText = 2_048;

/** A number of a query, whose schema parses a text. */
const wholeNumber = z.object({
  type: z.literal('integer'),
  minimum: z.int(),
  maximum: z.int(),
  default: z.int().optional(),
});
