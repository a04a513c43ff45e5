import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { referencePage } from '#src/edges/http/openapi/reference-page.ts';
import { endpoints } from '#src/edges/http/routes.ts';
import { startEdge } from '#test/support/http.ts';

describe('the reference for people', () => {
  it('names every operation once, under a policy that lets nothing run', async () => {
    await using edge = await startEdge();
    const answer = await fetch(`${edge.url}/api/docs`);
    const html = await answer.text();
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('Content-Type') ?? '', /^text\/html; charset=utf-8$/);
    for (const { id } of endpoints) assert.equal(html.split(`<h3 id="${id}">`).length, 2, id);
    assert.doesNotMatch(html, /<script|\son[a-z]+=|https?:\/\/(?!127\.0\.0\.1)[^"]*\.js/i);
    const policy = answer.headers.get('Content-Security-Policy') ?? '';
    const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    assert.match(policy, /default-src 'none'/);
    assert.ok(policy.includes(`'sha256-${hash}'`));
  });

  it('shows no honeypot and no operation that is not described', async () => {
    await using edge = await startEdge();
    const html = await (await fetch(`${edge.url}/api/docs`)).text();
    assert.doesNotMatch(html, /honeypot|<code>company<\/code>|<code>website<\/code>/);
  });

  it('names the codes of every refusal', async () => {
    await using edge = await startEdge();
    const html = await (await fetch(`${edge.url}/api/docs`)).text();
    const [, one = ''] = html.split('<h3 id="getTranscript">');
    const [section = ''] = one.split('</section>');
    for (const code of [
      'INVALID_VIDEO_ID',
      'INSUFFICIENT_CREDITS',
      'LANGUAGE_NOT_AVAILABLE',
      'RATE_LIMITED',
    ])
      assert.ok(section.includes(code), code);
  });

  it('takes no word of the description for markup', () => {
    const { html } = referencePage({
      info: { title: '<b>', version: '1' },
      paths: { '/<i>': { get: { operationId: 'x', responses: {} } } },
    });
    assert.doesNotMatch(html, /<b>|<i>/);
  });
});
