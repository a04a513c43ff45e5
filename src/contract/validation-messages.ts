import type { z } from 'zod';
import { ownValue } from '../kernel/own-value.ts';

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
  record: 'a JSON object',
};

const formats: Readonly<Record<string, string>> = {
  email: 'a mail address',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
  date: 'a day such as 2026-01-31',
  uuid: 'a UUID',
  url: 'an absolute URL',
};

const counted: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

/**
 * The message for an invalid value: it says what to send and never repeats the value. Undefined: the message of the
 * schema, or of the schema library.
 */
export const validationMessage = (issue: z.core.$ZodRawIssue): string | undefined => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'it must be given';
      return `must be ${ownValue(kinds, issue.expected) ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map(String))}`;
    case 'invalid_format': {
      const format = ownValue(formats, issue.format);
      return format === undefined ? undefined : `must be ${format}`;
    }
    case 'too_small':
      return `must ${amount('at least', Number(issue.minimum), issue.origin)}`;
    case 'too_big':
      return `must ${amount('at most', Number(issue.maximum), issue.origin)}`;
    case 'invalid_union':
      // Of a member that decides which of several shapes an object has.
      return Array.isArray(issue['options']) ? `must be ${oneOf(issue['options'].map(String))}` : undefined;
    case 'unrecognized_keys':
      return 'there is no such field';
    default:
      return undefined;
  }
};

const oneOf = (values: readonly string[]): string =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values[values.length - 1]}`;

const amount = (bound: 'at least' | 'at most', count: number, origin: string): string => {
  const words = ownValue(counted, origin);
  if (words === undefined) return `be ${bound} ${count}`;
  return `have ${bound} ${count} ${count === 1 ? words[0] : words[1]}`;
};
