import { Option } from 'commander';
import { z } from 'zod';
import type { Endpoint } from '../../contract/endpoint.ts';
import { fieldOf, type InputField } from '../../contract/operation.ts';
import { countOption } from './option-parsers.ts';
import type { ServerRequest } from './server-client.ts';

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

/** The option of a field: its name, its choices and its bounds. */
export const optionOf = (field: InputField, about = helpOf(field.description)): Option => {
  const flag = `--${field.name.replaceAll('_', '-')}`;
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

/** The options of these members of the query or the body of an endpoint, with what the help says of them where it differs. */
export const optionsOf = (endpoint: Endpoint, about: Readonly<Record<string, string | null>>): Option[] =>
  Object.entries(about).map(([name, sentence]) => {
    const schema = membersOf(endpoint)[name];
    if (schema === undefined) throw new Error(`${endpoint.id} does not accept ${name}`);
    const field = fieldOf(name, schema);
    return optionOf(field, sentence ?? undefined).makeOptionMandatory(field.isRequired);
  });
