import type { z } from 'zod';
import { fieldOf } from '../../../../contract/operation.ts';
import { validationMessage } from '../../../../contract/validation-messages.ts';
import type { WrongField } from '../../../../kernel/refusal.ts';
import { fieldsOf, invalid } from '../../middleware/error-response.ts';

/** The fields of a form as an endpoint takes them, under its limits; throws INVALID_REQUEST. */
export const bodyOf = <Body extends z.ZodType>({ body }: { readonly body: Body }, fields: object): z.output<Body> => {
  const { data, error } = body.safeParse(fields, { error: validationMessage });
  if (error !== undefined) throw invalid(fieldsOf(error).map((field) => ({ ...field, ...limitIn(error, field) })));
  return data;
};

/** A field of a form that a body refuses: what must be there (`number`, `string`, `array`), and the bound that it is beyond. */
export type WrongValue = WrongField & { readonly origin?: string; readonly limit?: number };

/** Of a number beyond the safe integers, zod reports first that bound and then the one of the field. */
const limitIn = ({ issues }: z.ZodError, { path, code }: WrongField): Pick<WrongValue, 'origin' | 'limit'> => {
  const issue = issues.findLast((one) => one.code === code && one.path.join('.') === path);
  if (issue?.code === 'too_small') return { origin: issue.origin, limit: Number(issue.minimum) };
  if (issue?.code === 'too_big') return { origin: issue.origin, limit: Number(issue.maximum) };
  return issue?.code === 'invalid_type' ? { origin: issue.expected } : {};
};

/** A text as a number if it is a whole one in decimal digits; any other text stays, and a schema of numbers refuses it. */
export const numberOf = (text: string): number | string => (/^-?\d+$/.test(text) ? Number(text) : text);

/** The same of a field of a form; null: it is empty. */
export const numberIn = (form: URLSearchParams, name: string): number | string | null => {
  const text = (form.get(name) ?? '').trim();
  return text === '' ? null : numberOf(text);
};

type InputLimits =
  | { readonly maxlength?: number }
  | { readonly type: 'number'; readonly min: number; readonly max: number };

/** The attributes by which a browser keeps the limits of a text or a number that an endpoint takes. */
export const limitsOf = ({ shape }: z.ZodObject, name: string): InputLimits => {
  const schema = shape[name];
  const field = schema === undefined ? undefined : fieldOf(name, schema as z.ZodType);
  if (field?.kind === 'count') return { type: 'number', min: field.min, max: field.max };
  return field?.kind === 'text' ? { maxlength: field.maxLength } : {};
};
