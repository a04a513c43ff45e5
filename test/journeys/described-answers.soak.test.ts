import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { openApiText } from '#src/edges/http/routes.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { browser } from '#test/support/journey.ts';
import { plantedPassword } from '#test/support/leaks.ts';

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly default?: unknown;
};
type Header = { readonly required?: boolean; readonly schema: Schema };
type ResponseDescription = {
  readonly headers?: Readonly<Record<string, Header | { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
};
type Operation = {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly { readonly in: string; readonly name: string; schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
  readonly responses: Readonly<Record<string, ResponseDescription | { readonly $ref: string }>>;
};

const document = JSON.parse(openApiText()) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, ResponseDescription>>;
    readonly headers: Readonly<Record<string, Header>>;
  };
};
const { components } = document;
const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Headers of HTTP itself and of the server as a whole, which the description need not repeat. */
const general =
  /^(date|connection|keep-alive|content-(length|type|security-policy)|transfer-encoding|cache-control|vary|allow|x-content-type-options|referrer-policy|strict-transport-security|access-control-.*|x-accel-buffering)$/;

const local = (part: unknown): string => JSON.stringify(part).replaceAll('#/components/schemas/', '#/$defs/');
const $defs = JSON.parse(local(components.schemas)) as Record<string, never>;

const validators = new Map<Schema, z.ZodType>();
const validatorOf = (schema: Schema): z.ZodType => {
  const known = validators.get(schema) ?? z.fromJSONSchema({ ...JSON.parse(local(schema)), $defs });
  validators.set(schema, known);
  return known;
};

/** A value that the schema takes; what it names by a form only (an id, a link) is a text. */
const sampleOf = (schema: Schema): unknown => {
  if (schema.$ref !== undefined) return sampleOf(components.schemas[nameIn(schema.$ref)] ?? {});
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return sampleOf(schema.anyOf[0] ?? {});
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, sampleOf(one)]));
    case 'array':
      return [sampleOf(schema.items ?? {})];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    default:
      return schema.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'lighthouse1';
  }
};

/** Bodies of every kind: as described, with each member of another type, and what is no such JSON at all. */
const bodiesOf = ({ requestBody }: Operation): readonly (string | undefined)[] => {
  const schema = requestBody?.content['application/json']?.schema;
  if (schema === undefined) return [undefined];
  const valid = sampleOf(schema);
  const members = typeof valid === 'object' && valid !== null ? Object.keys(valid) : [];
  const wrong = members.map((name) => ({ ...Object(valid), [name]: { other: true } }));
  return [valid, {}, [], ...wrong].map((one) => JSON.stringify(one)).concat('{', '');
};

const queriesOf = ({ parameters }: Operation): readonly string[] => {
  const inQuery = parameters.filter((one) => one.in === 'query');
  const pair = ({ name, schema }: (typeof inQuery)[number], value: unknown = sampleOf(schema)) =>
    `${name}=${encodeURIComponent(String(value))}`;
  return ['', `?${inQuery.map((one) => pair(one)).join('&')}`].concat(
    inQuery.flatMap((one) => [`?${pair(one, '\0-ä')}`, `?${pair(one)}&${pair(one)}`]),
  );
};

let app: TestApp;
before(async () => {
  app = await startTestApp({
    environment: { CAPTCHA_MIN_SOLVE_MS: '0', UNAUTHENTICATED_REQUESTS_PER_MINUTE: '100000' },
  });
});
after(() => app[Symbol.asyncDispose]());

/** Everything in which an answer differs from its description. */
const differences = async (operation: Operation, answer: Response): Promise<readonly string[]> => {
  const found = operation.responses[answer.status];
  const text = await answer.text();
  if (found === undefined) return [`status ${answer.status} ${text}`];
  const described: ResponseDescription =
    '$ref' in found ? (components.responses[nameIn(String(found.$ref))] ?? {}) : (found as ResponseDescription);
  const wrong: string[] = [];
  const headers = new Map(
    Object.entries(described.headers ?? {}).map(([name, one]) => [
      name.toLowerCase(),
      '$ref' in one ? components.headers[nameIn(String(one.$ref))] : one,
    ]),
  );
  for (const [name, header] of headers) {
    const value = answer.headers.get(name);
    if (value === null && header?.required === true) wrong.push(`has no ${name}`);
    if (value !== null && header?.schema.type === 'integer' && !/^\d+$/.test(value)) {
      wrong.push(`${name} is ${value}`);
    }
  }
  for (const name of answer.headers.keys()) {
    if (!headers.has(name) && !general.test(name)) wrong.push(`${name} is not described`);
  }
  const type = answer.headers.get('content-type')?.split(';')[0] ?? null;
  const contents = described.content ?? {};
  if (type === null) return text === '' ? wrong : [...wrong, 'has a body without a type'];
  const content = contents[type];
  if (content === undefined) return [...wrong, `${type} is not described`];
  if (type !== 'application/json') return wrong;
  const checked = validatorOf(content.schema).safeParse(JSON.parse(text));
  return checked.success ? wrong : [...wrong, `${z.prettifyError(checked.error)} in ${text.slice(0, 300)}`];
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** The operations that end the session or the account of the test come last. */
const ending = /logout|\/password$|^\/api\/account$|\/sessions/;

describe('every operation of the description', () => {
  it('answers valid and invalid requests with the described status, headers and body', async () => {
    const page = browser([app.url]);
    const person = { email: 'described@example.org', password: plantedPassword('described'), ...(await page.solved()) };
    await page.json(201, page.send('POST', '/api/auth/register', { body: person }));
    await page.json(200, page.send('POST', '/api/auth/login', { body: person }));
    const session = page.cookie('session') ?? '';
    const { key } = await app.createAccount({ plan: 'enterprise' });
    const sorted = operations.toSorted((one, other) => Number(ending.test(one.path)) - Number(ending.test(other.path)));
    const wrong: string[] = [];
    for (const { path, method, operation } of sorted) {
      const address = path.replace(/\{\w+\}/g, 'lighthouse1');
      const access = operation.security.some((one) => 'bearer' in one)
        ? { Authorization: `Bearer ${key}` }
        : { Cookie: `session=${session}` };
      for (const credential of [access, {}]) {
        const queries = queriesOf(operation);
        for (const query of credential === access ? queries : queries.slice(0, 1)) {
          const bodies = bodiesOf(operation);
          for (const body of query === '' ? bodies : bodies.slice(0, 1)) {
            const request: RequestInit = {
              method: method.toUpperCase(),
              headers: { ...credential, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
            };
            if (body !== undefined) request.body = body;
            const answer = await fetch(`${app.url}${address}${query}`, request);
            for (const difference of await differences(operation, answer)) {
              wrong.push(`${method} ${path}${query} ${body?.slice(0, 80)}: ${difference}`);
            }
          }
        }
      }
    }
    assert.deepEqual([...new Set(wrong)], []);
  });
});
