import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { madeDocuments } from '#src/app/documents.ts';
import { statusOf } from '#src/contract/errors.ts';
import { aboutFormat, transcriptFormats } from '#src/contract/formats.ts';
import { failureReasons, failureRow } from '#src/extraction/failures.ts';
import type { TestApp } from '#test/support/app.ts';
import { securityTests, securityTestsPage } from '#test/support/security-tests.ts';
import { everyEndpoint } from '#test/support/website.ts';

const root = new URL('..', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).toSorted();

const outsideBlocks = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '');

/** The text outside of code, where links and words count. */
const proseOf = (text: string): string => outsideBlocks(text).replace(/`[^`\n]+`/g, '');

/** Headings as the addresses that a renderer gives them. */
const anchorsOf = (text: string): readonly string[] =>
  [...outsideBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );

describe('the documents', () => {
  it('that are generated are up to date', () => {
    for (const { path, text } of madeDocuments()) {
      assert.ok(read(path) === text, `${path} is old: npm run docs writes it anew`);
    }
  });

  it('have no broken links', () => {
    const broken = documents.flatMap((path) =>
      [...proseOf(read(path)).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^(https?|mailto):/.test(target))
        .filter((target) => {
          const [file = '', anchor] = target.split('#');
          const there = file === '' ? path : join(dirname(path), file);
          if (!existsSync(join(root, there))) return true;
          return anchor !== undefined && !anchorsOf(read(there)).includes(anchor);
        })
        .map((target) => `${path}: ${target}`),
    );
    assert.deepEqual(broken, []);
  });

  it('link to documents by their names', () => {
    const named = documents.flatMap((path) =>
      [...proseOf(read(path)).matchAll(/\[([\w/.-]+\.(?:md|json|mjs))\]\(([^)#\s]+)/g)]
        .filter(([, label = '', target = '']) => !target.endsWith(label.replace(/^.*\//, '')))
        .map(([link]) => `${path}: ${link}`),
    );
    assert.deepEqual(named, []);
  });

  for (const title of ['A charged transcript', 'An item of a job']) {
    it(`name existing functions in the walk: ${title}`, () => {
      const [, section = ''] = read('docs/architecture.md').split(`### ${title}\n`);
      const [table = ''] = section.split(/^#/m);
      const steps = [...table.matchAll(/^\| `(\w+)` \| `([^`]+)` \|/gm)].map(([, name = '', path = '']) => ({
        name,
        path,
      }));
      const missing = steps.filter(({ name, path }) => !new RegExp(`const ${name}\\b`).test(read(path)));
      assert.deepEqual(missing, []);
      assert.ok(steps.length > 10 && steps.length <= 20, `${steps.length} functions`);
      assert.ok(new Set(steps.map(({ path }) => path)).size <= 12, 'at most 12 files');
    });
  }

  it('contain no path of a machine', () => {
    const named = documents.filter((path) =>
      /(^|[\s('"`=])\/(home|work|root|Users|tmp|private|mnt)\//m.test(read(path)),
    );
    assert.deepEqual(named, []);
  });

  it('compute the hash of an entry as the log does', () => {
    const page = read('docs/analysts.md');
    const [before, hash] = [...page.matchAll(/^```text\n(\w{64})$/gm)].map(([, hex]) => hex);
    const [, body] = /^```json\n(\{.*\})$/m.exec(page) ?? [];
    const lines = read('docs/ledger-example.ndjson').trim().split('\n');
    assert.equal(hash, createHash('sha256').update(`${before}${body}`).digest('hex'));
    assert.equal(hash, JSON.parse(lines.at(-1) ?? '').hash);
  });

  it('list every error code with its status, and no other code', () => {
    const rows = [...read('docs/errors.md').matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)];
    assert.deepEqual(
      rows.map(([, code, status]) => [code, Number(status)]).toSorted(),
      [...Object.entries(statusOf), ['INTERNAL_ERROR', 500]].toSorted(),
    );
  });

  it('list every reason of a failed extraction as the engine defines it', () => {
    const rows = [
      ...read('docs/errors.md').matchAll(/^\| `([a-z_]+)` \| `([A-Z_]+)` \| (yes|no) \| (–|(\d+) (h|min)) \|$/gm),
    ].map(([, reason, code, retryable, , kept, unit]) => [
      reason,
      code,
      retryable === 'yes',
      kept === undefined ? undefined : Number(kept) * (unit === 'h' ? 3600 : 60),
    ]);
    const engine = failureReasons.map((reason) => {
      const { code, retryable, keptForS } = failureRow(reason);
      return [reason, code, retryable, keptForS];
    });
    assert.deepEqual(rows, engine);
  });

  it('name every format where they list formats', () => {
    const lists = [
      [/^`format` is .*$/m.exec(read('README.md')), transcriptFormats],
      [/^\| `-f` \| .*$/m.exec(read('docs/cli.md')), transcriptFormats.map((name) => aboutFormat(name).extension)],
    ] as const;
    for (const [line, names] of lists) for (const name of names) assert.ok(line?.[0].includes(`\`${name}\``), name);
  });

  it('name only endpoints and pages that exist, by method and path', () => {
    const core = { commands: {}, queries: {}, clock: () => new Date() };
    const routes = everyEndpoint({ core: core as unknown as TestApp['core'], url: 'https://steno.example' });
    const known = routes.map(({ method, path }) => {
      const form = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : RegExp.escape(part)));
      return new RegExp(`^${method} ${form.join('/')}$`);
    });
    const named = documents
      .filter((path) => /^(docs\/[^/]+|README\.md)$/.test(path))
      .flatMap((document) =>
        [...outsideBlocks(read(document)).matchAll(/\b(?:GET|POST|PUT|PATCH|DELETE) \/[\w./{}-]*[\w}]/g)].map(
          ([one]) => [document, one] as const,
        ),
      );
    assert.ok(named.length > 50);
    assert.deepEqual(
      named.filter(([, one]) => !known.some((form) => form.test(one))),
      [],
    );
  });

  it('list the security tests by the tags above them, none left out', () => {
    assert.equal(read('docs/security-tests.md'), securityTestsPage(), 'npm run docs');
    const numbers = new Set(securityTests().map(({ number }) => number));
    const wanted = Array.from({ length: numbers.size }, (_, index) => index + 1);
    assert.deepEqual([...numbers], wanted);
  });

  it('group the changes of a version by kind, each kind once', () => {
    const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
    const versions = read('CHANGELOG.md').split(/^## /m).slice(1);
    assert.ok(versions.length > 0);
    for (const version of versions) {
      const named = [...version.matchAll(/^### (.+)$/gm)].map(([, kind = '']) => kind);
      assert.deepEqual(
        named,
        kinds.filter((kind) => named.includes(kind)),
        version.split('\n')[0],
      );
    }
  });

  it('number each decision once', () => {
    const names = documents
      .filter((path) => path.startsWith('docs/decisions/'))
      .map((path) => path.slice('docs/decisions/'.length));
    for (const name of names) {
      assert.match(name, /^\d{4}-[a-z0-9-]+\.md$/);
      const heading = new RegExp(`^# ${name.slice(0, 4)} [^\n.]+\n`);
      assert.match(read(`docs/decisions/${name}`), heading, name);
    }
    const numbers = names.map((name) => name.slice(0, 4));
    assert.deepEqual(numbers, [...new Set(numbers)]);
  });
});
