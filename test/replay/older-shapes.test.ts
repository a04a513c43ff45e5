import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import postgres from 'postgres';
import { projections } from '#projections/index.ts';
import { rowForm } from '#src/adapters/postgres/read-connections.ts';
import { operatorActionsOn } from '#src/app/operator-actions.ts';
import type { EventMeta, NewEvent } from '#src/eventlog/event-log.ts';
import { chainedFromStart, genesisHash, type Link, verifyChain } from '#src/eventlog/hash-chain.ts';
import { postgresEventLog } from '#src/eventlog/postgres-event-log.ts';
import { ensureProjections } from '#src/eventlog/projections/projection.ts';
import { rebuild } from '#src/eventlog/projections/rebuild.ts';
import { NewerSchemaVersionError, type Upcasters } from '#src/eventlog/upcasting.ts';
import { eventSchemas } from '#src/events.ts';
import { idOf, logOnPostgres } from '#test/support/eventlog.ts';
import { projector } from '#test/support/projector.ts';
import { subscription } from '#test/support/subscription.ts';

/*
 * No event that was shipped has an older version. Here one has: a charge once said `cost`, and says `amount` since. Whoever
 * reads the log reads the charge of that time as one of today, and what was hashed stays as it was stored.
 */

const upcasters: Upcasters = { CreditsCharged: { 1: ({ cost, ...rest }) => ({ ...rest, amount: cost }) } };
const accountId = 'acc_older';
const stream = `ledger-${accountId}-2026-11`;
const at = '2026-11-03T10:00:00.000Z';

const stored = (type: string, schemaVersion: number, data: object): NewEvent => ({
  id: idOf(`${type}|${JSON.stringify(data)}`),
  type,
  schemaVersion,
  data: { accountId, at, ...data },
  meta: { occurred_at: at, account_id: accountId },
});
const chargeOf = (chargeId: string) => ({
  ...{ chargeId, operation: 'transcript', requests: 1, priceBook: '2026-11' },
  ...{ keyId: 'key_1', videoId: 'abcdefghijk', requestId: 'req_1' },
});
const events = [
  stored('BookOpened', 1, {
    ...{ period: '2026-11', part: 1, plan: 'starter', anchorDay: 1 },
    ...{ opensAt: '2026-11-01T00:00:00.000Z', closesAt: '2026-12-01T00:00:00.000Z' },
    ...{ previousStream: null, previousHash: null },
    ...{ carriedGrants: [], carriedReservations: [], carriedKeySpend: [] },
  }),
  stored('CreditsGranted', 1, {
    ...{ grantId: idOf('grant'), kind: 'plan', amount: 1_000, by: 'plan', requestId: null },
    expiresAt: '2026-12-01T00:00:00.000Z',
  }),
  stored('CreditsCharged', 1, { ...chargeOf(idOf('first')), cost: 7 }),
  stored('CreditsCharged', 2, { ...chargeOf(idOf('second')), amount: 2 }),
];

const open = async () => {
  const opened = await logOnPostgres();
  const { pool, url } = opened;
  const sql = postgres(url, { ...rowForm, max: 2, onnotice: () => {} });
  const log = postgresEventLog({ pool, upcasters, schemas: eventSchemas });
  return { opened, pool, sql, log };
};

describe('a charge in an older shape', () => {
  let world: Awaited<ReturnType<typeof open>>;
  before(async () => {
    world = await open();
    const { pool, log } = world;
    const append = chainedFromStart(stream, events);
    await pool.query('SELECT * FROM es_append($1, $2, $3)', [
      [stream],
      [null],
      JSON.stringify([
        append.events.map(({ id, type, schemaVersion, data, meta }) => ({
          ...{ event_id: id, type, schema_version: schemaVersion, data, meta },
        })),
      ]),
    ]);
    await ensureProjections(pool, projections);
    const { safeUpTo } = await log.readAll({ after: 0n, limit: 100 });
    for (const projection of projections) {
      await using model = projector({ projection, log, pool, restMs: 0 });
      model.start();
      assert.ok(await model.caughtUpTo(safeUpTo, { timeoutMs: 60_000 }), projection.name);
    }
  });
  after(async () => {
    await world.sql.end({ timeout: 1 });
    await world.opened[Symbol.asyncDispose]();
  });

  const unasked = (): never => {
    throw new Error('no plan is asked for');
  };
  const operations = (log = world.log) =>
    operatorActionsOn({
      ...{ pool: world.pool, sql: world.sql, clock: () => new Date(), log },
      caughtUp: async () => true,
      queries: { accountOverview: unasked },
    });
  const { signal } = new AbortController();
  const month = { from: '2026-11-01', to: '2026-12-01' };

  it('is upcast when it is read from its stream, from the whole log and by a subscription', async () => {
    const { log, pool } = world;
    const amounts = (read: readonly { type: string; data: object }[]) =>
      read.filter(({ type }) => type === 'CreditsCharged').map(({ data }) => Object(data).amount);
    assert.deepEqual(amounts(await log.read(stream)), [7, 2]);
    assert.deepEqual(amounts((await log.readAll({ after: 0n, limit: 100 })).events), [7, 2]);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    await using line = subscription({
      ...{ name: 'reactions', log, pool, types: ['CreditsCharged'], onError: 'stop' },
      handle: async (_, found) => resolve(amounts(found)),
    });
    line.start();
    assert.deepEqual(await promise, [7, 2]);
  });

  it('counts in every read model, and equally after a rebuild', async () => {
    const { log, pool, sql } = world;
    const [spent] = await sql`SELECT sum(credits)::int AS credits FROM usage`;
    assert.equal(spent?.['credits'], 9);
    for (const projection of projections) {
      const { differences } = await rebuild({ pool, log, projection, switching: 'when_equal' });
      assert.equal(differences, 0, projection.name);
    }
  });

  it('counts in the bill of its month and in the verification of its books', async () => {
    const bill = await operations().replayBill({ accountId, ...month }, { signal });
    assert.deepEqual([bill.charged, bill.closing], [9, 991]);
    const { problems } = await operations().verify({ accountId }, { signal });
    assert.deepEqual(problems, []);
  });

  it('is exported as it was stored, with its version and hash', async () => {
    const links: Link[] = [];
    for await (const entry of operations().exportLedger({ accountId }, { signal })) {
      const { id, type, schemaVersion, data, meta, prevHash, hash } = entry;
      const chain = { prev_hash: prevHash, hash };
      const version = BigInt(entry.version);
      links.push({ id, type, schemaVersion, stream, version, data, meta: { ...meta, chain } as EventMeta });
    }
    assert.equal(Object(links[2]?.data).cost, 7);
    assert.deepEqual(
      links.map(({ schemaVersion }) => schemaVersion),
      [1, 1, 1, 2],
    );
    assert.equal(verifyChain(links, { hash: genesisHash, version: 0n }).fault, null);
  });

  it('stops an earlier version of the program at the first event of the new shape', async () => {
    const earlier = postgresEventLog({ pool: world.pool, schemas: eventSchemas });
    await assert.rejects(earlier.read(stream), NewerSchemaVersionError);
    const bill = operations(earlier).replayBill({ accountId, ...month }, { signal });
    await assert.rejects(bill, NewerSchemaVersionError);
    await assert.rejects(operations(earlier).verify({ accountId }, { signal }), NewerSchemaVersionError);
  });
});
