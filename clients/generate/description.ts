import { readFileSync } from 'node:fs';

/** A JSON Schema as `docs/openapi.json` writes them. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-extensible-enum'?: readonly string[];
  /** The members that the hash of a receipt covers. */
  readonly 'x-content-sha256'?: readonly string[];
};

export type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};

type Content = Readonly<Record<string, { readonly schema: Schema }>>;
type RawOperation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/**
 * How an operation lists by pages: the parameter that reads on, the member that tells where, and the member of the items.
 * `page` is the name of the schema of a page; null: it has none.
 */
export type Paging = {
  readonly parameter: string;
  readonly next: string;
  readonly items: string;
  readonly item: Schema;
  readonly page: string | null;
};

/** One operation of the API, as a method of the clients. */
export type Operation = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly about: readonly string[];
  readonly pathParameters: readonly Parameter[];
  readonly query: readonly Parameter[];
  readonly headers: readonly Parameter[];
  /** Null: it takes none that says anything. */
  readonly body: { readonly schema: Schema; readonly name: string; readonly isRequired: boolean } | null;
  /** The JSON that it answers; null: none. */
  readonly answer: Schema | null;
  /** What it answers to a dry run; null: it knows none. */
  readonly plan: Schema | null;
  /** The values of `format` that are answered as text; null: it has no such parameter. */
  readonly textFormats: readonly string[] | null;
  readonly isText: boolean;
  readonly isBinary: boolean;
  /** Each answer without an error, by its status and type. */
  readonly answers: readonly (readonly [status: string, content: Content])[];
  readonly paging: Paging | null;
};

/** What the clients are made of. */
export type Description = {
  /** The version of Steno. */
  readonly version: string;
  readonly operations: readonly Operation[];
  /** The schemas that the operations and the webhooks use, by name. */
  readonly schemas: ReadonlyMap<string, Schema>;
  readonly errorCodes: readonly string[];
  /** The members of the result of each AI operation: what the hash in its receipt covers. */
  readonly resultMembers: ReadonlyMap<string, readonly string[]>;
};

const refName = (ref: string): string => ref.replace('#/components/schemas/', '');
const jsonType = 'application/json';
const streamType = 'text/event-stream';

/** Types that are answered as text. */
const isTextType = (type: string): boolean => /^text\/|subrip|ndjson|jose|xml/.test(type) && type !== streamType;

/** The name of a referenced schema, null for one that stands where it is used. */
export const nameOf = ({ $ref }: Schema): string | null => ($ref === undefined ? null : refName($ref));

/** The alternatives that a schema allows; itself where it is one. */
const alternatives = (schema: Schema): readonly Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];

const unionOf = (schemas: readonly Schema[]): Schema | null => {
  const [first, ...others] = schemas;
  if (first === undefined) return null;
  return others.length === 0 ? first : { anyOf: schemas };
};

const reader = (schemas: Readonly<Record<string, Schema>>) => {
  const resolved = (schema: Schema): Schema => {
    const name = nameOf(schema);
    return name === null ? schema : resolved(schemas[name] ?? {});
  };

  const pagingOf = (answer: Schema | null, query: readonly Parameter[]): Paging | null => {
    if (answer === null) return null;
    const { properties = {} } = resolved(answer);
    const parameter = ['cursor', 'before'].find(
      (name) => `next_${name}` in properties && query.some((one) => one.name === name),
    );
    const lists = Object.entries(properties).filter(([, { items }]) => items !== undefined);
    const [items, list] = lists[0] ?? [];
    if (parameter === undefined || items === undefined || list?.items === undefined || lists.length > 1) return null;
    return { parameter, next: `next_${parameter}`, items, item: list.items, page: nameOf(answer) };
  };

  const bodyOf = ({ operationId, requestBody }: RawOperation): Operation['body'] => {
    const schema = requestBody?.content[jsonType]?.schema;
    if (schema === undefined || Object.keys(resolved(schema).properties ?? {}).length === 0) return null;
    const name = nameOf(schema);
    if (name === null) throw new Error(`the body of ${operationId} has no name`);
    const isRequired = requestBody?.required === true || (resolved(schema).required ?? []).length > 0;
    return { schema: resolved(schema), name, isRequired };
  };

  /** null for what has no method: a stream of events alone. */
  return (method: string, path: string, raw: RawOperation): Operation | null => {
    const parameters = raw.parameters ?? [];
    const placed = (place: string) => parameters.filter((one) => one.in === place);
    const answers = Object.entries(raw.responses)
      .filter(([status]) => /^2\d\d$/.test(status))
      .map(([status, { content = {} }]) => [status, content] as const);
    const types = [...new Set(answers.flatMap(([, content]) => Object.keys(content)))];
    if (types.length > 0 && types.every((type) => type === streamType)) return null;
    const all = answers.flatMap(([, content]) => alternatives(content[jsonType]?.schema ?? { anyOf: [] }));
    const isPlan = (schema: Schema): boolean => resolved(schema).properties?.['dry_run']?.const === true;
    const query = placed('query');
    const answer = unionOf(all.filter((schema) => !isPlan(schema)));
    const formats = query.find(({ name }) => name === 'format')?.schema.enum;
    const isText = types.some(isTextType);
    return {
      id: raw.operationId,
      method: method.toUpperCase(),
      path,
      about: [raw.summary, ...(raw.description === undefined ? [] : [raw.description])],
      pathParameters: placed('path'),
      query,
      headers: placed('header'),
      body: bodyOf(raw),
      answer,
      plan: unionOf(all.filter(isPlan)),
      textFormats: isText && answer !== null ? (formats?.filter((name) => name !== 'json') ?? null) : null,
      isText,
      isBinary: types.some((type) => type !== jsonType && type !== streamType && !isTextType(type)),
      answers,
      paging: pagingOf(answer, query),
    };
  };
};

/** Adds the names that a schema uses, and those that these use. */
const collect = (schemas: Readonly<Record<string, Schema>>, used: Set<string>, part: unknown): void => {
  if (typeof part !== 'object' || part === null) return;
  for (const [key, value] of Object.entries(part)) {
    if (key === '$ref' && typeof value === 'string' && value.startsWith('#/components/schemas/')) {
      const name = refName(value);
      if (used.has(name)) continue;
      used.add(name);
      collect(schemas, used, schemas[name]);
    } else if (key !== 'examples' && key !== 'example') {
      collect(schemas, used, value);
    }
  }
};

/** What needs no API key, and belongs to what a client does: the keys that verify receipts. */
const openOperations = ['getKeySet'];

/** Reads `docs/openapi.json`: the operations that an API key may call, and what they use. */
export const readDescription = (): Description => {
  const path = new URL('../../docs/openapi.json', import.meta.url);
  const { paths, components }: Document = JSON.parse(readFileSync(path, 'utf8'));
  const read = reader(components.schemas);
  const used = new Set<string>();
  const operations = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).flatMap(([method, raw]) => {
      const takesKey = raw.security?.some((scheme) => 'bearer' in scheme) === true;
      if (!takesKey && !openOperations.includes(raw.operationId)) return [];
      collect(components.schemas, used, raw);
      return read(method, route, raw) ?? [];
    }),
  );
  for (const name of ['Error', 'WebhookEvent', 'JobStatusEvent', 'JobItemEvent']) {
    collect(components.schemas, used, { $ref: `#/components/schemas/${name}` });
  }
  const codes = components.schemas['Error']?.properties?.['error']?.properties?.['code']?.['x-extensible-enum'];
  if (codes === undefined) throw new Error('the description lists no error codes');
  const named = Object.entries(components.schemas).filter(([name]) => used.has(name));
  const resultMembers = operations.flatMap(({ id, answers }): [string, readonly string[]][] => {
    const members = answers[0]?.[1][jsonType]?.schema['x-content-sha256'];
    return members === undefined ? [] : [[id, members]];
  });
  return {
    version: JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
    operations,
    schemas: new Map(named),
    errorCodes: codes,
    resultMembers: new Map(resultMembers),
  };
};

/** `listJobs` as words: `list`, `jobs`. Of headers and codes too. */
export const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());

const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
export const pascal = (name: string): string => wordsOf(name).map(capital).join('');
export const camel = (name: string): string => {
  const [first = '', ...others] = wordsOf(name);
  return [first, ...others.map(capital)].join('');
};
export const snake = (name: string): string => wordsOf(name).join('_');

/** The method that iterates over all pages: `listJobs` → `iterateJobs`. */
export const iteratorName = (id: string): string =>
  id.replace(/^(list|get)?(.)/, (_, __, letter) => `iterate${letter.toUpperCase()}`);

/** The class of an error code: `VIDEO_NOT_FOUND` → `VideoNotFoundError`. */
export const errorClass = (code: string): string => `${pascal(code).replace(/Error$/, '')}Error`;

/** The option that a header is: `X-Dry-Run` → `dry run`. */
export const optionOf = (header: string): string => header.replace(/^X-/, '');

/** A header that says 1 for yes. */
export const isFlag = ({ schema }: Parameter): boolean =>
  schema.const === '1' || (schema.enum?.includes('1') === true && schema.enum.every((value) => /^[01]$/.test(value)));

/** The items of a page that an iterator asks for, where the API has no number of its own. */
export const pageSize = ({ query }: Operation): number | null => {
  const limit = query.find(({ name }) => name === 'limit')?.schema;
  if (limit === undefined || limit.default !== undefined) return null;
  return Math.min(limit.maximum ?? 100, 100);
};
