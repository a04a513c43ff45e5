import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp({
    environment: { UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000', ANONYMOUS_CREDITS_PER_DAY: '2' },
  });
});
after(() => app[Symbol.asyncDispose]());

const accept = { Accept: 'text/html' };
const visit = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${app.url}${path}`, { headers: { ...accept, ...headers }, redirect: 'manual' });

const send = (path: string, fields: Record<string, string>, origin = app.url) =>
  fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { ...accept, Origin: origin },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

describe('pages that are asked for what cannot be', () => {
  it('say what is wrong with links that are no videos, and keep them in the field', async () => {
    for (const link of [
      'https://example.com/',
      'watch?v=',
      '"><b>x',
      '\u202Eabc',
      'a'.repeat(5_000),
    ]) {
      const answer = await visit(`/go?link=${encodeURIComponent(link)}`);
      const page = await answer.text();
      assert.match(page, /neither a link nor an id/, link);
      assert.doesNotMatch(page, /<b>x/);
    }
  });

  it('count 5,000 pasted lines, and refuse one more with the list kept', async () => {
    const lines = Array.from({ length: 5_000 }, (_, n) =>
      n % 2 === 0 ? samples.prose : 'no link',
    );
    const counted = await send('/many', { links: lines.join('\n'), do: 'count' });
    const page = await counted.text();
    assert.equal(counted.status, 200);
    assert.match(page, /1 video\./);
    assert.match(page, /2,499 lines stand twice/);
    assert.match(page, /2,500 lines are not understood/);
    const refused = await send('/many', { links: [...lines, 'one more'].join('\n'), do: 'count' });
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /one more/);
  });

  it('show markup and direction marks of captions as text, each line by itself', async () => {
    const answer = await visit(`/t/${samples.edgeCases}`);
    const page = await answer.text();
    assert.equal(answer.status, 200);
    const list = page.slice(page.indexOf('<ol'), page.indexOf('</ol>'));
    const elements = new Set([...list.matchAll(/<\/?(\w+)/g)].map(([, name]) => name));
    assert.deepEqual([...elements].sort(), ['a', 'li', 'ol', 'p']);
  });

  it('answer an address that does not exist, and a job of nobody, as a page', async () => {
    assert.equal((await visit('/t/short')).status, 400);
    assert.equal((await visit(`/t/${samples.prose}/nothing`)).status, 404);
    assert.equal((await visit('/jobs/job_none')).status, 303);
  });

  it('say that the credits of the day are used up, and lead to an account', async () => {
    const first = await visit(`/t/${samples.long}`);
    const cookie = (first.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    await visit(`/t/${samples.regional}`, { Cookie: cookie });
    const answer = await visit(`/t/${samples.onlyAutomatic}`, { Cookie: cookie });
    assert.equal(answer.status, 402);
    assert.match(await answer.text(), /href="\/register"/);
  });

  it('refuse a form that another site has sent', async () => {
    const answer = await send(
      '/many',
      { links: samples.prose, do: 'count' },
      'https://evil.example',
    );
    assert.equal(answer.status, 403);
    assert.match(answer.headers.get('Content-Type') ?? '', /^text\/html/);
  });

  it('count down to when a visitor may ask again', async () => {
    await using limited = await startTestApp({
      simulator: app.simulator,
      environment: { UNAUTHENTICATED_REQUESTS_PER_MINUTE: '2' },
    });
    let answer = await fetch(limited.url, { headers: accept });
    for (let n = 0; n < 5 && answer.status !== 429; n += 1) {
      answer = await fetch(limited.url, { headers: accept });
    }
    assert.equal(answer.status, 429);
    assert.match(await answer.text(), /<x-countdown data-seconds="\d+"/);
  });
});
