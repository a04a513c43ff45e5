import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { jobEventData } from '#src/contract/jobs.ts';
import { webhookEventKinds } from '#src/contract/webhook-events.ts';
import { priceOf } from '#src/credits/prices.ts';
import { recordedExamples } from '#src/edges/http/openapi/recorded-examples.ts';
import { endpoints, openApiText } from '#src/edges/http/routes.ts';

type Media = { readonly schema: object; readonly example?: unknown };
type Response = { readonly $ref?: string; readonly content?: Readonly<Record<string, Media>> };
type Operation = {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
};
type Document = {
  readonly info: { readonly license?: object; readonly description?: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, object>>;
    readonly headers: Readonly<Record<string, object>>;
  };
};

const text = openApiText();
const document = JSON.parse(text) as Document;
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

/** Every object within a value. */
function* nodesOf(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Readonly<Record<string, unknown>>;
  for (const each of Object.values(value)) yield* nodesOf(each);
}

// What linters do not ask for.
describe('the description for people and generators', () => {
  it('describes itself, each tag and each operation', () => {
    assert.ok(document.info.license !== undefined && document.info.description !== undefined);
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { name, description = '' } of document.tags) assert.ok(description !== '', name);
    for (const { operationId, summary = '', description = '', ...one } of operations) {
      assert.ok(summary !== '' && description !== '', `${operationId} has no description`);
      assert.ok(one.tags.length > 0 && one.tags.every((tag) => tags.has(tag)), `${operationId} has an unknown tag`);
      assert.ok(one.security !== undefined, `${operationId} says nothing of security`);
      assert.match(operationId, /^[A-Za-z0-9]+$/);
    }
  });

  it('offers a dry run and a retry that is charged once of each operation that costs credits', () => {
    const priced = endpoints.filter((one) => 'operation' in one && one.operation && priceOf(one.operation) > 0);
    assert.deepEqual(
      priced.filter(({ hasDryRun, isIdempotent }) => !(hasDryRun && isIdempotent)).map(({ id }) => id),
      [],
    );
  });

  it('describes each parameter and each member of a body', () => {
    const missing = operations.flatMap(({ operationId, parameters }) =>
      parameters.filter(({ description = '' }) => description === '').map(({ name }) => `${operationId} ${name}`),
    );
    for (const node of nodesOf([document.components.schemas, document.paths])) {
      const properties = node['type'] === 'object' ? (node['properties'] ?? {}) : {};
      for (const [name, property] of Object.entries(properties)) {
        if (!('description' in property) && !('$ref' in property)) missing.push(name);
      }
    }
    assert.deepEqual([...new Set(missing)], []);
  });

  it('has each success and a default answer, and an example of each body', () => {
    for (const { operationId, requestBody, responses } of operations) {
      assert.ok('default' in responses && '500' in responses, operationId);
      assert.ok(
        Object.keys(responses).some((status) => /^[23]/.test(status)),
        operationId,
      );
      const bodies = [requestBody, ...Object.values(responses)].flatMap((body) => Object.entries(body?.content ?? {}));
      // Bytes have no form in JSON.
      const shown = bodies.filter(([, { schema }]) => Reflect.get(schema, 'format') !== 'binary');
      for (const [type, { example }] of shown) {
        assert.ok(example !== undefined, `${operationId} ${type} has no example`);
      }
    }
  });

  it('shows only examples that the service itself would accept or return', () => {
    const wrong: string[] = [];
    const check = (name: string, schema: z.ZodType, example: unknown): void => {
      const parsed = schema.safeParse(example);
      if (!parsed.success) wrong.push(`${name}: ${parsed.error.issues[0]?.path.join('.')}`);
    };
    for (const { id, path, method, body, answers } of endpoints) {
      const shown = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      const sent = shown?.requestBody?.content['application/json'];
      if (body !== undefined) check(id, body, sent?.example);
      for (const [status, { schema }] of Object.entries(answers)) {
        const answered = shown?.responses[status]?.content?.['application/json'];
        if (schema !== undefined && answered !== undefined) {
          check(`${id} ${status}`, schema, answered.example);
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('describes the webhooks that are sent, each with a valid body', () => {
    assert.deepEqual(Object.keys(document.webhooks), Object.keys(webhookEventKinds));
    for (const [kind, { body }] of Object.entries(webhookEventKinds)) {
      body.parse(recordedExamples().webhooks[kind]?.body);
    }
  });

  it('types a stream of events, and shows one that fits', () => {
    const watched = document.paths['/v1/jobs/{jobId}/events']?.['get'];
    assert.ok(watched !== undefined);
    assert.ok(watched.parameters.some(({ name }) => name === 'Last-Event-ID'));
    const { schema, example } = watched.responses['200']?.content?.['text/event-stream'] ?? {};
    const stream = { $ref: '#/components/schemas/JobStreamEvent' };
    assert.deepEqual(Reflect.get(schema ?? {}, 'contentSchema'), stream);
    const shown = JSON.stringify(document.components.schemas['JobStreamEvent']);
    for (const name of ['JobStatusEvent', 'JobItemEvent']) {
      assert.ok(shown.includes(`"contentSchema":{"$ref":"#/components/schemas/${name}"}`), name);
    }
    const guide = readFileSync(new URL('../../../../docs/api.md', import.meta.url), 'utf8');
    assert.ok(guide.includes(`\`\`\`text\n${String(example).trim()}\n\`\`\``), 'docs/api.md shows it');
    const events = [...String(example).matchAll(/^id: \d+\nevent: (\w+)\ndata: (.+)$/gm)];
    assert.ok(events.length > 3);
    for (const [, event, data = ''] of events) {
      const kind = event === 'job' ? jobEventData.job : jobEventData.item;
      z.strictObject(kind.shape).parse(JSON.parse(data));
    }
  });

  it('constrains values by formats and bounds, not by patterns or by what a number can represent', () => {
    assert.doesNotMatch(text, /9007199254740991/);
    for (const node of nodesOf(document)) assert.ok(typeof node['pattern'] !== 'string');
  });

  it('leaves the error codes open, and lists each', () => {
    const codes = [...nodesOf(document.components.schemas['Error'])].flatMap((node) => node['x-extensible-enum'] ?? []);
    assert.ok(codes.includes('VIDEO_NOT_FOUND') && codes.includes('INTERNAL_ERROR'));
  });
});
