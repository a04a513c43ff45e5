import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import postgres from 'postgres';
import { accountEvents, accountEventsOf } from '#projections/accounts.ts';
import { rowForm } from '#src/adapters/postgres/read-connections.ts';
import { ensureProjections, type Projection } from '#src/eventlog/projections/projection.ts';
import { rebuild } from '#src/eventlog/projections/rebuild.ts';
import { accountsOnPostgres, goodPassword, origin, outcomeOf } from '#test/support/accounts.ts';
import { event, logOnPostgres } from '#test/support/eventlog.ts';
import { projector } from '#test/support/projector.ts';

const tables = { account_events: 'account_events' };

describe('the history of an account', () => {
  it('lists each event with its actor and request, newest first, page by page', async () => {
    await using accounts = await accountsOnPostgres();
    const { accountId, userId } = await accounts.register('jo@example.org');
    await accounts.register('other@example.org');
    await outcomeOf(accounts.logIn('jo@example.org', 'wrong'));
    const { token } = await accounts.logIn('jo@example.org', goodPassword);
    await accounts.commands.logOut({
      token,
      origin,
      cause: { channel: 'web', requestId: 'req_out', traceparent: null },
    });
    await accounts.commands.serveVisitor(
      { token: null, network: '192.0.2.1', cause: { channel: 'web', requestId: 'req_v', traceparent: null } },
      ({ allowance }) => allowance.openBook(),
    );

    await ensureProjections(accounts.pool, [accountEvents]);
    const { events } = await accounts.log.readAll({ after: 0n, limit: 100, types: [...accountEvents.types] });
    // Twice: what is handed over again changes nothing.
    for (const _ of [1, 2]) await accountEvents.fold(accounts.pool, events as never, tables);

    const sql = postgres(accounts.url, { ...rowForm, max: 1 });
    try {
      const first = await accountEventsOf(sql, accountId, { limit: 2, before: null });
      assert.deepEqual(
        first.rows.map(({ type }) => type),
        ['SessionEnded', 'SessionStarted'],
      );
      assert.deepEqual(first.rows[0]?.actor, { type: 'user', id: userId });
      assert.equal(first.rows[0]?.requestId, 'req_out');
      assert.equal(first.rows[1]?.data['failuresBefore'], 1);
      const rest = await accountEventsOf(sql, accountId, { limit: 2, before: first.nextBefore });
      assert.deepEqual(
        rest.rows.map(({ type }) => type),
        ['AccountRegistered'],
      );
      assert.equal(rest.nextBefore, null);
    } finally {
      await sql.end();
    }
  });

  it('includes rotations of secrets that were recorded before the read model read them, once it is rebuilt', async () => {
    const rotations = ['WebhookSecretRotated', 'SigningSecretRotated'];
    const former: Projection = {
      ...(accountEvents as Projection),
      version: 1,
      types: accountEvents.types.filter((type) => !rotations.includes(type)),
    };
    await using opened = await logOnPostgres();
    const { log, pool } = opened;
    await ensureProjections(pool, [former]);
    await using line = projector({ projection: former, log, pool });
    line.start();
    // The last one is of a type that the former version reads: it stores its checkpoint there, not before the rotations.
    const types = ['WebhookRegistered', ...rotations, 'WebhookRemoved'];
    const events = types.map((type) => event(type, { accountId: 'acc_1' }, type));
    const [outcome] = await log.append([{ stream: 'webhooks-acc_1', expected: 0n, events }]);
    const position = outcome?.outcome === 'appended' ? outcome.lastPosition : 0n;
    assert.ok(await line.caughtUpTo(position, { timeoutMs: 60_000 }));
    await line.stop();

    const projection = accountEvents as Projection;
    const done = await rebuild({ pool, log, projection, switching: 'always' });

    assert.deepEqual([done.events, done.differences, done.isSwitched], [4, 2, true]);
    const sql = postgres(opened.url, { ...rowForm, max: 1 });
    try {
      const { rows: told } = await accountEventsOf(sql, 'acc_1', { limit: 10, before: null });
      assert.deepEqual(told.map(({ type }) => type).toReversed(), types);
    } finally {
      await sql.end();
    }
  });
});
