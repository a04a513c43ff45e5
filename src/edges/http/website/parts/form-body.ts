import type { z } from 'zod';
import { fieldOf } from '../../../../contract/operation.ts';
import { fieldsOf, invalid } from '../../middleware/error-response.ts';
import { validationMessage } from '../../middleware/validation-messages.ts';

/** The fields of a form as an endpoint takes them, under its limits; throws INVALID_REQUEST. */
export const bodyOf = <Body extends z.ZodType>({ body }: { readonly body: Body }, fields: object): z.output<Body> => {
  const { data, error } = body.safeParse(fields, { error: validationMessage });
  if (error !== undefined) throw invalid(fieldsOf(error));
  return data;
};

/** The attributes by which a browser keeps the limits of a text that an endpoint takes. */
export const limitsOf = ({ shape }: z.ZodObject, name: string): { readonly maxlength?: number } => {
  const schema = shape[name];
  const field = schema === undefined ? undefined : fieldOf(name, schema as z.ZodType);
  return field?.kind === 'text' ? { maxlength: field.maxLength } : {};
};
