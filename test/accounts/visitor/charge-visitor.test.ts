import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Visitor } from '#src/accounts/visitor/charge-visitor.ts';
import { accountsOnPostgres, outcomeOf, refused, request, shippedSettings } from '#test/support/accounts.ts';

type Accounts = Awaited<ReturnType<typeof accountsOnPostgres>>;

const visit = (
  { commands }: Accounts,
  more: { token?: string | null; network?: string; credits?: number } = {},
  work: (visitor: Visitor) => Promise<string> = async ({ accountId }) => accountId,
) => {
  const { token = null, network = '192.0.2.1', credits = 1 } = more;
  return commands.serveVisitor({ token, network, cause: request() }, async (visitor) => {
    await visitor.allowance.hold(credits);
    await visitor.allowance.openBook();
    return work(visitor);
  });
};

const few = { ...shippedSettings, visitorCreditsPerDay: 3 };

describe('a visitor without an account', () => {
  it('has a ledger book for the day, opened once, and a cookie that identifies the visitor', async () => {
    await using accounts = await accountsOnPostgres();
    const first = await visit(accounts);
    assert.ok(first.newToken);
    const second = await visit(accounts, { token: first.newToken });
    assert.equal(second.newToken, null);
    assert.notEqual(second.result, first.result, 'without a cookie the book is that of the address');
    const again = await visit(accounts, { token: first.newToken });
    assert.equal(again.result, second.result);
    await Promise.all(Array.from({ length: 10 }, () => visit(accounts, { token: first.newToken })));
    const { events } = await accounts.log.readAll({ after: 0n, limit: 100 });
    assert.deepEqual(
      events.map(({ stream }) => stream),
      [`ledger-${first.result}-2026-11-21`, `ledger-${second.result}-2026-11-21`],
    );
  });

  it('gets no further allowance by deleting or forging the cookie', async () => {
    await using accounts = await accountsOnPostgres();
    const one = await visit(accounts);
    const other = await visit(accounts, { token: `${'A'.repeat(43)}.forged` });
    assert.equal(other.result, one.result);
    assert.ok(other.newToken);
  });

  it('shares the allowance of the IP address with all visitors from there', async () => {
    await using accounts = await accountsOnPostgres({ settings: few });
    const { newToken } = await visit(accounts);
    await visit(accounts, { token: newToken, credits: 2 });
    await assert.rejects(visit(accounts, { token: newToken }), refused('INSUFFICIENT_CREDITS'));
    await assert.rejects(visit(accounts), refused('INSUFFICIENT_CREDITS'));
    await visit(accounts, { network: '192.0.2.2' });
    accounts.pass(86_400_000);
    await visit(accounts, { token: newToken });
  });

  it('gets back what was held and not spent', async () => {
    await using accounts = await accountsOnPostgres({ settings: few });
    await visit(accounts, { credits: 3 }, async ({ allowance }) => {
      await allowance.release(2);
      return '';
    });
    await visit(accounts, { credits: 2 });
    await assert.rejects(visit(accounts), refused('INSUFFICIENT_CREDITS'));
  });

  it('has no book before the first charge, and one book after many concurrent first charges', async () => {
    await using accounts = await accountsOnPostgres();
    const visiting = { token: null, network: '192.0.2.1', cause: request() };
    await accounts.commands.serveVisitor(visiting, async ({ allowance }) => {
      assert.equal(await allowance.hasBook(), false);
      await Promise.all(Array.from({ length: 10 }, () => allowance.openBook()));
      assert.equal(await allowance.hasBook(), true);
    });
    const { events } = await accounts.log.readAll({ after: 0n, limit: 100 });
    assert.equal(new Set(events.map(({ stream }) => stream)).size, 1);
  });

  it('is the same reader on every day', async () => {
    await using accounts = await accountsOnPostgres();
    const readers = new Set<string>();
    const read = (token: string | null) =>
      visit(accounts, { token }, async ({ allowance }) => {
        readers.add(allowance.reader);
        return '';
      });
    const { newToken } = await read(null);
    await read(newToken);
    accounts.pass(86_400_000);
    await read(newToken);
    assert.equal(readers.size, 1);
    await read(null);
    assert.equal(readers.size, 2);
  });

  it('never spends more than the allowance in parallel', async () => {
    await using accounts = await accountsOnPostgres({ settings: few });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcomeOf(visit(accounts))));
    assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 3);
  });

  it('leaves no personal data in the log', async () => {
    await using accounts = await accountsOnPostgres();
    await visit(accounts);
    const { rows } = await accounts.pool.query(
      'SELECT (SELECT json_agg(e)::text FROM es_event e) || (SELECT json_agg(t)::text FROM attempt_tallies t) AS all',
    );
    assert.doesNotMatch(rows[0]?.all, /192\.0\.2/);
  });
});
