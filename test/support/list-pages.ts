import assert from 'node:assert/strict';
import type { Page } from '#projections/list-order.ts';

/** Reads a list one row at a time, by `nextBefore`. No page is empty. */
export const rowByRow = async <Row>(
  read: (page: { readonly limit: number; readonly before: string | null }) => Promise<Page<Row>>,
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  let before: string | null = null;
  do {
    const page: Page<Row> = await read({ limit: 1, before });
    assert.equal(page.rows.length, 1);
    rows.push(...page.rows);
    before = page.nextBefore;
  } while (before !== null && rows.length < 100);
  return rows;
};
