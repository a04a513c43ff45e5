import { z } from 'zod';
import { isObject } from './json-rpc.ts';

type Json = Readonly<Record<string, unknown>>;

/** A JSON Schema of an object, as clients of the protocol understand it. */
export type ObjectSchema = Json & { readonly type: 'object'; readonly properties: Readonly<Record<string, Json>> };

/**
 * What a tool takes: no null, because leaving a member out says the same, and no member besides. Without the bounds of
 * texts: every model that uses the server has the schemas in its context, and a refusal says them.
 */
export const inputSchemaOf = (schema: z.ZodObject): ObjectSchema => ({
  ...schemaOf(schema, ({ minLength: _, maxLength: __, pattern: ___, ...node }) => {
    const { anyOf, ...rest } = node;
    if (!Array.isArray(anyOf)) return node;
    const others = anyOf.filter((one) => !isObject(one) || one['type'] !== 'null');
    return others.length === 1 && isObject(others[0]) ? { ...others[0], ...rest } : node;
  }),
  additionalProperties: false,
});

/**
 * What a tool always answers. A list of types is written as `anyOf`, which more clients read. Without descriptions and
 * choices: some clients put the schemas into the context of their models, and the names say enough.
 */
export const outputSchemaOf = (schema: z.ZodObject): ObjectSchema =>
  schemaOf(schema, ({ description: _, enum: __, const: ___, ...node }) => {
    const { type, properties, required, ...rest } = node;
    if (Array.isArray(type)) return { ...rest, anyOf: type.map((one: unknown) => ({ type: one })) };
    if (!isObject(properties) || !Array.isArray(required)) return node;
    const always = Object.entries(properties).filter(([name]) => required.includes(name));
    return { ...node, properties: Object.fromEntries(always) };
  });

const schemaOf = (schema: z.ZodObject, rewrite: (node: Json) => Json): ObjectSchema => {
  const { $schema: _, $defs: definitions, ...root } = z.toJSONSchema(schema, { io: 'input' });
  const known = isObject(definitions) ? definitions : {};
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (!isObject(value)) return value;
    const { $ref: reference, ...own } = value;
    const name = typeof reference === 'string' ? reference.replace('#/$defs/', '') : null;
    const target = name === null ? undefined : known[name];
    const node: Record<string, unknown> = { ...(isObject(target) ? target : {}), ...own };
    // The name of a schema, and not a property that is called so.
    if (typeof node['id'] === 'string') delete node['id'];
    // zod bounds every whole number by what JavaScript can count.
    if (node['maximum'] === Number.MAX_SAFE_INTEGER) delete node['maximum'];
    if (node['minimum'] === Number.MIN_SAFE_INTEGER) delete node['minimum'];
    const stated = Object.entries(node).filter(([, one]) => one !== undefined);
    const members = stated.map(([key, one]) => [key, inline(one)] as const);
    return rewrite(Object.fromEntries(members));
  };
  return inline(root) as ObjectSchema;
};
