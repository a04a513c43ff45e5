import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Refusal } from '#src/kernel/refusal.ts';
import { generatedLines, generatedVideo } from '#test/simulator/generated-videos.ts';
import { startSimulator } from '#test/simulator/main.ts';
import { samples } from '#test/simulator/samples.ts';
import { silentLogger, startTestApp, type TestApp } from '#test/support/app.ts';
import { usedDatabase } from '#test/support/database.ts';
import { startEdge } from '#test/support/http.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp({
    environment: { UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000', ANONYMOUS_CREDITS_PER_DAY: '2' },
  });
});
after(() => app[Symbol.asyncDispose]());

const accept = { Accept: 'text/html', 'Sec-Fetch-Site': 'none' };
const visit = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${app.url}${path}`, { headers: { ...accept, ...headers }, redirect: 'manual' });

const send = (path: string, fields: Record<string, string>, origin = app.url) =>
  fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { ...accept, Origin: origin },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

describe('a refused form', () => {
  it('is compressed for a visitor, and has the code of its refusal in the log', async () => {
    await using edge = await startEdge({
      commands: { logIn: () => Promise.reject(new Refusal('INVALID_CREDENTIALS', 'Incorrect password.')) },
    });
    const answer = await fetch(`${edge.url}/login`, {
      method: 'POST',
      headers: { ...accept, Origin: edge.url },
      body: new URLSearchParams({ email: 'someone@example.org', password: 'incorrect' }),
    });
    assert.deepEqual([answer.status, answer.headers.get('Content-Encoding')], [401, 'gzip']);
    assert.match(await answer.text(), /<form[^>]+action="\/login"/);
    assert.equal(edge.answered[0]?.code, 'INVALID_CREDENTIALS');
  });
});

describe('pages with impossible requests', () => {
  it('say what is wrong with links that are not videos, and keep them in the field', async () => {
    for (const link of ['https://example.com/', 'watch?v=', '"><b>x', '\u202Eabc', 'a'.repeat(5_000)]) {
      const answer = await visit(`/go?link=${encodeURIComponent(link)}`);
      const page = await answer.text();
      assert.match(page, /not a link or id/, link);
      assert.doesNotMatch(page, /<b>x/);
    }
  });

  it('show markup and direction marks of captions as text, each line isolated', async () => {
    const answer = await visit(`/t/${samples.edgeCases}`);
    const page = await answer.text();
    assert.equal(answer.status, 200);
    const list = page.slice(page.indexOf('<ol'), page.indexOf('</ol>'));
    const elements = new Set([...list.matchAll(/<\/?(\w+)/g)].map(([, name]) => name));
    assert.deepEqual([...elements].sort(), ['a', 'li', 'ol', 'p']);
  });

  it('answer an unknown address, and an unknown job, as a page', async () => {
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

  it('refuse a form of more than 1,000 fields', async () => {
    const fields = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`f${n}`, '']));
    const refused = await send('/many', fields);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /Something in this form or address is invalid/);
  });

  it('refuse a form that another site sent', async () => {
    const answer = await send('/many', { links: samples.prose, do: 'count' }, 'https://evil.example');
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

  it('say that the platform or the database is unavailable, with the status of the response and of the service', async () => {
    await using database = await usedDatabase();
    await using proxy = await postgresProxy(database.url);
    await using broken = await startTestApp({ database: proxy, logger: silentLogger });
    const open = (path: string) => fetch(broken.url + path, { headers: accept });
    const refuses = { kind: 'status', status: 500 } as const;
    broken.simulator.plan({ times: 'always', does: refuses });
    const platform = await open(`/t/${samples.prose}`);
    assert.ok(platform.status >= 502 && platform.status <= 504, String(platform.status));
    const said = await platform.text();
    assert.match(said, new RegExp(`<span class="at">${platform.status}</span>`));
    assert.match(said, /PLATFORM_\w+/);
    assert.match(said, /href="\/status"/);

    proxy.isThere = false;
    const away = await open(`/t/${samples.prose}`);
    assert.equal(away.status, 503);
    assert.match(away.headers.get('Retry-After') ?? '', /^\d+$/);
    const page = await away.text();
    assert.match(page, /Part of this service is not responding\.</);
    assert.match(page, /<x-countdown data-seconds="\d+".+href="\/status"/);
    for (const path of ['/', '/docs', '/docs/errors/SERVICE_UNAVAILABLE']) {
      assert.equal((await open(path)).status, 200, path);
    }
  });

  it('show twelve hours in a page of bounded size, in lists that are laid out when they are visible', async () => {
    const lines = 20_000;
    const video = generatedVideo('vid-0000002');
    assert.ok(video);
    const tracks = video.tracks.map((track) => ({ ...track, lines: generatedLines(lines) }));
    await using simulator = await startSimulator({ videos: [{ ...video, durationS: 43_200, tracks }] });
    await using long = await startTestApp({ simulator });
    const answer = await fetch(`${long.url}/t/${video.videoId}`, { headers: accept });
    const page = await answer.text();
    const list = page.slice(page.indexOf('id="transcript"'), page.indexOf('<aside'));
    assert.equal(list.match(/<li/g)?.length, lines);
    assert.equal(list.match(/<ol>/g)?.length, lines / 50);
    assert.ok(page.length < 160 * lines, `${page.length} characters`);
  });
});
