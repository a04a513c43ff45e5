import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { endpoints, openApiText } from '#src/edges/http/reference.ts';
import { startEdge } from '#test/support/http.ts';

type Document = {
  openapi: string;
  info: { version: string };
  paths: Record<
    string,
    Record<
      string,
      { operationId: string; responses: object; parameters: { name: string; schema: object }[] }
    >
  >;
  components: { schemas: Record<string, object> };
};

describe('the machine-readable description', () => {
  it('is the committed docs/openapi.json', async () => {
    const file = new URL('../../../docs/openapi.json', import.meta.url);
    const committed = await readFile(file, 'utf8');
    assert.ok(committed === openApiText(), 'docs/openapi.json is old: npm run docs writes it anew');
  });

  it('is served, in version 1.0.0 of OpenAPI 3.1', async () => {
    await using edge = await startEdge();
    const answer = await edge.get('/openapi.json', {});
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=60');
    const document = (await answer.json()) as Document;
    assert.deepEqual(document, JSON.parse(openApiText()));
    assert.equal(document.openapi, '3.1.0');
    assert.equal(document.info.version, '1.0.0');
  });

  it('names every operation once and refers to nothing that it does not hold', () => {
    const document = JSON.parse(openApiText()) as Document;
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    assert.equal(new Set(ids).size, endpoints.length);
    for (const [, name] of openApiText().matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      assert.ok(name !== undefined && name in document.components.schemas, `${name} is missing`);
    }
  });

  it('shows parameters as what they take, with their bounds', () => {
    const document = JSON.parse(openApiText()) as Document;
    const shown = (path: string, name: string) =>
      document.paths[path]?.['get']?.parameters.find((one) => one.name === name)?.schema;
    assert.deepEqual(shown('/v1/usage', 'days'), {
      type: 'integer',
      minimum: 1,
      maximum: 366,
      default: 30,
    });
    assert.deepEqual(shown('/v1/transcripts/{videoId}', 'clean'), {
      type: 'boolean',
      default: false,
    });
  });
});
