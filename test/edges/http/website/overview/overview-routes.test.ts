import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newestCharges } from '#src/edges/http/website/overview/overview-routes.ts';
import type { LedgerEntry } from '#src/queries.ts';

const entry = (type: string, position: number): LedgerEntry => ({
  ...{ id: `evt_${position}`, type, stream: 'ledger-acc_1', version: '1', position: String(position) },
  ...{ occurredAt: '2026-11-26T12:00:00.000Z', requestId: null, schemaVersion: 1, meta: {}, prevHash: '', hash: '' },
  data: type === 'OperationFailed' ? {} : { amount: 1 },
});

/** The pages of a ledger with these entries, the newest first. */
const pagesOf = (types: readonly string[]) => {
  const entries = types.map((type, n) => entry(type, types.length - n));
  let reads = 0;
  const read = async (before: string | null) => {
    reads += 1;
    const from = before === null ? 0 : types.length - Number(before) + 1;
    const page = entries.slice(from, from + 50);
    return { entries: page, nextBefore: from + 50 < types.length ? (page.at(-1)?.position ?? null) : null };
  };
  return { read, reads: () => reads };
};

const positionsOf = async (ledger: ReturnType<typeof pagesOf>): Promise<readonly string[]> =>
  (await newestCharges(await ledger.read(null), ledger.read)).map(({ position }) => position);

describe('the last charges of the overview', () => {
  it('are the newest five', async () => {
    const ledger = pagesOf([...Array(6).fill('CreditsCharged'), ...Array(100).fill('OperationFailed')]);
    assert.deepEqual(await positionsOf(ledger), ['106', '105', '104', '103', '102']);
    assert.equal(ledger.reads(), 1);
  });

  it('are found before the entries of a job whose items all failed', async () => {
    const ledger = pagesOf([...Array(400).fill('OperationFailed'), 'CreditsCharged', 'ReservationSettled']);
    assert.deepEqual(await positionsOf(ledger), ['2', '1']);
  });

  it('are looked for in a bounded number of entries', async () => {
    const ledger = pagesOf([...Array(5_000).fill('OperationFailed'), 'CreditsCharged']);
    assert.deepEqual(await positionsOf(ledger), []);
    assert.equal(ledger.reads(), 20);
  });
});
