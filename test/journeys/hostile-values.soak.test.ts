import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { z } from 'zod';
import type { Endpoint } from '#src/contract/endpoint.ts';
import { exampleOf } from '#src/edges/http/openapi/recorded-examples.ts';
import { samples } from '#test/simulator/samples.ts';
import { silentLogger, startTestApp } from '#test/support/app.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { everyEndpoint, pageBrowser } from '#test/support/website.ts';

/*
 * Values that programs trip over, for every parameter of every route: in paths, queries, forms, JSON bodies and arguments
 * of tools. A caller can send them at will, so none may be a fault of the service.
 */

const ofObject = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
const controls = ['\0', 'a\0b', '\n', '\x1b[31m', '\x7f', '\u202e'];
const huge = ['x'.repeat(4_000), '9'.repeat(400), '-1', '1e400', '../..', '%', "'"];
const texts = [...ofObject, ...controls, ...huge];
/** As they stand in an address: half a surrogate pair, an overlong NUL, a byte that is no UTF-8. */
const encoded = [...texts.map(encodeURIComponent), '%ED%A0%80', '%C0%80', '%FF', '%E0%A4%A'];
const values: readonly unknown[] = [
  ...[...texts, -1, 1.5, 1e308, 2 ** 53, null, true, [], ['__proto__'], {}, { constructor: 1 }],
];

/** The names that pages read from queries and forms: they have no schema. */
const pageNames: readonly string[] = [
  ...new Set(
    globSync('src/edges/http/website/**/*.{ts,tsx}').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\.(?:get|getAll|has)\('(\w+)'\)/g)].map(([, name = '']) => name),
    ),
  ),
];

const isPage = ({ tag }: Endpoint): boolean => tag === 'Pages';

/** Signs out, or is of a size of its own. */
const leftOut = /^(POST \/logout|POST \/api\/auth\/logout)$/;

type HostileRequest = { readonly endpoint: Endpoint; readonly address: string; readonly body?: object | undefined };

/** The bodies that an endpoint is described by, with this value in place of one member after the other. */
const bodiesWith = function* (body: unknown, value: unknown): Generator<unknown> {
  if (Array.isArray(body)) {
    for (const [at, member] of body.entries()) {
      for (const other of bodiesWith(member, value)) yield body.with(at, other);
    }
  } else if (typeof body === 'object' && body !== null) {
    for (const [name, member] of Object.entries(body)) {
      for (const other of bodiesWith(member, value)) yield { ...body, [name]: other };
    }
  }
  yield value;
};

/** Operations of a job are in no recorded example. */
const withOperations: object = JSON.parse(`{
  "ids": ["${samples.prose}"],
  "webhook_url": "https://example.org/hook",
  "then": [{ "operation": "ask", "question": "Why?" }, { "operation": "translate", "target_lang": "de" }]
}`);

const bodiesOf = ({ id, body }: Endpoint): readonly unknown[] => {
  const known = exampleOf(id)?.request.body ?? {};
  const members = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
  const whole = { ...Object.fromEntries(members.map((name) => [name, undefined])), ...Object(known) };
  return id === 'createJob' ? [whole, withOperations] : [whole];
};

const addressOf = ({ path }: Endpoint, given: Readonly<Record<string, string>> = {}): string =>
  path.replace(/[:*](\w+)/g, (_, name: string) => given[name] ?? samples.prose);

/** Takes a sample of so many from a list. */
type Take = <T>(all: readonly T[], count: number) => readonly T[];

/** Every request of the sweep. */
const requestsTo = function* (endpoints: readonly Endpoint[], some: Take): Generator<HostileRequest> {
  for (const endpoint of endpoints) {
    const { path, method, body, query } = endpoint;
    if (leftOut.test(`${method} ${path}`)) continue;
    const isForm = isPage(endpoint) && method === 'POST';
    const plain = isForm ? { body: new URLSearchParams() } : body === undefined ? {} : { body: {} };
    for (const [, name = ''] of path.matchAll(/[:*](\w+)/g)) {
      for (const value of encoded) {
        yield { endpoint, address: addressOf(endpoint, { [name]: value }), ...plain };
      }
    }
    const names = isPage(endpoint) ? some(pageNames, 8) : Object.keys(query?.shape ?? {});
    for (const name of names) {
      for (const value of some(isForm ? texts : encoded, isPage(endpoint) ? 2 : 8)) {
        yield isForm
          ? { endpoint, address: addressOf(endpoint), body: new URLSearchParams({ [name]: value }) }
          : { endpoint, address: `${addressOf(endpoint)}?${name}=${value}`, ...plain };
      }
    }
    if (body === undefined) continue;
    for (const one of bodiesOf(endpoint)) {
      for (const value of some(values, 8)) {
        for (const other of bodiesWith(one, value)) {
          if (typeof other === 'object' && other !== null) {
            yield { endpoint, address: addressOf(endpoint), body: other };
          }
        }
      }
    }
  }
};

/** Samples go round: over the sweep each value is sent often. */
const roundRobin = (): Take => {
  let turn = 0;
  return (all, count) => {
    turn += count;
    return [...all, ...all].slice(turn % all.length).slice(0, Math.min(count, all.length));
  };
};

const atOnce = 8;

/** Sends the values, and resolves with what was answered as a fault. */
const sweepHostileValues = async () => {
  const faults: string[] = [];
  const found: string[] = [];
  await using app = await startTestApp({
    environment: {
      UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000000',
      ANONYMOUS_REQUESTS_PER_MINUTE: '1000000',
      REGISTRATIONS_PER_IP_HOUR: '1000000',
      REGISTRATIONS_PER_IP_DAY: '1000000',
    },
    logger: {
      ...silentLogger,
      error: (message, fields) => {
        const fault = `${message}: ${fields?.['error']}`;
        // Says that the machine is busy, as an answer of 503 does.
        if (!fault.includes('CONNECT_TIMEOUT')) faults.push(fault);
      },
    },
  });
  const password = plantedPassword('hostile');
  const account = { email: `${randomUUID()}@example.org`, password };
  await app.core.commands.createAccount({ ...account, name: null, plan: 'enterprise' });
  // Limits are per key.
  const keys = await Promise.all(
    Array.from({ length: 10 }, async () => planted((await app.createAccount({ plan: 'enterprise' })).key)),
  );
  const browser = pageBrowser(app.url);
  await browser.signIn(account.email, password);

  let next = 0;
  const send = async ({ endpoint, address, body }: HostileRequest): Promise<void> => {
    const isForm = body instanceof URLSearchParams;
    const answer = await browser.ask(address, {
      method: endpoint.method,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      headers: {
        ...(endpoint.access === 'key' ? { Authorization: `Bearer ${keys[next % keys.length]}` } : {}),
        ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
        ...(isPage(endpoint) ? {} : { Accept: 'application/json' }),
      },
      signal: AbortSignal.timeout(120_000),
    });
    const isLimited = answer.status === 429 && endpoint.access === 'key';
    // 503 says that the machine is busy, whatever the value.
    const isFine = answer.status < 500 || answer.status === 503;
    if (isFine && !isLimited) return answer.body?.cancel();
    const said = (await answer.text()).slice(0, 200);
    const sent = isForm ? String(body) : JSON.stringify(body);
    const where = `${endpoint.method} ${address} ${sent ?? ''}`.slice(0, 300);
    found.push(`${where}: ${answer.status} ${said}`);
  };
  const endpoints = everyEndpoint(app);
  const some = roundRobin();
  const requests = [...requestsTo(endpoints, some), ...toTools(), ...ofIssue(endpoints)];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let one = requests[next++]; one !== undefined; one = requests[next++]) await send(one);
    }),
  );
  assert.equal((await browser.open('/account')).status, 200, 'still signed in');
  return { found: [...found, ...faults], sent: requests.length };
};

const mcp: Endpoint = {
  ...{ id: 'mcp', method: 'POST', path: '/mcp', tag: 'MCP', summary: '', answers: {} },
  ...{ access: 'key', scope: null },
};

/** Names of tools, prompts, resources and methods, and every argument that a tool of the list has. */
const toTools = function* (): Generator<HostileRequest> {
  const message = (method: unknown, params: unknown): HostileRequest => ({
    ...{ endpoint: mcp, address: '/mcp', body: { jsonrpc: '2.0', id: 1, method, params } },
  });
  const tools = ['get_transcript', 'translate', 'ask', 'search'];
  const names = ['video_id', 'lang', 'format', 'question', 'query', 'target_lang', 'limit', 'start'];
  for (const name of tools) {
    for (const argument of [...names, ...ofObject]) {
      for (const value of values) {
        const given = { video_id: samples.prose, [argument]: value };
        yield message('tools/call', { name, arguments: given });
      }
    }
  }
  for (const value of values) {
    yield message('tools/call', { name: value, arguments: value });
    yield message('prompts/get', { name: value, arguments: { video: value } });
    yield message('resources/read', { uri: value });
    yield message(value, value);
  }
};

/** Values that were a fault once. */
const ofIssue = (endpoints: readonly Endpoint[]): readonly HostileRequest[] => {
  const [endpoint] = endpoints.filter(isPage);
  assert.ok(endpoint);
  const get = { ...endpoint, method: 'GET' } as const;
  return [
    ...ofObject.flatMap((name) => [
      { endpoint: get, address: `/docs/${name}` },
      { endpoint: get, address: `/t/${samples.prose}.${name}` },
      { endpoint: get, address: `/v1/transcripts/${samples.prose}?format=${name}` },
      {
        endpoint: { ...endpoint, method: 'POST' } as const,
        address: `/t/${samples.prose}`,
        body: new URLSearchParams({ once: 'one', format: name }),
      },
    ]),
    { endpoint: get, address: '/jobs/%00' },
    { endpoint: get, address: '/jobs/%0a' },
  ];
};

describe('every value that often breaks programs', () => {
  it('causes no fault of the service in any parameter of any route', async () => {
    const { found, sent } = await sweepHostileValues();
    assert.deepEqual(found, []);
    assert.ok(sent > 5_000, `${sent} requests`);
  });
});
