import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LedgerEntry, Queries } from '#src/queries.ts';
import { errorOf, startEdge } from '#test/support/http.ts';

const entry: LedgerEntry = {
  id: 'e1',
  type: 'CreditsCharged',
  stream: 'ledger-acc_1-2026-11',
  version: '2',
  position: '77',
  occurredAt: '2026-11-21T10:00:00.000Z',
  requestId: 'req_1',
  schemaVersion: 1,
  data: { accountId: 'acc_1', amount: 1 },
  meta: { occurred_at: '2026-11-21T10:00:00.000Z', request_id: 'req_1', channel: 'rest' },
  prevHash: 'aa',
  hash: 'bb',
};

const shown = {
  id: 'e1',
  type: 'CreditsCharged',
  stream: 'ledger-acc_1-2026-11',
  version: '2',
  position: '77',
  occurred_at: '2026-11-21T10:00:00.000Z',
  request_id: 'req_1',
  schema_version: 1,
  data: { accountId: 'acc_1', amount: 1 },
  meta: { occurred_at: '2026-11-21T10:00:00.000Z', request_id: 'req_1', channel: 'rest' },
  prev_hash: 'aa',
  hash: 'bb',
};

describe('GET /v1/ledger', () => {
  it("returns a page of the account's own books and where the next begins", async () => {
    const asked: Parameters<Queries['ledger']>[] = [];
    await using edge = await startEdge({
      queries: {
        ledger: async (...question) => {
          asked.push(question);
          return { entries: [entry], nextBefore: '77' };
        },
      },
    });
    const answer = await edge.get(
      '/v1/ledger?limit=1&before=90&request_id=req_1&cost_tag=team-a&as_of=2026-11-21T10:00:00.000Z',
    );
    assert.deepEqual(await answer.json(), { entries: [shown], next_before: '77' });
    const wanted = { limit: 1, before: '90', requestId: 'req_1', costTag: 'team-a', asOf: '2026-11-21T10:00:00.000Z' };
    assert.deepEqual(asked, [['acc_1', { ...wanted, day: null, kind: null, keyId: null, usedSince: null }]]);
  });

  for (const query of ['limit=0', 'limit=101', 'before=-1', 'before=x', 'request_id=<script>']) {
    it(`refuses ?${query}`, async () => {
      await using edge = await startEdge();
      assert.equal((await edge.get(`/v1/ledger?${query}`)).status, 400);
    });
  }
});

describe('GET /v1/ledger/{id}', () => {
  it('returns an entry with its hashes and the data they cover', async () => {
    await using edge = await startEdge({ queries: { ledgerEntry: async () => entry } });
    assert.deepEqual(await (await edge.get('/v1/ledger/e1')).json(), shown);
  });

  it('answers 404 for an entry that is unknown or belongs to another account', async () => {
    await using edge = await startEdge();
    const answer = await edge.get('/v1/ledger/e2');
    assert.equal(answer.status, 404);
    assert.equal((await errorOf(answer)).code, 'NOT_FOUND');
  });
});
