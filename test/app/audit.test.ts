import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { auditRegularly } from '#src/app/open-auditor.ts';
import { systemCall } from '#src/app/open-core.ts';
import { logSome } from '#src/app/open-transparency-log.ts';
import { silentLogger, startTestApp } from '#test/support/app.ts';
import { jsonIn } from '#test/support/response-json.ts';

type Status = { active_alerts: { id: string }[]; audit: { status: string; checked_at: string | null } };

const charge = { what: 'video', operation: 'raw', amount: 1, requests: 1, videoId: null } as const;

describe('the audit of the ledgers', () => {
  it('raises an alert for a mismatch in any book, and ends it once everything matches again', async () => {
    // Without a worker: this test audits itself, more often.
    await using app = await startTestApp({ environment: { ROLE: 'api' } });
    const { ledger, pool, queries, transparency, log, caughtUp } = app.core;
    assert.deepEqual(await queries.auditState(), { checkedAt: null, ageS: null, mismatches: 0, since: null });

    const [{ accountId }, untouched] = [await app.createAccount(), await app.createAccount()];
    const { lastPosition } = await ledger.charge(systemCall(accountId), [charge]);
    for (const model of ['balances', 'usage']) await caughtUp(model, lastPosition);
    const tree = await transparency.log();
    while (await logSome(tree, log)) {}

    await using _ = auditRegularly(app.core, { everyMs: 50, logger: silentLogger });
    const finds = async (mismatches: number): Promise<boolean> => {
      for (const untilMs = Date.now() + 60_000; Date.now() < untilMs; ) {
        const state = await queries.auditState();
        if (state?.checkedAt != null && state.mismatches === mismatches) return true;
        await pause(50);
      }
      return false;
    };
    assert.ok(await finds(0));

    const balance = 'balances SET available =';
    const flipped = 'tlog_bundle SET entries = set_byte(entries, 0, 255 - get_byte(entries, 0))';
    const planted: Readonly<Record<string, readonly [there: string, back: string, mismatches: number]>> = {
      'the balance of an untouched account': [
        `${balance} available + 1 WHERE account_id = '${untouched.accountId}'`,
        `${balance} available - 1 WHERE account_id = '${untouched.accountId}'`,
        1,
      ],
      usage: ['usage SET credits = credits + 1', 'usage SET credits = credits - 1', 1],
      'a leaf': [flipped, flipped, 1],
    };
    for (const [what, [there, back, mismatches]] of Object.entries(planted)) {
      await pool.query(`UPDATE ${there}`);
      assert.ok(await finds(mismatches), what);
      await pool.query(`UPDATE ${back}`);
      assert.ok(await finds(0), `${what}, and back`);
    }

    await pool.query('UPDATE usage SET credits = credits + 1');
    assert.ok(await finds(1));
    const status = await jsonIn<Status>(await app.get('/api/status'));
    assert.ok(status.active_alerts.some(({ id }) => id === 'audit_mismatch'));
    assert.equal(status.audit.status, 'mismatch');
    assert.ok(Date.now() - Date.parse(status.audit.checked_at ?? '') < 60_000);
  });
});
