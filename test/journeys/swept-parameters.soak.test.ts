import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openApiText } from '#src/edges/http/routes.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { callOf } from '#test/support/credits.ts';
import { browser } from '#test/support/journey.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';

type Schema = {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
};
type Body = { readonly $ref?: string; readonly properties?: Record<string, Schema> };
type Operation = {
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Body }>> };
};

/** One field of one operation: a parameter of its query, or a member of its body. */
type Field = {
  readonly method: string;
  readonly path: string;
  readonly place: 'query' | 'body';
  readonly name: string;
  /** Parameters of the query without which the operation is refused. */
  readonly required: readonly string[];
};

const kindsOf = ({ type, format, anyOf = [] }: Schema): readonly string[] => [
  ...(format?.startsWith('date') || type === 'integer' ? [type ?? ''] : []),
  ...anyOf.flatMap(kindsOf),
];

const described = JSON.parse(openApiText()) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Body>> };
};

const membersOf = (body: Body | undefined): Record<string, Schema> => {
  const name = body?.$ref?.split('/').at(-1);
  return (name === undefined ? body : described.components.schemas[name])?.properties ?? {};
};
/** A registration holds a captcha answer, which is any text. */
const swept = Object.entries(described.paths).filter(([path]) => path !== '/api/auth/register');
const fields = swept.flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]): Field[] => {
    const inQuery = parameters.filter(
      (one) => one.in === 'query' && one.schema.enum === undefined && one.schema.type !== 'boolean',
    );
    const required = parameters.filter((one) => one.in === 'query' && one.required === true).map(({ name }) => name);
    const members = membersOf(requestBody?.content['application/json']?.schema);
    const inBody = Object.entries(members).filter(([, schema]) => kindsOf(schema).length > 0);
    return [
      ...inQuery.map(({ name }) => ({ method, path, place: 'query' as const, name, required })),
      ...inBody.map(([name]) => ({ method, path, place: 'body' as const, name, required })),
    ];
  }),
);

let app: TestApp;

/** Ids of things that exist, and the members that a body needs beside the one that is swept. */
const world = async () => {
  const page = browser([app.url]);
  const password = plantedPassword('sweeper');
  const person = { email: 'sweeper@example.org', password, ...(await page.solved()) };
  await page.json(201, page.send('POST', '/api/auth/register', { body: person }));
  await page.json(200, page.send('POST', '/api/auth/login', { body: person }));
  const { key, accountId } = await app.createAccount({ plan: 'enterprise' });
  const owner = callOf(accountId, { actor: { type: 'user', id: 'usr_1' } });
  // A key answers 3,000 requests a minute.
  const more = await Promise.all(
    [1, 2, 3].map((number) =>
      app.core.commands.createKey(owner, { name: `sweeper ${number}`, scopes: [], expiresAt: null, capCredits: null }),
    ),
  );
  const keys = [key, ...more.map(({ fullKey }) => planted(fullKey))];
  const hook = { url: 'http://127.0.0.1:9/hook' };
  type CreatedWebhook = { readonly webhook: { readonly id: string } };
  const own = await page.json<CreatedWebhook>(201, page.send('POST', '/api/account/webhooks', { body: hook }));
  const ofKey = (await (await app.post('/v1/webhooks', hook, { key })).json()) as CreatedWebhook;
  const made = await app.post('/v1/jobs', { ids: ['lighthouse1'] }, { key });
  const { job_id: jobId } = (await made.json()) as { job_id: string };
  const needed: Readonly<Record<string, object>> = {
    '/v1/jobs': { kind: 'playlist', ids: ['PLnone'], name: 'swept' },
    '/v1/follows': { source: 'PLnone', max_credits_per_period: 1 },
  };
  return { page, keys, jobId, needed, webhooks: { own: own.webhook.id, ofKey: ofKey.webhook.id } };
};

const ask = async (
  { page, keys, jobId, needed, webhooks }: Awaited<ReturnType<typeof world>>,
  { method, path, place, name, required }: Field,
  value: unknown,
): Promise<Response> => {
  const key = keys[fields.findIndex((field) => field.path === path && field.name === name) % keys.length] ?? '';
  const isOwn = path.startsWith('/api/account/');
  const address = path
    .replace('{jobId}', jobId)
    .replace('{webhookId}', isOwn ? webhooks.own : webhooks.ofKey)
    .replace(/\{\w+\}/g, 'PLnone');
  const query = new URLSearchParams(required.map((one) => [one, '1']));
  if (place === 'query') query.set(name, String(value));
  const url = `${address}?${query}`;
  const wanted = needed[path] ?? (path.endsWith('/keys') ? { name: 'swept' } : {});
  const body = place === 'body' ? { ...wanted, [name]: value } : undefined;
  if (isOwn) {
    return page.send(method.toUpperCase(), url, body === undefined ? {} : { body });
  }
  return body === undefined ? app.get(url, { key }) : app.post(url, body, { key });
};

/** Sends one value, which is accepted, or refused by the name of its field. */
const sweep = async (given: Awaited<ReturnType<typeof world>>, field: Field, value: unknown): Promise<void> => {
  const answer = await ask(given, field, value);
  const text = await answer.text();
  const about = `${field.method} ${field.path} ${field.name}=${JSON.stringify(value)?.slice(0, 60)}: ${answer.status} ${text}`;
  assert.ok(![429, 500, 503].includes(answer.status), about);
  if (answer.status === 400 && text.includes('"INVALID_REQUEST"') && !text.includes('"too_many"')) {
    assert.match(text, new RegExp(`"path":"(${field.name}|ids|\\w+Id|body)"`), about);
  }
};

const years = ['0000', '0001', '1969', '9999', '10000', '-0001', '+275760', '275761'];
const dates = years.flatMap((year) => [
  `${year}-01-01`,
  `${year}-12-31T23:59:59.999Z`,
  `${year}-12-31T23:59:59-23:59`,
  `${year}-01-01T00:00:00+23:59`,
]);
const numbers = [
  ...['-1', '0', '1', '1.5', '1e3', '1e400', '0x10', 'NaN', 'Infinity', '-0', ' 1', '１'],
  ...['2147483648', '9007199254740993', '9223372036854775808', '9'.repeat(18), '9'.repeat(400)],
];
const cursors = ['', '\0', "'", '0.itm_0', `${'9'.repeat(18)}.itm_${'f'.repeat(80)}`, 'itm_', 'ä'];
const odd = ['2026-02-30', '2026-13-01', '2026-01-01T24:00:00Z', '2026-01-01T00:00:60Z'];
const texts = [...dates, ...numbers, ...cursors, ...odd];
/** As JSON has them besides. */
const values = [-1, 0, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 2, null, true, [], {}];

describe('every date, number and cursor of the API', () => {
  before(async () => {
    app = await startTestApp({
      environment: {
        CAPTCHA_MIN_SOLVE_MS: '0',
        OUTBOUND_ALLOW: '127.0.0.0/8',
        UNAUTHENTICATED_REQUESTS_PER_MINUTE: '100000',
      },
    });
  });
  after(() => app[Symbol.asyncDispose]());

  it('is accepted, or refused with 400 and the name of its field, whatever its value', async () => {
    const given = await world();
    const places = new Set(fields.map(({ place, name }) => `${place} ${name}`));
    for (const known of ['query day', 'query before', 'query cursor', 'body since', 'body limit']) {
      assert.ok(places.has(known), known);
    }
    for (const field of fields) {
      const own = field.place === 'query' ? texts : [...texts, ...values];
      // One account has twenty searches at once.
      for (let at = 0; at < own.length; at += 20)
        await Promise.all(own.slice(at, at + 20).map((value) => sweep(given, field, value)));
    }
  });
});
