import { z } from 'zod';
import { languageName } from './language-names.ts';

/** The schema of an object that the reference shows under this name. */
export const named = <Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) => z.object(shape).meta({ id });

/** The schema of an object with a description. */
export const described = <Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) =>
  z.object(shape).describe(description);

/** The schema of a list of objects. */
export const rows = <Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) =>
  z.array(z.object(shape)).describe(description);

/** Shown in place of a pattern, which generators of clients read differently. */
export const lengths = (minLength: number, maxLength: number) => ({ minLength, maxLength });

/** For `refine`: text that is stored or looked up. Postgres cannot store NUL in text. */
export const storable = [
  (text: string): boolean => !text.includes('\0'),
  { error: 'must not contain a NUL character' },
] as const;

/** An id in a path. */
export const idParameter = (description: string) =>
  z
    .string()
    .min(1)
    .max(128)
    .refine(...storable)
    .meta({ description });

/** The path of one entry of a list. */
export const listedId = z.object({
  id: z
    .string()
    .max(64)
    .refine(...storable)
    .describe('Id, as the list shows it.'),
});

const firstMoment = Date.parse('0001-01-01T00:00:00.000Z');
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

/** For `refine`: a date or time whose UTC year has four digits and is not 0, as RFC 3339 and Postgres both write it. */
export const representable = [
  (text: string): boolean => Date.parse(text) >= firstMoment && Date.parse(text) <= lastMoment,
  { error: 'must be a year from 1 to 9999' },
] as const;

/* `openapi` of a parameter: its type in the reference, where its schema parses a text. */

/** A boolean in a query: `true`, `false`, `1` or `0`; anything else is refused. */
const trueOrFalse = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], error: 'must be true or false' });

/** A boolean in a query that is false when it is left out. */
export const booleanParameter = (description: string) =>
  trueOrFalse.default(false).meta({ description, openapi: { type: 'boolean', default: false } });

/** The same of a parameter that means something else when it is left out. */
export const optionalBoolean = (description: string) =>
  trueOrFalse.optional().meta({ description, openapi: { type: 'boolean' } });

/** A whole number in a query, refused outside its bounds and never clamped. */
export const integerParameter = (
  description: string,
  { min = 1, max, default: fallback }: { readonly default: number; readonly max: number; readonly min?: number },
) =>
  wholeNumber(max, min)
    .default(fallback)
    .meta({ description, openapi: { type: 'integer', minimum: min, maximum: max, default: fallback } });

/** The same of a parameter that means something else when it is left out. */
export const optionalInteger = (description: string, { max }: { readonly max: number }) =>
  wholeNumber(max)
    .optional()
    .meta({ description, openapi: { type: 'integer', minimum: 1, maximum: max } });

const wholeNumber = (max: number, min = 1) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^[0-9]{1,9}$/, { error })
    .transform(Number)
    .pipe(z.int().min(min, { error }).max(max, { error }));
};

/** The same of a parameter that must be given. */
export const requiredInteger = (description: string, { max }: { readonly max: number }) =>
  wholeNumber(max).meta({ description, openapi: { type: 'integer', minimum: 1, maximum: max } });

/** What a request id looks like, the caller's own as well. */
export const requestIdForm = /^[A-Za-z0-9._-]{1,64}$/;

/** A position of the log, as a text. `error`: what another text must be. */
export const positionText = (error: string) =>
  z
    .string()
    .regex(/^[0-9]{1,18}$/, { error })
    .meta(lengths(1, 18));

/** The position of the log that a page of a list goes on from. */
export const beforePosition = positionText('must be a position')
  .optional()
  .describe('`next_before` of the previous page.');

/** The members of a query for one page of a list, newest first; `what` is listed. */
export const pageOf = (what: string) => ({
  limit: integerParameter(`${what} per page.`, { default: 50, max: 100 }),
  before: beforePosition,
});

const notATag = 'must be a language code such as en or pt-BR';

/**
 * A BCP 47 tag, as far as captions use them (`de`, `pt-BR`, `zh-Hans`, `es-419`), and the longer codes of named tracks
 * (`en-eEY6OEpapPo`): whatever is listed as available can be asked for.
 */
export const languageTag = z
  .string()
  .max(64)
  .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9_-]+)?$/, { error: notATag })
  .meta({ description: 'Language code (BCP 47). Another language is never substituted.', minLength: 2 });

/** Languages of one list, at most. */
const maxLanguages = 10;

/** What is wrong with a list of languages; null: nothing. */
const wrongWith = (text: string): string | null => {
  const members = text.split(',').map((member) => member.trim());
  if (members.length === 1) return languageTag.safeParse(text).success ? null : notATag;
  if (members.length > maxLanguages) return `must have at most ${maxLanguages} languages`;
  if (members.includes('')) return 'must be language codes separated by single commas, such as de,en';
  const names = members.map((member) => member.toLowerCase().replaceAll('_', '-'));
  const twice = members.find((_, index) => names.indexOf(names[index] ?? '') < index);
  if (twice !== undefined) return `names ${shownText(twice)} twice`;
  const unknown = members.find((member) => !isLanguage(member));
  return unknown === undefined ? null : `there is no language ${shownText(unknown)}`;
};

const isLanguage = (code: string): boolean =>
  languageTag.safeParse(code).success && languageName(code.split(/[-_]/)[0] ?? '') !== null;

/** A member as a message names it: short, and without what a terminal acts on. */
const shownText = (member: string): string => JSON.stringify(member.slice(0, 64).replace(/\p{C}/gu, ''));

/** The description of `languageList`. */
const aboutLanguages = `Language code (BCP 47), or up to ${maxLanguages} separated by commas: the first available one is read. Another language is never substituted.`;

const languagesUnless = (isRight: (text: string) => boolean) =>
  z
    .string()
    .max(650)
    .superRefine((text, context) => {
      const message = isRight(text) ? null : wrongWith(text);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .overwrite((text) => text.replaceAll(/\s*,\s*/g, ',').trim());

/** A language tag, or several with commas between, of which the first that there is counts. */
export const languageList = languagesUnless(() => false).describe(aboutLanguages);

/** The same, or nothing. */
export const languageListOrNone = languagesUnless((text) => text === '').describe(aboutLanguages);

/** A line that is shown as it was given, in pages, lists and mails: without control characters. */
export const shownLine = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, { error: 'must not have control characters' });

/** What people call themselves and their things. */
export const shownName = shownLine(100);

/** Characters of a link, or of what may be given in place of one, at most. */
export const longestLink = 2_048;

const anyText = z.string().max(longestLink);

/** A video id or any link to the video. */
export const videoReference = anyText
  .min(1)
  .describe('Video id, or a full link to the video (percent-encoded in a path).');

/** The same in a list; an invalid entry fails alone. */
export const anyReference = anyText.describe('Video id, or a full link to the video.');

export const timestamp = z.iso.datetime();

/** A whole number that is not negative. */
export const count = z.int().min(0);

/** An address in an answer. */
export const link = z.string().meta({ format: 'uri' });

/** One caption of a result. */
export const segment = named('Segment', {
  text: z.string().describe('The words.'),
  start: z.number().describe('Seconds from the beginning of the video.'),
  duration: z.number().describe('Seconds.'),
});

/** Members of answers that mean the same wherever they stand. */
export const member = {
  id: z.string().describe('Its id.'),
  jobId: z.string().describe('Id of the job.'),
  videoId: z.string().describe('Id of the video.'),
  title: z.string().nullable().describe('Title.'),
  name: z.string().describe('Name.'),
  type: z.string().describe('What kind it is.'),
  url: link.describe('Its address.'),
  channel: z.string().nullable().describe('Name of the channel that published the video.'),
  channelId: z.string().nullable().describe('Id of the channel on the platform.'),
  language: z.string().nullable().describe('Language code (BCP 47).'),
  duration: count.nullable().describe('Seconds.'),
  createdAt: timestamp.describe('When it was created, RFC 3339 in UTC.'),
  updatedAt: timestamp.describe('When it last changed, RFC 3339 in UTC.'),
  nextBefore: z.string().nullable().describe('Send it as `before` for the next page; null: this was the last.'),
  errorCode: z.string().nullable().describe('Why it failed, as in an error; null if it did not.'),
  errorMessage: z.string().nullable().describe('The same in a sentence for people.'),
  errorDetails: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('The `details` that the same refusal has as an error.'),
  creditsCharged: count.describe('Credits charged for it; 0 if it failed.'),
  chargeId: z.string().nullable().describe('Id of the ledger entry of the charge; null: nothing was charged.'),
  totalItems: count.describe('Items of the job; 0 while its listing is read.'),
  completedItems: count.describe('Completed items.'),
  failedItems: count.describe('Items that failed.'),
  requests: count.describe('Requests, and items of jobs.'),
  ip: z.string().describe('Client address.'),
  userAgent: z.string().nullable().describe('User agent; null: not sent.'),
};

/** The answers of an endpoint that only answers 200, with an object of this name. */
export const answer200 = <Shape extends z.core.$ZodLooseShape>(description: string, id: string, shape: Shape) => ({
  200: { description, schema: named(id, shape) },
});

/** The answers of a list in pages, whose query has the members of `pageOf`. */
export const onePage = <Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) =>
  answer200('One page.', id, { ...shape, next_before: member.nextBefore });

/** One caption track of a video. */
export const trackSchema = named('CaptionTrack', {
  language: z.string().describe('Language code (BCP 47).'),
  name: member.name,
  kind: z
    .enum(['manual', 'automatic', 'translated', 'recognized'])
    .describe(
      'manual: by hand; automatic: speech recognition; translated: by the platform; recognized: speech recognition of this service.',
    ),
  translatable: z.boolean().describe('Whether the platform translates it.'),
});

/** For refusals: that there is nothing of a name that a caller sent, where it is one. */
const unknownName = (given: unknown): string =>
  typeof given === 'string' && /^[\w.-]{1,40}$/.test(given) ? `: there is no "${given}"` : '';

/** Some of a few names, as a list. One that does not exist is named in the refusal. */
export const listOf = <const Name extends string>(names: readonly [Name, ...Name[]]) =>
  z
    .array(z.enum(names, { error: ({ input }) => `must be one of ${names.join(', ')}${unknownName(input)}` }))
    .max(20)
    .transform((given) => [...new Set(given)]);

/** The same in a query, with commas between. */
export const listParameter = <const Name extends string>(names: readonly [Name, ...Name[]], description: string) =>
  z
    .string()
    .max(200)
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(listOf(names))
    .default([])
    .meta({ description, openapi: { type: 'string', enum: [...names] } });

/** One caption of a transcript, with its words where they were asked for. */
export const transcriptSegment = segment
  .extend({
    words: z
      .array(
        named('Word', {
          text: z.string().describe('One word.'),
          start: z.number().describe('Start, in seconds from the beginning of the video.'),
        }),
      )
      .nullable()
      .optional()
      .describe(
        "Present only with `words=true`: the words of automatic captions with the platform's timings. Null: no timings, as for captions written by people.",
      ),
  })
  .meta({ id: 'TranscriptSegment' });

/** A time in a request, RFC 3339 with any offset; in UTC with milliseconds, as times are stored. */
export const instant = z.iso
  .datetime({ offset: true, abort: true, error: 'must be a time with its offset, such as 2027-01-31T00:00:00Z' })
  .refine(...representable)
  .transform((time) => new Date(time).toISOString());

/** A time of the past. */
export const asOf = instant.optional().describe('The state at this time; omitted: now. It must not be in the future.');
