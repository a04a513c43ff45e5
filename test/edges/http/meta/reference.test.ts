import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openApiDocument } from '#src/edges/http/openapi/document.ts';
import { endpoints } from '#src/edges/http/routes.ts';
import { startEdge } from '#test/support/http.ts';

type Operation = { operationId: string; responses: Record<string, { $ref?: string }> };

describe('the reference for people', () => {
  // S72: what the API description reveals
  it('is a page with one script, from this host, under a policy of its own', async () => {
    await using edge = await startEdge();
    const answer = await fetch(`${edge.url}/api/docs`);
    const html = await answer.text();
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('Content-Type') ?? '', /^text\/html; charset=utf-8$/);
    const policy = answer.headers.get('Content-Security-Policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.match(policy, /connect-src 'self';/);
    assert.doesNotMatch(html, /(src|href)="https?:|\son[a-z]+=/);
    assert.match(html, /data-url="\/openapi\.json"/);
    const [, sheet = ''] = /<link rel="stylesheet" href="(\/assets\/tokens-[^"]+)">/.exec(html) ?? [];
    const colours = await (await fetch(`${edge.url}${sheet}`)).text();
    for (const [, token = ''] of html.matchAll(/--scalar-[\w-]+:var\((--[\w-]+)\)/g)) {
      assert.ok(colours.includes(`${token}:`), token);
    }
    assert.match(colours, /@font-face/);

    const scripts = [...html.matchAll(/<script src="([^"]+)"><\/script>/g)].map(([, src]) => src);
    assert.equal(scripts.length, 1);
    const script = await fetch(`${edge.url}${scripts[0]}`, { headers: { 'Accept-Encoding': 'br' } });
    assert.equal(script.headers.get('Content-Encoding'), 'br');
    assert.equal(script.headers.get('Cache-Control'), 'public, max-age=31536000, immutable');
    assert.match(await script.text(), /createApiReference/);
    assert.equal((await fetch(`${edge.url}/api/docs/scalar.js`)).status, 404);
  });

  const description = openApiDocument(endpoints);
  const text = JSON.stringify(description);
  const operations = Object.values(description['paths'] as Record<string, Record<string, Operation>>).flatMap(
    (methods) => Object.values(methods),
  );

  it('names every operation once', () => {
    assert.deepEqual(
      operations.map(({ operationId }) => operationId).toSorted(),
      endpoints.map(({ id }) => id).toSorted(),
    );
    assert.equal(new Set(endpoints.map(({ id }) => id)).size, endpoints.length);
  });

  it('shows no honeypot and no file of a page', () => {
    assert.doesNotMatch(text, /honeypot|"company"|"website"|scalar/);
  });

  it('names the codes of every refusal', () => {
    const one = operations.find(({ operationId }) => operationId === 'getTranscript');
    const named = Object.values(one?.responses ?? {})
      .map(({ $ref = '' }) => $ref)
      .join(' ');
    for (const code of ['INVALID_VIDEO_ID', 'INSUFFICIENT_CREDITS', 'LANGUAGE_NOT_AVAILABLE', 'RATE_LIMITED'])
      assert.ok(named.includes(code), code);
  });
});
