import { Option } from 'commander';
import { z } from 'zod';
import { costTagBody } from '../../contract/charged.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { fieldOf, type InputField, unwrapped } from '../../contract/operation.ts';
import { languageList, languageListOrNone } from '../../contract/schemas.ts';
import {
  asrOption,
  captionsOption,
  costTagOption,
  countOption,
  keepOptions,
  languageOption,
  listOption,
  orNone,
  parseTime,
  wordsOption,
} from './option-parsers.ts';
import type { ServerRequest } from './server-client.ts';
import { thenOption } from './then-option.ts';

/** What a success of an endpoint answers: one of the schemas of its statuses; null where it has no content. */
export type AnswerOf<E extends Endpoint> = {
  [Status in keyof E['answers']]: E['answers'][Status] extends { readonly schema: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : null;
}[keyof E['answers']];

/** The schema of `AnswerOf`. */
export const answerSchemaOf = <E extends Endpoint>({ answers }: E): z.ZodType<AnswerOf<E>> => {
  const [first = z.null(), ...others] = Object.values(answers).flatMap(({ schema }) => schema ?? []);
  const schema = others.length === 0 ? first : z.union([first, ...others]);
  return schema as z.ZodType<AnswerOf<E>>;
};

/** The members of the query or the body of an endpoint. */
export const membersOf = ({ query, body }: Endpoint): Readonly<Record<string, z.ZodType>> => ({
  ...(query?.shape ?? {}),
  ...(body instanceof z.ZodObject ? body.shape : {}),
});

type Members = Readonly<Record<string, unknown>>;

/** A request to an endpoint: `args` fill its path in order, `members` its query or body. A GET that is charged is named. */
export const requestTo = (
  { method, path, body, isBodyOptional, isIdempotent }: Endpoint,
  args: readonly string[] = [],
  members: Members = {},
): ServerRequest => {
  const values = args.values();
  const filled = path.replace(/:\w+/g, () => encodeURIComponent(values.next().value ?? ''));
  const isGiven = isBodyOptional !== true || Object.values(members).some((value) => value !== undefined);
  return {
    ...{ method, path: filled },
    ...(method === 'GET' ? { query: members as NonNullable<ServerRequest['query']> } : {}),
    ...(body !== undefined && isGiven ? { body: members } : {}),
    ...(method === 'GET' && isIdempotent === true ? { isCharged: true } : {}),
  };
};

/** A sentence of the contract as the help shows it. */
export const helpOf = (sentence: string): string =>
  `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`.replace(/\.$/, '').replaceAll('`', '');

/** The arguments of a verb: the parameters of the path. */
export const argumentsOf = ({ params }: Endpoint): readonly (readonly [syntax: string, about: string])[] =>
  Object.entries(params?.shape ?? {}).map(([name, schema]) => [
    `<${name.replace(/Id$/, '')}>`,
    helpOf(String(schema.meta()?.description ?? name)),
  ]);

const flagOf = (name: string): string => `--${name.replaceAll('_', '-')}`;

/** The option of a field: its name, its choices and its bounds. */
export const optionOf = (field: InputField, about = helpOf(field.description)): Option => {
  const flag = flagOf(field.name);
  switch (field.kind) {
    case 'count':
      return countOption(`${flag} <n>`, about, { ...field, default: field.fallback });
    case 'choice':
      return new Option(`${flag} <${field.name}>`, about).choices(field.options);
    case 'language':
      return new Option(`${flag} <language>`, about);
    case 'text':
      return new Option(`${flag} <${/_url$/.test(field.name) ? 'url' : 'text'}>`, about);
  }
};

/** Members that have the same option in every verb. */
const commonOptions: ReadonlyMap<string, () => Option[]> = new Map([
  ['captions', () => [captionsOption()]],
  ['words', () => [wordsOption()]],
  ['asr', () => [asrOption()]],
  ['keep', keepOptions],
  ['then', () => [thenOption()]],
]);

/** The option of a member of a query or a body, by its schema. Throws for one that needs an option of its own. */
const optionBySchema = (name: string, schema: z.ZodType, about: string): Option => {
  const flag = flagOf(name);
  const inner = unwrapped(schema);
  if (inner === languageList || inner === languageListOrNone) return languageOption();
  if (schema === costTagBody.cost_tag) return costTagOption();
  const first = inner instanceof z.ZodPipe ? inner.in : inner;
  if (first instanceof z.ZodISODateTime) return new Option(`${flag} <time>`, about).argParser(parseTime);
  if (first instanceof z.ZodBoolean && schema.safeParse(undefined).data === false) return new Option(flag, about);
  if (first instanceof z.ZodArray && first.element instanceof z.ZodEnum) {
    return listOption(`${flag} <list>`, first.element.options.map(String), about);
  }
  const isOther = first instanceof z.ZodArray || first instanceof z.ZodObject || first instanceof z.ZodBoolean;
  if (isOther) throw new Error(`${name} needs an option of its own`);
  return optionOf(fieldOf(name, schema), about);
};

/** The options of a member of a query or a body; those of a change take `none` where the member can be null. */
const memberOptions = (name: string, schema: z.ZodType, { method }: Endpoint): Option[] => {
  const sentence = helpOf(schema.meta()?.description ?? name);
  // Elsewhere null is the same as no value, and `none` may be a text.
  const isRemovable = method === 'PATCH' && schema.safeParse(null).success;
  const about = isRemovable ? `${sentence}; none: removes it` : sentence;
  const options = commonOptions.get(name)?.() ?? [optionBySchema(name, schema, about)];
  const isRequired = !schema.safeParse(undefined).success;
  return options.map((option) => {
    const { parseArg: parse } = option;
    if (isRemovable) option.argParser(orNone<unknown>((text) => parse?.(text, undefined) ?? text));
    return option.makeOptionMandatory(isRequired);
  });
};

/** The options of these members of the query or the body of an endpoint. */
export const optionsOf = (endpoint: Endpoint, names: readonly string[]): Option[] =>
  names.flatMap((name) => {
    const schema = membersOf(endpoint)[name];
    if (schema === undefined) throw new Error(`${endpoint.id} does not accept ${name}`);
    return memberOptions(name, schema, endpoint);
  });

/** The name under which commander has the value of the option of a member. */
export const attributeOf = (name: string): string => new Option(flagOf(name)).attributeName();
