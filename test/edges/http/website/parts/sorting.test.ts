import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressWith, paged, sorted, sortIn } from '#src/edges/http/website/parts/sorting.ts';
import { wordsOf } from '#src/edges/http/website/words.ts';

const rows = [
  { name: 'key 10', credits: 3 },
  { name: 'key 9', credits: 20 },
  { name: 'Änderung', credits: 7 },
];

/** The table at this address: the order of its names, and where its heads lead. */
const at = (url: string) => {
  const { rows: shown, links } = sorted({ url, words: wordsOf('de') }, rows, {
    name: ({ name }) => name,
    credits: ({ credits }) => credits,
  });
  return { names: shown.map(({ name }) => name), links };
};

describe('a table that sorts by links', () => {
  it('has the order of the address, and reverses it with the next click', () => {
    assert.deepEqual(at('/k').names, ['key 10', 'key 9', 'Änderung']);
    assert.deepEqual(at('/k').links, {
      name: { href: '/k?sort=name', direction: 'none' },
      credits: { href: '/k?sort=-credits', direction: 'none' },
    });
    assert.deepEqual(at('/k?days=7&sort=name').names, ['Änderung', 'key 9', 'key 10']);
    assert.deepEqual(at('/k?days=7&page=2&sort=name').links.name, {
      href: '/k?days=7&sort=-name',
      direction: 'ascending',
    });
    assert.deepEqual(at('/k?sort=-credits').names, ['key 9', 'Änderung', 'key 10']);
    assert.equal(at('/k?sort=-credits').links.credits.href, '/k?sort=credits');
    assert.deepEqual(at('/k?sort=constructor').names, ['key 10', 'key 9', 'Änderung']);
  });

  it('lets the query sort a long list, newest first unless the address names a column', () => {
    const sortAt = (address: string) => sortIn(address, { created: 'descending', credits: 'ascending' }, 'created');
    const newest = sortAt('/jobs?status=failed&before=9&sort=constructor');
    assert.deepEqual(newest.order, { by: 'created', isDescending: true });
    assert.deepEqual(newest.links, {
      created: { href: '/jobs?status=failed&sort=created', direction: 'descending' },
      credits: { href: '/jobs?status=failed&sort=credits', direction: 'none' },
    });
    const byCredits = sortAt('/jobs?sort=credits');
    assert.deepEqual(byCredits.order, { by: 'credits', isDescending: false });
    assert.deepEqual(byCredits.links.credits, { href: '/jobs?sort=-credits', direction: 'ascending' });
    assert.equal(byCredits.links.created.href, '/jobs?sort=-created');
  });

  it('keeps the other parameters of the address, and begins at the first row', () => {
    assert.equal(
      addressWith('/jobs?sort=items&before=9&page=2', { status: 'failed' }),
      '/jobs?sort=items&status=failed',
    );
    assert.equal(addressWith('/jobs?status=failed', { status: null }), '/jobs');
    assert.equal(addressWith('/jobs?valueOf=1', { before: '7' }), '/jobs?valueOf=1&before=7');
  });

  it('shows fifty rows, and leads to the rest in the same order', () => {
    const many = Array.from({ length: 51 }, (_, n) => n);
    const first = paged('/k?sort=name', many);
    assert.deepEqual([first.rows.length, first.next], [50, '/k?sort=name&page=2']);
    assert.deepEqual(paged('/k?page=2', many), { page: 2, rows: [50], next: null });
    for (const page of ['0', '-1', 'x', '1e99']) assert.ok(paged(`/k?page=${page}`, many).page >= 1);
  });
});
