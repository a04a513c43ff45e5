import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { endpoints, openApiText } from '#src/edges/http/routes.ts';
import { startEdge } from '#test/support/http.ts';

type Response = { headers: Record<string, object>; description: string };
type Document = {
  openapi: string;
  info: { version: string };
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        responses: Record<string, Response | { $ref: string }>;
        parameters: { name: string; in: string; schema: object }[];
        requestBody?: { content: { 'application/json': { schema: { $ref: string } } } };
      }
    >
  >;
  components: {
    schemas: Record<string, object>;
    responses: Record<string, Response>;
    headers: Record<string, { required?: boolean; schema: { type: string } }>;
  };
};

describe('the machine-readable description', () => {
  it('is the committed docs/openapi.json', async () => {
    const file = new URL('../../../../docs/openapi.json', import.meta.url);
    const committed = await readFile(file, 'utf8');
    assert.ok(committed === openApiText(), 'docs/openapi.json is old: npm run docs writes it anew');
  });

  it('is served, in the version of the specification, as OpenAPI 3.1', async () => {
    await using edge = await startEdge();
    const answer = await edge.get('/openapi.json', {});
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=60');
    const document = (await answer.json()) as Document;
    assert.deepEqual(document, JSON.parse(openApiText()));
    assert.equal(document.openapi, '3.1.0');
    assert.equal(document.info.version, '1.0.0');
  });

  it('has every operation once and no dangling references', () => {
    const document = JSON.parse(openApiText()) as Document;
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    assert.equal(new Set(ids).size, endpoints.length);
    for (const [, kind = '', name = ''] of openApiText().matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      assert.ok(name in (Reflect.get(document.components, kind) ?? {}), `${kind} ${name} is missing`);
    }
  });

  it('names paths and their parameters as the specification does', () => {
    const { paths } = JSON.parse(openApiText()) as Document;
    for (const operation of [
      'get /v1/transcripts/{videoId}',
      'get /v1/transcripts/{videoId}/raw',
      'get /v1/transcripts/{videoId}/languages',
      'post /v1/transcripts',
      'post /v1/jobs',
      'get /v1/jobs',
      'get /v1/jobs/{jobId}',
      'get /v1/jobs/{jobId}/results',
      'post /v1/jobs/{jobId}/cancel',
      'post /v1/jobs/{jobId}/retry',
      'get /v1/playlists/{playlistId}',
      'post /v1/playlists/{playlistId}/transcripts',
      'get /v1/channels/{channelId}',
      'post /v1/channels/{channelId}/transcripts',
      'get /v1/usage',
      'get /api/auth/captcha',
      'post /api/auth/register',
      'post /api/auth/login',
      'post /api/auth/logout',
      'get /api/auth/me',
      'get /api/account/me',
      'get /api/account/keys',
      'post /api/account/keys',
      'delete /api/account/keys/{id}',
      'get /api/account/usage',
      'get /api/account/plans',
      'get /api/health',
      'get /api/health/ready',
      'get /api/health/egress',
      'get /api/status',
      'get /api/status.json',
      'get /openapi.json',
    ]) {
      const [method = '', path = ''] = operation.split(' ');
      const described = paths[path]?.[method];
      assert.ok(described !== undefined, operation);
      assert.deepEqual(
        described.parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`),
        path.match(/\{\w+\}/g) ?? [],
      );
      assert.ok('400' in described.responses && '429' in described.responses, operation);
    }
  });

  it('says how each operation that asks the platform can fail', () => {
    const { paths } = JSON.parse(openApiText()) as Document;
    for (const [method, path] of [
      ['get', '/v1/transcripts/{videoId}'],
      ['get', '/v1/transcripts/{videoId}/raw'],
      ['get', '/v1/transcripts/{videoId}/languages'],
      ['get', '/v1/playlists/{playlistId}'],
      ['post', '/v1/playlists/{playlistId}/transcripts'],
      ['get', '/v1/channels/{channelId}'],
      ['post', '/v1/channels/{channelId}/transcripts'],
      ['post', '/v1/jobs'],
    ] as const) {
      const responses = Object.keys(paths[path]?.[method]?.responses ?? {});
      for (const status of ['404', '429', '502', '504']) {
        assert.ok(responses.includes(status), `${method} ${path} ${status}`);
      }
    }
  });

  it('says that every change by session, and signing in and out, refuse other sites and media types', () => {
    const { paths } = JSON.parse(openApiText()) as Document;
    const changes = endpoints.filter(({ access, method }) => access !== 'key' && method !== 'GET');
    assert.ok(changes.length > 15);
    for (const { method, path } of changes) {
      const described = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      const statuses = Object.keys(described?.responses ?? {});
      assert.ok(statuses.includes('403') && statuses.includes('415'), `${method} ${path}`);
    }
  });

  it('says whether each body accepts unknown fields', () => {
    const { paths, components } = JSON.parse(openApiText()) as Document;
    const bodies = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ operationId, requestBody }) =>
        requestBody ? [{ path, operationId, ...requestBody.content['application/json'] }] : [],
      ),
    );
    for (const [prefix, isClosed] of [
      ['/v1/', false],
      ['/api/auth/', false],
      ['/api/account/', true],
    ] as const) {
      const below = bodies.filter(({ path }) => path.startsWith(prefix));
      assert.ok(below.length > 1);
      for (const { operationId, schema } of below) {
        const name = schema.$ref.slice('#/components/schemas/'.length);
        assert.equal(name.toLowerCase(), `${operationId}request`.toLowerCase());
        const shown = components.schemas[name] ?? {};
        assert.equal(Reflect.get(shown, 'additionalProperties') === false, isClosed, operationId);
      }
    }
  });

  it('says which headers every response and refusal carries', () => {
    const { paths, components } = JSON.parse(openApiText()) as Document;
    const always = ['X-Request-ID', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
    for (const name of always) assert.equal(components.headers[name]?.required, true, name);
    for (const [path, methods] of Object.entries(paths)) {
      for (const { operationId, responses } of Object.values(methods)) {
        for (const [status, one] of Object.entries(responses)) {
          const told = '$ref' in one ? components.responses[one.$ref.split('/')[3] ?? ''] : one;
          const wanted = [
            ...always,
            ...(['409', '429', '503'].includes(status) ? ['Retry-After'] : []),
            ...(path.startsWith('/v1/') && status !== '401' ? ['X-Credits-Charged'] : []),
          ];
          const missing = wanted.filter((name) => !(name in (told?.headers ?? {})));
          assert.deepEqual(missing, [], `${operationId} ${status}`);
        }
      }
    }
    for (const path of ['/v1/playlists/{playlistId}', '/v1/channels/{channelId}']) {
      const listed = paths[path]?.['get']?.responses['200'];
      assert.ok(listed && 'headers' in listed && 'X-Credits-Event' in listed.headers, path);
    }
    const started = paths['/v1/jobs']?.['post']?.responses['202'];
    assert.ok(started && 'headers' in started);
    assert.deepEqual(Reflect.get(started.headers['X-Credits-Reserved'] ?? {}, 'schema'), { type: 'integer' });
  });

  it('shows the types of parameters, with their bounds', () => {
    const document = JSON.parse(openApiText()) as Document;
    const shown = (path: string, name: string) =>
      document.paths[path]?.['get']?.parameters.find((one) => one.name === name)?.schema;
    assert.deepEqual(shown('/v1/usage', 'days'), { type: 'integer', minimum: 1, maximum: 366, default: 30 });
    assert.deepEqual(shown('/v1/transcripts/{videoId}', 'clean'), { type: 'boolean', default: false });
  });
});
