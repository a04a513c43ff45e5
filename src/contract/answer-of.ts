import type { z } from 'zod';

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

/** A value whose members, at any depth, are only read. */
export type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Immutable<Value[Name]> }
    : Value;

/** The view that gives every member of the answer of a schema. */
export type ViewOf<Schema extends z.ZodObject> = {
  readonly [Name in keyof z.input<Schema> & string as Camel<Name>]: Immutable<z.input<Schema>[Name]>;
};

/** Members of an answer that the view has under their camelCase names, with values that fit. */
type Same<Answer, View> = {
  [Name in keyof Answer & string]: Camel<Name> extends keyof View
    ? View[Camel<Name>] extends Immutable<Answer[Name]>
      ? Name
      : never
    : never;
}[keyof Answer & string];

/** The members that the view does not give; they may also stand in for those that it gives. */
type Own<Answer, View> = Immutable<Omit<Answer, Same<Answer, View>> & Partial<Answer>>;

/**
 * Makes the answer of a schema from a view: each member is the one of the view that has its name in camelCase, unless
 * `own` gives it. What a view lacks or has in another type must be given, or it does not compile; what the schema does not
 * name stays inside. Members stand in the order of the schema.
 */
export const answerOf = <Schema extends z.ZodObject>(schema: Schema) => {
  type Answer = z.input<Schema>;
  const names = Object.keys(schema.shape).map(
    (name) => [name, name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())] as const,
  );
  return <View extends object>(
    view: View,
    ...[given]: object extends Own<Answer, View> ? [own?: Own<Answer, View>] : [own: Own<Answer, View>]
  ): Answer => {
    const answer: Record<string, unknown> = {};
    for (const [name, viewed] of names) answer[name] = (view as Readonly<Record<string, unknown>>)[viewed];
    return Object.assign(answer, given) as Answer;
  };
};
