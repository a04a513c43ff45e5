import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { plantedPassword } from '#test/support/leaks.ts';
import { pageBrowser } from '#test/support/website.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp({
    environment: { EXAMPLE_VIDEOS: `${samples.prose}=A lighthouse`, UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000' },
  });
});
after(() => app[Symbol.asyncDispose]());

const browser = { Accept: 'text/html,application/xhtml+xml', 'Sec-Fetch-Site': 'none' };
const visit = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${app.url}${path}`, { headers: { ...browser, ...headers }, redirect: 'manual' });

describe('the website', () => {
  it('starts with one field and what is free today', async () => {
    const answer = await visit('/');
    const page = await answer.text();
    assert.equal(answer.status, 200);
    assert.match(page, /name="link"/);
    assert.match(page, /0 of 600 free credits used today/);
    assert.match(page, /href="\/t\/lighthouse1"/);
    const policy = answer.headers.get('Content-Security-Policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
  });

  it('serves the icon where browsers ask for it, and the plans without an account', async () => {
    const icon = await fetch(`${app.url}/favicon.ico`);
    assert.equal(icon.status, 200);
    assert.match(icon.headers.get('Content-Type') ?? '', /image\/svg/);
    assert.equal((await visit('/account/plans')).status, 200);
  });

  it('sends each kind of link to its page, and keeps what it cannot read in the field', async () => {
    for (const [link, location] of [
      ['https://youtu.be/dQw4w9WgXcQ?t=83', '/t/dQw4w9WgXcQ#t=83'],
      ['dQw4w9WgXcQ', '/t/dQw4w9WgXcQ'],
      ['A song, as apps share it\nhttps://youtu.be/dQw4w9WgXcQ?si=x', '/t/dQw4w9WgXcQ'],
      ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=1m2s', '/t/dQw4w9WgXcQ#t=62'],
    ] as const) {
      const answer = await visit(`/go?link=${encodeURIComponent(link)}`);
      assert.equal(answer.status, 303);
      assert.equal(answer.headers.get('Location'), location);
    }
    const list = await visit('/go?link=https%3A%2F%2Fwww.youtube.com%2Fplaylist%3Flist%3DPL123456789012');
    assert.match(list.headers.get('Location') ?? '', /^\/many\?links=/);
    const wrong = await (await visit('/go?link=%3Cscript%3Ealert(1)')).text();
    assert.match(wrong, /value="&lt;script>alert\(1\)"/);
    assert.match(wrong, /not a link or id/);
  });

  it('shows a transcript with its times, charges the visitor, and counts it on the start page', async () => {
    const answer = await visit(`/t/${samples.prose}`);
    const page = await answer.text();
    assert.equal(answer.status, 200);
    assert.match(page, /<li id="t=1"><a href="#t=1">00:01<\/a>/);
    const cookie = (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    assert.match(cookie, /^visitor=/);
    // The book of a visitor without a cookie is that of its address.
    for (const id of [samples.prose, samples.regional]) {
      assert.equal((await visit(`/t/${id}`, { Cookie: cookie })).status, 200);
    }
    const start = await (await visit('/', { Cookie: cookie })).text();
    assert.match(start, /1 of 600 free credits used today/);
  });

  it('opens no book for a visitor who was charged nothing', async () => {
    const free = await fetch(`${app.url}/api/public/transcripts/${samples.prose}/languages`);
    const Cookie = (free.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    const books = async () => {
      const { rows } = await app.core.pool.query<{ count: string }>(
        `SELECT count(*) FROM es_stream WHERE stream LIKE 'ledger-vis%'`,
      );
      return Number(rows[0]?.count);
    };
    const before = await books();
    assert.match(await (await visit('/', { Cookie })).text(), /0 of 600 free credits used today/);
    assert.equal((await visit('/t/private-001', { Cookie })).status, 404);
    const body = new URLSearchParams({ links: samples.prose, do: 'count' });
    const headers = { ...browser, Cookie, Origin: app.url };
    const list = await fetch(`${app.url}/many`, { method: 'POST', headers, body });
    assert.equal(list.status, 200);
    assert.equal(await books(), before);
    assert.equal((await visit(`/t/${samples.prose}`, { Cookie })).status, 200);
    assert.equal(await books(), before + 1);
  });

  it('compresses a page for browsers that accept it, into the same page', async () => {
    for (const path of [`/t/${samples.regional}`, '/docs/events']) {
      const pages: string[] = [];
      for (const coding of ['gzip', 'identity']) {
        const answer = await visit(path, { 'Accept-Encoding': coding });
        assert.equal(answer.headers.get('Content-Encoding'), coding === 'gzip' ? 'gzip' : null);
        assert.equal(answer.headers.get('Vary'), 'Accept-Encoding');
        pages.push((await answer.text()).replace(/\d{4}-\d\d-\d\d/g, ''));
      }
      assert.equal(pages[0], pages[1]);
    }
  });

  it('allows frames of the player on the pages of a transcript alone', async () => {
    for (const path of [`/t/${samples.prose}`, `/t/${samples.prose}/summary`, '/', '/login', '/status', '/nowhere']) {
      const policy = (await visit(path)).headers.get('Content-Security-Policy') ?? '';
      assert.equal(/frame-src/.test(policy), path.startsWith('/t/'), path);
    }
  });

  it('charges nothing for a request without a response body', async () => {
    const answer = await fetch(`${app.url}/t/${samples.prose}`, { method: 'HEAD' });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.headers.getSetCookie(), []);
  });

  it('returns the transcript as a file, to programs too', async () => {
    const path = `/t/${samples.prose}.srt?lang=en`;
    const curl = { Accept: '*/*', 'User-Agent': 'curl/8.14.1' };
    for (const headers of [{ 'Sec-Fetch-Site': 'none' }, curl]) {
      const answer = await fetch(`${app.url}${path}`, { headers });
      assert.match(answer.headers.get('Content-Type') ?? '', /^application\/x-subrip/);
      assert.equal(answer.headers.get('Content-Disposition'), `attachment; filename="${samples.prose}.en.srt"`);
      assert.match(await answer.text(), /^1\n00:00:01,200 --> /);
    }
    const picture = { Accept: 'image/*', 'User-Agent': 'Mozilla/5.0 (X11)' };
    for (const headers of [picture, { ...curl, Referer: 'https://other.example/' }, { ...curl, Accept: 'text/html' }]) {
      const offer = await fetch(`${app.url}${path}`, { headers });
      assert.match(await offer.text(), /Download SRT for 1 credit/);
    }
  });

  it('offers the available languages if the requested one is missing', async () => {
    const answer = await visit(`/t/${samples.manyLanguages}?lang=fr`);
    assert.equal(answer.status, 404);
    const page = await answer.text();
    assert.match(page, /href="\/t\/languages-6\?lang=ja"/);
    assert.match(page, /LANGUAGE_NOT_AVAILABLE/);
  });

  it('answers failures as pages to browsers and in the Error shape to programs', async () => {
    const page = await visit('/nowhere');
    assert.equal(page.status, 404);
    assert.match(page.headers.get('Content-Type') ?? '', /^text\/html/);
    const shape = await fetch(`${app.url}/nowhere`);
    assert.match(shape.headers.get('Content-Type') ?? '', /^application\/json/);
    for (const path of ['/v1/jobs', '/.well-known/oauth-authorization-server', '/api/nothing']) {
      const answer = await visit(path);
      assert.match(answer.headers.get('Content-Type') ?? '', /^application\/json/, path);
    }
  });

  it('serves its files compressed, cached forever under addresses that name their content', async () => {
    const page = await (await visit('/')).text();
    const style = /href="(\/assets\/style-\w+\.css)"/.exec(page)?.[1] ?? '';
    const answer = await visit(style, { 'Accept-Encoding': 'br' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('Cache-Control'), 'public, max-age=31536000, immutable');
    assert.equal(answer.headers.get('Content-Encoding'), 'br');
    assert.equal((await visit('/assets/nothing.css')).status, 404);
  });

  it('gives other sites a card of each public page, and of no private one', async () => {
    const page = await (await visit(`/t/${samples.prose}`)).text();
    const content = (name: string) => new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(page)?.[1];
    assert.equal(content('og:title'), 'How a lighthouse speaks · Steno');
    assert.match(content('og:description') ?? '', /^Good evening, and welcome to Harbour Notes\. .+…$/);
    assert.equal(content('twitter:card'), 'summary_large_image');
    const picture = new URL(content('og:image') ?? '');
    const image = await fetch(`${app.url}${picture.pathname}`);
    assert.equal(image.headers.get('Content-Type'), 'image/png');
    assert.match(image.headers.get('Cache-Control') ?? '', /immutable/);
    assert.doesNotMatch(await (await visit('/nowhere')).text(), /og:image/);
  });

  it('names the language of each text, and the same page in the other languages', async () => {
    const start = await (await visit('/?ui=de')).text();
    assert.match(start, /<html lang="de"/);
    assert.match(start, /<link rel="alternate" hreflang="ja" href="[^"]+\/\?ui=ja"/);
    const guide = await (await visit('/docs/api?ui=de')).text();
    assert.match(guide, /<title lang="en">The API/);
    assert.match(guide, /<div lang="en"><h1>/);
    // The foot leads to the same guide with the menus in Japanese; there is no Japanese guide.
    assert.doesNotMatch(guide, /rel="alternate" hreflang="ja"/);
    const failed = await (await visit('/t/short?ui=de')).text();
    assert.match(failed, /<p>Das ist weder die ID noch der Link eines Videos\.<\/p>/);
    const arabic = await (await visit(`/t/${samples.manyLanguages}?lang=ar`)).text();
    assert.match(arabic, /<div class="section" dir="rtl">/);
  });

  it('sorts the ledger by time, under its days, and by credits, and ignores an unknown column', async () => {
    const [email, password] = ['sorted@example.org', plantedPassword('sorted')];
    const { apiKey } = await app.core.commands.createAccount({ email, password, name: null, plan: 'pro' });
    for (const id of [samples.prose, samples.regional]) {
      assert.equal((await app.get(`/v1/transcripts/${id}`, { key: apiKey })).status, 200);
    }
    const reader = pageBrowser(app.url);
    await reader.signIn(email, password);
    const balances = async (query: string) => {
      const answer = await reader.open(`/account/ledger${query}`);
      assert.equal(answer.headers.get('Content-Encoding'), null, 'its length tells nobody what it holds');
      const page = await answer.text();
      const cells = [...page.matchAll(/<td data-label="Balance"[^>]*>([^<]*)</g)].map(([, text]) => text);
      const sorted = /aria-sort="(\w+)"><a href="([^"]+)"/.exec(page)?.slice(1);
      return { cells, sorted, hasDays: page.includes('scope="rowgroup"') };
    };
    const newest = await balances('');
    assert.deepEqual(newest.sorted, ['descending', '/account/ledger?sort=time']);
    assert.deepEqual(newest.cells.slice(0, 2), ['9,998', '9,999']);
    assert.deepEqual(await balances('?sort=nothing'), {
      ...newest,
      sorted: ['descending', '/account/ledger?sort=time'],
    });
    assert.deepEqual((await balances('?sort=time')).cells, newest.cells.toReversed());
    const largest = await balances('?sort=credits');
    assert.deepEqual(largest.sorted, ['ascending', '/account/ledger?sort=-credits']);
    assert.deepEqual([largest.cells.slice(0, 2), largest.cells.at(-1)], [['9,999', '9,998'], '10,000']);
    assert.deepEqual([newest.hasDays, largest.hasDays], [true, false]);
  });

  it('serves the documents as pages, as Markdown, and as files', async () => {
    assert.equal((await visit('/docs/analytics')).headers.get('Location'), '/docs/analysts');
    for (const [path, contentType, text] of [
      ['/docs', 'text/html', /href="\/docs\/quick-start"/],
      ['/docs/api', 'text/html', /<h2 id="jobs">/],
      ['/docs/api.md', 'text/markdown', /^# The API/],
      ['/docs/errors/RATE_LIMITED', 'text/html', /Retry-After/],
      ['/docs/errors/RATE_LIMITED.md', 'text/markdown', /^# RATE_LIMITED/],
      ['/docs/verify-ledger.mjs', 'text/javascript', /createHash/],
      ['/changelog', 'text/html', /First version/],
      ['/llms.txt', 'text/plain', /\/docs\/quick-start\.md/],
      ['/sitemap.xml', 'application/xml', /<loc>[^<]+\/docs\/events<\/loc>/],
    ] as const) {
      const answer = await visit(path);
      assert.equal(answer.status, 200, path);
      assert.ok(answer.headers.get('Content-Type')?.startsWith(contentType), path);
      assert.match(await answer.text(), text, path);
    }
    for (const path of ['/docs/nothing', '/docs/errors/NOTHING', '/docs/../package.json.md']) {
      assert.equal((await visit(path)).status, 404, path);
    }
  });
});
