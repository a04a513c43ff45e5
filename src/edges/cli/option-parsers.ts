import { InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import { mostCredits } from '../../contract/caps.ts';
import { costTag } from '../../contract/charged.ts';
import { formatsWithWords } from '../../contract/formats.ts';
import { instant, languageList } from '../../contract/schemas.ts';
import { asrChoices, captionsKind } from '../../contract/transcripts.ts';
import { validationMessage } from '../../contract/validation-messages.ts';
import { invalidRequest, type Refusal } from '../../kernel/refusal.ts';

/** The refusal of an argument, an option or a line of stdin, by its name. */
export const invalidValue = (path: string, message: string): Refusal =>
  invalidRequest(message, { path, code: 'invalid_value' });

const sentence = (problem: string): string => `It ${problem}.`;

/** The parser of an option by a schema. `refusal`: how another text is refused, by the first problem with it. */
export const parserOf =
  <Value>(schema: z.ZodType<Value>, refusal: (problem: string) => string = sentence) =>
  (given: unknown): Value => {
    const { success, data, error } = schema.safeParse(given, { error: validationMessage });
    if (success) return data;
    throw new InvalidArgumentError(refusal(error.issues[0]?.message ?? ''));
  };

/** Stands for null as the value of an option: commander replaces a null by an empty text. */
const none = Symbol('none');

export type None = typeof none;

/** A parser that also takes `none`, for null. */
export const orNone =
  <Value>(parse: (text: string) => Value) =>
  (text: string): Value | None =>
    text === 'none' ? none : parse(text);

/** The value of an option whose parser takes `none`. */
export const optionValue = <Value>(given: Value | None): Value | null => (given === none ? null : given);

/** The parser of some of these names, with commas between. */
export const parserOfNames =
  <Name extends string>(names: readonly Name[], refusal: string) =>
  (text: string): readonly Name[] =>
    text.split(',').map((part) => {
      const found = names.find((name) => name === part.trim());
      if (found === undefined) throw new InvalidArgumentError(refusal);
      return found;
    });

type CountBounds = { readonly min?: number; readonly max?: number; readonly default?: number | undefined };

/** The parser of a whole number. */
export const parserOfCount =
  ({ min = 1, max }: CountBounds) =>
  (text: string): number => {
    const most = max ?? Number.MAX_SAFE_INTEGER;
    if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= most) return Number(text);
    const bounds = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`It must be a whole number ${bounds}.`);
  };

/** An option that takes a whole number. */
export const countOption = (flags: string, about: string, bounds: CountBounds = {}): Option =>
  new Option(flags, about).default(bounds.default).argParser(parserOfCount(bounds));

/** An option that takes some of these names, with commas between. */
export const listOption = (flags: string, names: readonly string[], about: string): Option =>
  new Option(flags, `${about} (of ${names.join(',')})`).argParser(
    parserOfNames(names, `It must be a comma-separated list of ${names.join(',')}.`),
  );

/** Whole credits of an option. */
export const parseCredits = parserOfCount({ max: mostCredits });

/** Whole credits that are given, or below 0 taken. */
export const parseCorrection = (text: string): number => {
  const credits = /^-?\d+$/.test(text) ? Number(text) : 0;
  if (credits !== 0 && Math.abs(credits) <= mostCredits) return credits;
  throw new InvalidArgumentError(`It must be a whole number from -${mostCredits} to ${mostCredits}, other than 0.`);
};

/** A time with its offset (RFC 3339), in UTC. */
export const parseTime = parserOf(instant);

/** `--lang`. */
export const languageOption = (): Option =>
  new Option('-l, --lang <languages>', 'the first available of these (BCP 47), such as de,en').argParser(
    parserOf(languageList),
  );

/** `--captions`. */
export const captionsOption = (): Option =>
  new Option('--captions <kind>', 'written by people, made by the platform, or either').choices(captionsKind.options);

/** `--asr`, which alone means `auto`. */
export const asrOption = (): Option =>
  new Option('--asr [when]', 'recognize speech if there are no captions (force: always); costs more')
    .choices(asrChoices.options)
    .preset('auto');

/** `--words`. */
export const wordsOption = (): Option =>
  new Option('--words', `when each word is said, in ${formatsWithWords.join(' and ')}`);

/** `--cost-tag`, of requests without a body. */
export const costTagOption = (): Option =>
  new Option('--cost-tag <tag>', 'to what the cost is assigned, in the ledger and in usage').argParser(
    parserOf(costTag),
  );

/** `--keep` and `--no-keep`. */
export const keepOptions = (): Option[] => [
  new Option('--keep', 'keep it in the library of the account'),
  new Option('--no-keep', 'do not keep it, even if the account keeps by default'),
];

/** The arguments with a value for each `--asr` that has none: it would take the next argument for one. */
export const withBareAsr = (args: readonly string[]): string[] => {
  const values: readonly string[] = asrChoices.options;
  const end = args.indexOf('--');
  return args.map((arg, index) => {
    const isBare = arg === '--asr' && (end < 0 || index < end) && !values.includes(args[index + 1] ?? '');
    return isBare ? '--asr=auto' : arg;
  });
};
