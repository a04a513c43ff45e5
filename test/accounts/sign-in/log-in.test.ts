import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tokenHash } from '#src/accounts/sign-in/end-sessions.ts';
import { newToken } from '#src/kernel/ids.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import {
  accountsOnPostgres,
  goodPassword,
  origin,
  outcomeOf,
  refused,
  request,
  shippedSettings,
} from '#test/support/accounts.ts';
import { planted } from '#test/support/leaks.ts';

const minute = 60_000;
const hour = 3_600_000;
const day = 24 * hour;
const otherPassword = 'another good password 77';

const user = (accountId: string) => ({ ...request(), actor: { type: 'user' as const, id: accountId } });

describe('signing in', () => {
  it('accepts every spelling of the mailbox and issues a new token each time', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('ab@gmail.com');
    const first = await accounts.logIn('ab@gmail.com');
    const second = await accounts.logIn('A.B@googlemail.com');
    assert.match(first.token, /^[A-Za-z0-9_-]{43}$/);
    assert.notEqual(first.token, second.token);
    assert.ok(await accounts.commands.authenticate(first.token));
    assert.ok(await accounts.commands.authenticate(second.token));
  });

  it('gives the same answer for an unknown mailbox, a wrong password and a malformed address', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('a@example.org');
    const refusals: unknown[] = [];
    for (const [email, password] of [
      ['a@example.org', 'wrong password'],
      ['nobody@example.org', 'wrong password'],
      ['no address', goodPassword],
      ['', ''],
      ['a@example.org', 'x'.repeat(10_000)],
    ] as const) {
      await accounts
        .logIn(email, password)
        .catch(({ code, message, details }) => refusals.push({ code, message, details }));
    }
    assert.equal(refusals.length, 5);
    for (const refusal of refusals) assert.deepEqual(refusal, refusals[0]);
  });

  it('keeps only the hash of the token', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('a@example.org');
    const { token } = await accounts.logIn('a@example.org');
    const { rows } = await accounts.pool.query('SELECT s.*, s::text AS row FROM account_sessions s');
    assert.deepEqual(rows[0]?.token_sha256, tokenHash(token));
    assert.doesNotMatch(rows[0]?.row, new RegExp(token));
  });

  it('ends the session of the token that was sent, and never uses a token that it did not issue', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('a@example.org');
    const preset = newToken();
    const first = await accounts.logIn('a@example.org', goodPassword, { formerToken: preset });
    assert.equal(await accounts.commands.authenticate(preset), null);
    const second = await accounts.logIn('a@example.org', goodPassword, { formerToken: first.token });
    assert.equal(await accounts.commands.authenticate(first.token), null);
    assert.ok(await accounts.commands.authenticate(second.token));
  });

  it('keeps the ten newest sessions of an account, even when they begin at once', async () => {
    await using accounts = await accountsOnPostgres();
    const { accountId } = await accounts.register('a@example.org');
    const oldest = await accounts.logIn('a@example.org');
    accounts.pass(1_000);
    await Promise.all(Array.from({ length: 6 }, () => accounts.logIn('a@example.org')));
    accounts.pass(1_000);
    for (let n = 0; n < 4; n += 1) await accounts.logIn('a@example.org');
    assert.equal((await accounts.commands.openSessions(accountId)).length, 10);
    assert.equal(await accounts.commands.authenticate(oldest.token), null);
  });
});

describe('wrong passwords', () => {
  it('are limited to five in fifteen minutes for a mailbox and an address, known or not; then the right one waits too', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('a@example.org');
    for (const email of ['a@example.org', 'nobody@example.org']) {
      for (let n = 0; n < 5; n += 1) {
        await assert.rejects(accounts.logIn(email, 'wrong'), refused('INVALID_CREDENTIALS'));
      }
      await assert.rejects(
        accounts.logIn(email, goodPassword),
        (error: Error) => refused('RATE_LIMITED')(error) && 'retryAfterS' in error && error.retryAfterS === 60,
      );
    }
    accounts.pass(minute);
    await accounts.logIn('a@example.org');
  });

  it('are limited to thirty from one IP address over all mailboxes', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('a@example.org');
    for (let n = 0; n < 30; n += 1) {
      await assert.rejects(accounts.logIn(`p${n}@example.org`, 'wrong'), refused('INVALID_CREDENTIALS'));
    }
    await assert.rejects(accounts.logIn('a@example.org'), refused('RATE_LIMITED'));
    await accounts.logIn('a@example.org', goodPassword, { network: '192.0.2.2' });
    accounts.pass(15 * minute);
    await accounts.logIn('a@example.org');
  });

  it('of a stranger lock the owner out neither elsewhere nor in a browser that was signed in', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('a@example.org');
    const { deviceToken } = await accounts.logIn('a@example.org');
    for (let n = 0; n < 50; n += 1) {
      await outcomeOf(accounts.logIn(n % 2 ? `p${n}@example.org` : 'a@example.org', 'wrong'));
    }
    await assert.rejects(accounts.logIn('a@example.org'), refused('RATE_LIMITED'));
    await accounts.logIn('a@example.org', goodPassword, { network: '192.0.2.2' });
    await accounts.logIn('a@example.org', goodPassword, { deviceToken });
  });

  it('from many addresses are limited to fifty, except in a browser that was signed in', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('a@example.org');
    const { deviceToken } = await accounts.logIn('a@example.org');
    const guess = (n: number) => outcomeOf(accounts.logIn('a@example.org', 'wrong', { network: `198.51.100.${n}` }));
    const outcomes: string[] = [];
    for (let n = 0; n < 60; n += 1) outcomes.push(await guess(n));
    assert.equal(outcomes.filter((outcome) => outcome === 'INVALID_CREDENTIALS').length, 50);
    await accounts.logIn('a@example.org', goodPassword, { deviceToken });
  });

  it('under a stolen cookie of a browser are limited to five more, and a forged one earns nothing', async () => {
    await using accounts = await accountsOnPostgres();
    for (const email of ['a@example.org', 'b@example.org']) await accounts.register(email);
    const { deviceToken } = await accounts.logIn('a@example.org');
    const foreign = (await accounts.logIn('b@example.org')).deviceToken;
    const tried = async (token: string): Promise<number> => {
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => outcomeOf(accounts.logIn('a@example.org', 'wrong', { deviceToken: token }))),
      );
      return outcomes.filter((outcome) => outcome === 'INVALID_CREDENTIALS').length;
    };
    assert.equal(await tried(deviceToken), 10);
    for (const token of [foreign, `${newToken()}.${newToken()}`, 'x', '']) {
      assert.equal(await tried(token), 0);
    }
  });

  it('are limited to five even in parallel', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('a@example.org');
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, () => outcomeOf(accounts.logIn('a@example.org', 'wrong'))),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'INVALID_CREDENTIALS').length, 5);
    assert.equal(outcomes.filter((outcome) => outcome === 'RATE_LIMITED').length, 35);
  });

  it('do not limit many concurrent sign-ins with the right password', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('a@example.org');
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => outcomeOf(accounts.logIn('a@example.org'))));
    assert.deepEqual(new Set(outcomes), new Set(['done']));
  });

  it('are reported at the next sign-in', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('a@example.org');
    for (const _ of [1, 2, 3]) await outcomeOf(accounts.logIn('a@example.org', 'wrong'));
    await accounts.logIn('a@example.org');
    await accounts.logIn('a@example.org');
    const { events } = await accounts.log.readAll({ after: 0n, limit: 100, types: ['SessionStarted'] });
    assert.deepEqual(
      events.map(({ data }) => Object(data).failuresBefore),
      [3, 0],
    );
  });
});

describe('a session', () => {
  it('ends after seven idle days, and is extended by use', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('a@example.org');
    const { token } = await accounts.logIn('a@example.org');
    accounts.pass(day - 1);
    assert.equal((await accounts.commands.authenticate(token))?.isRenewed, false);
    accounts.pass(1);
    assert.equal((await accounts.commands.authenticate(token))?.isRenewed, true);
    accounts.pass(7 * day - 1);
    assert.ok(await accounts.commands.authenticate(token));
    accounts.pass(7 * day);
    assert.equal(await accounts.commands.authenticate(token), null);
  });

  it('ends when its owner signs out; a second time changes nothing', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('a@example.org');
    const { token } = await accounts.logIn('a@example.org');
    for (const _ of [1, 2]) await accounts.commands.logOut({ token, origin, cause: request() });
    assert.equal(await accounts.commands.authenticate(token), null);
    const { events } = await accounts.log.readAll({ after: 0n, limit: 100, types: ['SessionEnded'] });
    assert.equal(events.length, 1);
  });

  it('can be ended from another one, by its owner only', async () => {
    await using accounts = await accountsOnPostgres();
    const { accountId } = await accounts.register('a@example.org');
    const other = await accounts.register('b@example.org');
    const { token, session } = await accounts.logIn('a@example.org');
    const { sessionId } = session;
    const revoke = (by: string) => accounts.commands.revokeSession({ accountId: by, sessionId, cause: user(by) });
    await assert.rejects(revoke(other.accountId), refused('NOT_FOUND'));
    assert.ok(await accounts.commands.authenticate(token));
    await revoke(accountId);
    assert.equal(await accounts.commands.authenticate(token), null);
  });

  it('is found only by a well-formed token', async () => {
    await using accounts = await accountsOnPostgres();
    for (const token of ['', 'abc', `${'a'.repeat(42)}'`, 'a'.repeat(44), '\u0000'.repeat(43)]) {
      assert.equal(await accounts.commands.authenticate(token), null);
    }
  });
});

describe('replacing the password', () => {
  it('requires the current one, ends every session, and invalidates the old one', async () => {
    await using accounts = await accountsOnPostgres();
    const { accountId } = await accounts.register('a@example.org');
    const sessions = [await accounts.logIn('a@example.org'), await accounts.logIn('a@example.org')];
    const own = { accountId, network: '192.0.2.1', cause: user(accountId) };
    const replace = (current: string, next: string) => accounts.commands.replacePassword({ ...own, current, next });

    await assert.rejects(replace('wrong', otherPassword), refused('INVALID_CREDENTIALS'));
    await assert.rejects(replace(goodPassword, 'password1'), refused('INVALID_REQUEST'));
    await replace(goodPassword, otherPassword);
    for (const { token } of sessions) assert.equal(await accounts.commands.authenticate(token), null);
    await assert.rejects(accounts.logIn('a@example.org'), refused('INVALID_CREDENTIALS'));
    await accounts.logIn('a@example.org', otherPassword);
  });

  it('refuses the present one in every composition, to those who know it, and changes nothing', async () => {
    await using accounts = await accountsOnPostgres({ settings: { ...shippedSettings, changesPerDay: 1 } });
    const [composed, decomposed] = (['NFC', 'NFD'] as const).map((form) =>
      planted(`${goodPassword} é`.normalize(form)),
    );
    assert.ok(composed !== undefined && decomposed !== undefined && composed !== decomposed);
    const { accountId } = await accounts.register('a@example.org', { password: composed });
    const { token } = await accounts.logIn('a@example.org', composed);
    const own = { accountId, network: '192.0.2.1', cause: user(accountId) };
    const replace = (current: string, next: string) => accounts.commands.replacePassword({ ...own, current, next });

    await assert.rejects(replace('wrong', composed), refused('INVALID_CREDENTIALS'));
    for (const next of [composed, decomposed]) {
      await assert.rejects(
        replace(composed, next),
        (error: Error) => error instanceof Refusal && JSON.stringify(error.details).includes('"code":"same"'),
      );
    }
    assert.ok(await accounts.commands.authenticate(token));
    await replace(composed, otherPassword);
  });

  it('leaves no session of a concurrent sign-in with the old password', async () => {
    await using accounts = await accountsOnPostgres();
    const { accountId } = await accounts.register('a@example.org');
    const own = { accountId, network: '192.0.2.9', cause: user(accountId) };
    const [, ...signIns] = await Promise.allSettled([
      accounts.commands.replacePassword({ ...own, current: goodPassword, next: otherPassword }),
      ...Array.from({ length: 4 }, () => accounts.logIn('a@example.org')),
    ]);
    for (const signIn of signIns) {
      if (signIn.status === 'rejected') continue;
      assert.equal(await accounts.commands.authenticate(signIn.value.token), null);
    }
  });

  it('is possible ten times a day', async () => {
    const settings = { ...shippedSettings, changesPerDay: 2 };
    await using accounts = await accountsOnPostgres({ settings });
    const { accountId } = await accounts.register('a@example.org');
    const own = { accountId, network: '192.0.2.1', cause: user(accountId) };
    const replace = (current: string, next: string) =>
      outcomeOf(accounts.commands.replacePassword({ ...own, current, next }));
    assert.equal(await replace(goodPassword, otherPassword), 'done');
    assert.equal(await replace(otherPassword, goodPassword), 'done');
    accounts.pass(day - hour);
    await assert.rejects(
      accounts.commands.replacePassword({ ...own, current: goodPassword, next: otherPassword }),
      (error: Error) => refused('RATE_LIMITED')(error) && 'retryAfterS' in error && error.retryAfterS === 3_600,
    );
    accounts.pass(hour);
    assert.equal(await replace(goodPassword, otherPassword), 'done');
  });
});
