import { passwordLength } from '../../../contract/account.ts';
import { ownValue } from '../../../kernel/own-value.ts';
import type { Refusal, RefusalDetails } from '../../../kernel/refusal.ts';
import type { Failure } from '../middleware/error-response.ts';
import type { WrongValue } from './parts/form-body.ts';
import { fill, labelIn, number, type Words } from './words.ts';

/** Wrong fields, by path and code, that are described by the text of another one. */
const sameWords: Readonly<Record<string, keyof Words['refusals']['fields']>> = {
  'url.bad_sign': 'url.malformed',
  'url.http_not_allowed': 'url.bad_scheme',
  'output_lang.custom': 'lang.custom',
  // Fields of forms are texts: one that a body lacks was left empty.
  'string.invalid_type': 'string.too_small',
};

/**
 * What is wrong with one field; a new value is named like the value. `details` holds the limits that texts name. The
 * catalogue names texts by the kind of value that must be there, or else by the field, and by what is wrong with it.
 */
const fieldText = (words: Words, { path, code, origin, limit }: WrongValue, details: RefusalDetails): string => {
  const { refusals, language } = words;
  const name = path.replace(/^new_/, '');
  const textOf = (about: string) =>
    labelIn(refusals.fields, ownValue(sameWords, `${about}.${code}`) ?? `${about}.${code}`);
  const ofValue = origin === undefined ? undefined : textOf(origin === 'int' ? 'number' : origin);
  const text = ofValue ?? textOf(name);
  if (text === undefined && path === 'body') return refusals.codes.INVALID_REQUEST;
  const limits = numbersIn(language, { ...passwordLength, ...details, ...(limit === undefined ? {} : { limit }) });
  return fill(text ?? refusals.fields.unknown, { ...limits, field: labelOf(words, name) });
};

/** What a page calls a field, or the list that it is in; its name where no page has it. */
const labelOf = ({ tabs, auth, keys, follows, grants, usage, webhooks, transcript }: Words, path: string): string => {
  const [name = path] = path.split('.');
  const labels: Readonly<Record<string, string>> = {
    ...{ name: auth.name, email: auth.email, password: auth.password },
    ...{ cap_credits: keys.cap, cap_period: keys.capWindow, warn_at: keys.warnAt },
    ...{ scopes: keys.scopes, expires_at: keys.expires },
    ...{ source: follows.source, max_credits_per_period: follows.budget, backfill: follows.backfill },
    ...{ url: webhooks.url, events: webhooks.events, description: webhooks.description },
    ...{ lang: transcript.languages, captions: transcript.captions, words: transcript.words },
    ...{ ask_above_credits: grants.askAbove, days: usage.choose },
  };
  return ownValue<{ readonly label: string }>(tabs.fields, name)?.label ?? ownValue(labels, name) ?? path;
};

const numbersIn = (language: string, details: RefusalDetails): Record<string, string> =>
  Object.fromEntries(
    Object.entries(details).flatMap(([name, value]) =>
      typeof value === 'number' ? [[name, number(language, value)]] : [],
    ),
  );

/** The fields that a refusal names. */
const fieldsOf = (details: RefusalDetails | null): readonly WrongValue[] => {
  const named = details?.['fields'];
  return Array.isArray(named) ? named : [];
};

/** What happened, in the language of the page: by the reason or the field that the refusal names, else by its code. */
export const refusalText = (words: Words, { code, details }: Pick<Failure, 'code' | 'details'>): string => {
  const { refusals, errors, language } = words;
  if (code === 'INTERNAL_ERROR') return errors.fault;
  const [field] = fieldsOf(details);
  if (code === 'INVALID_REQUEST' && field !== undefined) return fieldText(words, field, details ?? {});
  const reasons: Readonly<Record<string, string>> = refusals.reasons;
  const text = ownValue(reasons, String(details?.['reason'])) ?? refusals.codes[code];
  return fill(text, numbersIn(language, details ?? {}));
};

const units = [
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** When to try again, as the language says it: in 5 minutes. */
export const tryAgain = ({ refusals, language }: Words, afterS: number): string => {
  const [unit, seconds] = units.find(([, length]) => afterS >= 2 * length) ?? units[2];
  const when = new Intl.RelativeTimeFormat(language).format(Math.ceil(afterS / seconds), unit);
  return fill(refusals.tryAgain, { when });
};

/** What a form says of a refusal: what happened, and when to try again where waiting helps. */
export const toldIn = (words: Words, refusal: Refusal): string => {
  const { retryAfterS } = refusal;
  const text = refusalText(words, refusal);
  return retryAfterS === null ? text : `${text} ${tryAgain(words, retryAfterS)}`;
};

/** What a form shows of its refusal: what happened, and what is wrong with each field by its name. */
export type FormRefusal = { readonly message: string; readonly fields: Readonly<Record<string, string>> };

/** A refusal with the text of each field that it names. */
export const formRefusal = (words: Words, refusal: Refusal): FormRefusal => {
  const message = toldIn(words, refusal);
  const { code, details } = refusal;
  if (code === 'CAPTCHA_FAILED') return { message, fields: { captcha_answer: message } };
  const texts = fieldsOf(details).map((field) => [field.path, fieldText(words, field, details ?? {})]);
  return { message, fields: Object.fromEntries(texts) };
};
