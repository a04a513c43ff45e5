import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresExportSource } from '#src/adapters/postgres/ledger-export-postgres.ts';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { exportLedger } from '#src/queries/ledger-export.ts';
import { testDatabase } from '#test/support/database.ts';
import { bearer, holder, type StartedEdge, startEdge } from '#test/support/http.ts';

const entries = 24_000;
/** Entries that one query reads. */
const part = 2_000;

describe('the export of a long ledger', () => {
  const stack = new AsyncDisposableStack();
  let edge: StartedEdge;
  let pool: ReturnType<typeof postgresPool>;
  let reads = 0;
  before(async () => {
    const database = stack.use(await testDatabase());
    pool = postgresPool({ url: database.url, applicationName: 'test', isPipelined: false });
    stack.defer(() => pool.end());
    for (const accountId of [holder.accountId, 'acc_other']) {
      const stream = `ledger-${accountId}-2026-11`;
      await pool.query(
        `INSERT INTO es_event (stream, version, event_id, type, schema_version, data, meta)
         SELECT $1, n, gen_random_uuid(), 'CreditsCharged', 1, jsonb_build_object('amount', 1, 'text', repeat('x', 300)),
           jsonb_build_object('occurred_at', '2026-11-21T10:00:00Z')
         FROM generate_series(1, $2::int) AS n`,
        [stream, accountId === holder.accountId ? entries : 1],
      );
      await pool.query('INSERT INTO es_stream SELECT stream, max(version) FROM es_event WHERE stream = $1 GROUP BY 1', [
        stream,
      ]);
    }
    const source = postgresExportSource({ pool });
    const exported = exportLedger({
      ...source,
      lines: (one, format) => {
        reads += 1;
        return source.lines(one, format);
      },
    });
    const findKeyHolder = async (secret: string) => ({
      ...holder,
      ...(secret === 'other' ? { accountId: 'acc_other' } : {}),
    });
    edge = stack.use(await startEdge({ queries: { exportLedger: exported, findKeyHolder } }));
  });
  after(() => stack.disposeAsync());

  const begin = async (): Promise<IncomingMessage> => {
    const [answer] = await once(get(`${edge.url}/v1/ledger/export`, { headers: bearer }), 'response');
    return answer;
  };
  const linesOf = async (answer: Response): Promise<number> => (await answer.text()).split('\n').length - 1;

  it('reads no further than its client, and ends with it', async () => {
    const [one, two] = [await begin(), await begin()];
    let read = -1;
    while (read !== reads) {
      read = reads;
      // Far longer than reading a part takes, on a busy machine too.
      await pause(800);
    }
    // What sockets hold is far less than a ledger.
    assert.ok(read < (2 * entries) / part, `${read} parts were read for nobody`);
    assert.equal((await edge.get('/v1/ledger/export')).status, 429);

    for (const answer of [one, two]) answer.destroy();
    let status = 429;
    for (let tries = 0; status === 429 && tries < 100; tries += 1) {
      await pause(20);
      status = (await fetch(`${edge.url}/v1/ledger/export`, { method: 'HEAD', headers: bearer })).status;
    }
    assert.equal(status, 200);
    const { rows } = await pool.query(
      `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE 'COPY%'`,
    );
    assert.deepEqual(rows, []);
    // The next part of each was read while its client waited for nothing.
    assert.ok(reads <= read + 2, `${reads} parts, ${read} of them before`);
    assert.deepEqual(edge.faults, []);
  });

  it('is sent at most twice at once to an account, complete; another account gets its own', async () => {
    const asked = Array.from({ length: 40 }, () => edge.get('/v1/ledger/export'));
    const other = edge.get('/v1/ledger/export', { Authorization: 'Bearer other' });
    const answers = await Promise.all(asked);
    const given = answers.filter(({ status }) => status === 200);
    assert.ok(given.length >= 1 && given.length <= 2, `${given.length}`);
    assert.ok(answers.every(({ status }) => status === 200 || status === 429));
    assert.equal(await linesOf(await other), 1);
    for (const answer of given) assert.equal(await linesOf(answer), entries);
  });
});
