import type { z } from 'zod';
import { fieldOf } from '../../../../contract/operation.ts';
import type { WrongField } from '../../../../kernel/refusal.ts';
import { fieldsOf, invalid } from '../../middleware/error-response.ts';
import { validationMessage } from '../../middleware/validation-messages.ts';

/** The fields of a form as an endpoint takes them, under its limits; throws INVALID_REQUEST. */
export const bodyOf = <Body extends z.ZodType>({ body }: { readonly body: Body }, fields: object): z.output<Body> => {
  const { data, error } = body.safeParse(fields, { error: validationMessage });
  if (error !== undefined) throw invalid(fieldsOf(error).map((field) => ({ ...field, ...limitIn(error, field) })));
  return data;
};

/** A field of a form that a body refuses: what must be there (`number`, `string`, `array`), and the bound that it is beyond. */
export type WrongValue = WrongField & { readonly origin?: string; readonly limit?: number };

const limitIn = ({ issues }: z.ZodError, { path, code }: WrongField): Pick<WrongValue, 'origin' | 'limit'> => {
  const issue = issues.find((one) => one.code === code && one.path.join('.') === path);
  if (issue?.code === 'too_small') return { origin: issue.origin, limit: Number(issue.minimum) };
  if (issue?.code === 'too_big') return { origin: issue.origin, limit: Number(issue.maximum) };
  return issue?.code === 'invalid_type' ? { origin: issue.expected } : {};
};

/** The attributes by which a browser keeps the limits of a text that an endpoint takes. */
export const limitsOf = ({ shape }: z.ZodObject, name: string): { readonly maxlength?: number } => {
  const schema = shape[name];
  const field = schema === undefined ? undefined : fieldOf(name, schema as z.ZodType);
  return field?.kind === 'text' ? { maxlength: field.maxLength } : {};
};
