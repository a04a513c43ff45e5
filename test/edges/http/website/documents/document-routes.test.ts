import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, it } from 'node:test';
import { renderToString } from 'preact-render-to-string';
import { statusOf } from '#src/contract/errors.ts';
import { errorPage } from '#src/edges/http/website/documents/error-page.tsx';
import { errorEntries, guides, linksOf } from '#src/edges/http/website/documents/guides.ts';
import { guidePage, guidesPage } from '#src/edges/http/website/documents/guides-page.tsx';
import { searchGuides } from '#src/edges/http/website/documents/search-guides.ts';
import type { PageContext } from '#src/edges/http/website/layout.tsx';
import { Markdown, parseMarkdown } from '#src/edges/http/website/parts/markdown.tsx';
import { wordsOf } from '#src/edges/http/website/words.ts';

const root = new URL('../../../../../docs/', import.meta.url);

const context: PageContext = {
  words: wordsOf('en'),
  assets: { style: '/s.css', script: '/s.js', icon: '/i.svg', card: '/c.png' },
  url: '/docs',
  publicUrl: 'https://steno.example',
  user: null,
};

/** The page of a guide with this text. */
const guideWith = (text: string, publicUrl = context.publicUrl): string => {
  const [guide] = guides();
  assert.ok(guide !== undefined);
  return guidePage({ ...context, publicUrl }, { ...guide, document: parseMarkdown(text) }, { next: null });
};

const rendered = (text: string): string =>
  renderToString(Markdown({ tokens: parseMarkdown(text).intro, linkOf: (href) => href }));

describe('documents as pages', () => {
  it('show the HTML in a document as text', () => {
    const page = rendered('a <script>alert(1)</script> b\n\n<img src=x onerror=y>\n\n`<b>`');
    assert.doesNotMatch(page, /<(script|img|b)\b/);
    assert.match(page, /&lt;script>alert\(1\)/);
    assert.match(page, /<code>&lt;b><\/code>/);
  });

  it('leave out comments', () => {
    assert.equal(rendered('<!-- operations -->\n\na\n\n<!-- /operations -->\n'), '<p>a</p>');
  });

  it('leave out the pictures of the pages', () => {
    assert.equal(
      rendered('| ![The start page](docs/start.png) | ![A transcript](docs/t.png) |\n|---|---|\n\na\n'),
      '<p>a</p>',
    );
  });

  it('give each heading the address that links use, and let wide parts scroll by keyboard', () => {
    const page = guideWith('### What it costs, and why\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx\n```');
    assert.match(page, /<h3 id="what-it-costs-and-why">/);
    assert.match(page, /<figure class="table-wrap" tabindex="0" aria-label="a, b">/);
    assert.match(page, /<pre tabindex="0"><code>x<\/code><\/pre>/);
  });

  it('name the address of this server in code, and in links that add it to a client', () => {
    const config = btoa('{"url":"https://steno.example/mcp"}');
    const text = `[Add](https://client.example/install?config=${config})\n\n~~~\ncurl https://steno.example/v1\n~~~`;
    const page = guideWith(text, 'https://here.example');
    assert.ok(page.includes('curl https://here.example/v1'));
    const filled = encodeURIComponent(btoa('{"url":"https://here.example/mcp"}'));
    assert.ok(page.includes(`href="https://client.example/install?config=${filled}"`));
  });

  it('are searched by every word of a query, the section with that heading first, with HTML as text', () => {
    const [first] = searchGuides('IDEMPOTENT requests');
    assert.deepEqual([first?.guide.name, first?.section?.id], ['api', 'idempotent-requests']);
    assert.deepEqual(searchGuides('idempotent xyzzy'), []);
    assert.deepEqual(searchGuides(' '), []);
    const found = searchGuides('<key>');
    assert.ok(found.length > 0);
    const page = guidesPage(context, guides(), [], { query: '"><b>', found });
    assert.match(page, /<mark>&lt;key><\/mark>/);
    assert.match(page, /value="&quot;>&lt;b>"/);
  });

  it('name the account of the reader and a key, whose secret is not stored', () => {
    const text = 'Set `export KEY=stn_live_… ACCOUNT=acc_01a1…`.';
    const [guide] = guides();
    assert.ok(guide !== undefined);
    const shown = { ...guide, document: parseMarkdown(text) };
    const user = { accountId: 'acc_7', key: { name: 'Importer', prefix: 'stn_live_xR1H' } };
    const page = guidePage({ ...context, user }, shown, { next: null });
    assert.match(page, /<code>export KEY=stn_live_xR1H… ACCOUNT=acc_7<\/code>/);
    assert.match(page, /\$KEY is your API key, such as <code>stn_live_xR1H…<\/code> \(Importer\)/);
    assert.match(guidePage(context, shown, { next: null }), /KEY=stn_live_… ACCOUNT=acc_01a1…/);
  });

  it('link to pages and headings that exist', () => {
    const known = new Map<string, string>();
    for (const guide of guides()) {
      known.set(`/docs/${guide.name}`, guidePage(context, guide, { next: null }));
    }
    const others = [
      '/changelog',
      '/openapi.json',
      '/docs/ledger-example.ndjson',
      '/docs/verify-ledger.mjs',
      '/docs/verify-receipt.mjs',
      '/docs/webhook-receiver.mjs',
    ];
    for (const [address, page] of known) {
      for (const [, href = ''] of page
        .slice(page.indexOf('<main'), page.indexOf('</main>'))
        .matchAll(/ href="([/#][^"]*)"/g)) {
        const [path = '', anchor] = href.split('#');
        // Languages of the pages, in the foot.
        if (href.includes('?ui=')) continue;
        if (path === '/docs' || path.endsWith('.md') || others.includes(path)) continue;
        const target = known.get(path === '' ? address : path);
        if (path !== '' && !path.startsWith('/docs')) continue;
        assert.ok(target !== undefined, `${address}: ${href}`);
        if (anchor !== undefined) assert.ok(target.includes(` id="${anchor}"`), `${address}: ${href}`);
      }
    }
    const list = guidesPage(context, guides(), errorEntries(), { query: '', found: null });
    for (const address of known.keys()) assert.ok(list.includes(`href="${address}"`), address);
  });

  it('are served with every document that they link', () => {
    const documents = readdirSync(root).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []));
    const isServed = (file: string): boolean => linksOf('README.md')(file) !== null;
    const files = ['README.md', 'CHANGELOG.md', ...documents].filter(isServed);
    const missing = files.flatMap((file) =>
      [...readFileSync(new URL(`../${file}`, root), 'utf8').matchAll(/\]\(([^)\s#]+\.md)[^)\s]*\)/g)]
        .map(([, href = '']) => join(dirname(file), href))
        .filter((target) => documents.includes(target) && !isServed(target))
        .map((target) => `${file}: ${target}`),
    );
    assert.ok(files.includes('docs/follows.md'));
    assert.deepEqual(missing, []);
  });

  it('have a page for every error code, with its status and an example', () => {
    const codes = errorEntries().map(({ code }) => code);
    assert.deepEqual(codes.toSorted(), [...Object.keys(statusOf), 'INTERNAL_ERROR'].toSorted());
    const entry = errorEntries().find(({ code }) => code === 'VIDEO_UNAVAILABLE');
    assert.ok(entry !== undefined);
    const page = errorPage(context, entry, { example: '{"error":{}}', linkOf: () => null });
    assert.match(page, /<span class="at">404<\/span>/);
    assert.match(page, /region_blocked/);
  });
});
