import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { z } from 'zod';
import { requestExample } from '#src/edges/http/openapi/examples.ts';
import { webhookEventSchema, webhookExamples } from '#src/edges/http/openapi/webhook-events.ts';
import { endpoints, openApiText } from '#src/edges/http/routes.ts';

type Media = { readonly schema: object; readonly example?: unknown };
type Response = {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
};
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

// The rules of the recommended sets of Redocly and Spectral that concern a generated document, without their packages.
describe('the description by the rules of OpenAPI linters', () => {
  it('says of itself, of each tag and of each operation what it is', () => {
    assert.ok(document.info.license !== undefined && document.info.description !== undefined);
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { name, description = '' } of document.tags) assert.ok(description !== '', name);
    for (const { operationId, summary = '', description = '', ...one } of operations) {
      assert.ok(summary !== '' && description !== '', `${operationId} has no description`);
      assert.ok(
        one.tags.length > 0 && one.tags.every((tag) => tags.has(tag)),
        `${operationId} has an unknown tag`,
      );
      assert.ok(one.security !== undefined, `${operationId} says nothing of security`);
      assert.match(operationId, /^[A-Za-z0-9]+$/);
    }
  });

  it('describes each parameter and each member of a body', () => {
    const missing = operations.flatMap(({ operationId, parameters }) =>
      parameters
        .filter(({ description = '' }) => description === '')
        .map(({ name }) => `${operationId} ${name}`),
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
      const bodies = [requestBody, ...Object.values(responses)].flatMap((body) =>
        Object.entries(body?.content ?? {}),
      );
      for (const [type, { example }] of bodies) {
        assert.ok(example !== undefined, `${operationId} ${type} has no example`);
      }
    }
  });

  it('shows only examples that the service itself would take or give', () => {
    const wrong: string[] = [];
    const check = (name: string, schema: z.ZodType, example: unknown): void => {
      const parsed = schema.safeParse(example);
      if (!parsed.success) wrong.push(`${name}: ${parsed.error.issues[0]?.path.join('.')}`);
    };
    for (const { id, path, method, body, answers } of endpoints) {
      const shown = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      const sent = shown?.requestBody?.content['application/json'];
      if (sent !== undefined) check(id, body, sent.example);
      for (const [status, { schema }] of Object.entries(answers)) {
        const answered = shown?.responses[status]?.content?.['application/json'];
        if (schema !== undefined && answered !== undefined) {
          check(`${id} ${status}`, schema, answered.example);
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(requestExample('chapters', {}, {}), { video_id: 'lighthouse1' });
  });

  it('tells of the webhooks that are sent, each with a body that is one', () => {
    assert.deepEqual(Object.keys(document.webhooks), ['job.completed', 'job.failed']);
    for (const example of Object.values(webhookExamples)) webhookEventSchema.parse(example);
  });

  it('shows how a stream of events goes on', () => {
    const watched = document.paths['/v1/jobs/{jobId}/events']?.['get'];
    assert.ok(watched !== undefined);
    assert.ok(watched.parameters.some(({ name }) => name === 'Last-Event-ID'));
    const { example } = watched.responses['200']?.content?.['text/event-stream'] ?? {};
    assert.match(String(example), /^id: /m);
  });

  it('bounds numbers by what they mean and not by what a number can hold', () => {
    assert.doesNotMatch(text, /9007199254740991/);
    for (const node of nodesOf(document)) assert.ok(!('pattern' in node && 'format' in node));
  });

  it('leaves the codes of errors open, and names each', () => {
    const codes = [...nodesOf(document.components.schemas['Error'])].flatMap(
      (node) => node['x-extensible-enum'] ?? [],
    );
    assert.ok(codes.includes('VIDEO_NOT_FOUND') && codes.includes('INTERNAL_ERROR'));
  });

  it('holds no component that nothing refers to', () => {
    for (const [kind, named] of Object.entries(document.components)) {
      if (kind === 'securitySchemes') continue;
      for (const name of Object.keys(named)) {
        assert.ok(text.includes(`"#/components/${kind}/${name}"`), `${kind} ${name}`);
      }
    }
  });
});
