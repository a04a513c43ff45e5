import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accountsOnPostgres, goodPassword, outcomeOf, refused, request } from '#test/support/accounts.ts';
import { plantedPassword } from '#test/support/leaks.ts';

const network = '192.0.2.1';
const newPassword = plantedPassword('new');
const operator = { ...request(), actor: { type: 'operator' as const, id: 'uid-1' } };

const tokenIn = (url: string): string => new URL(url).searchParams.get('token') ?? '';

describe('a link that sets a new password', () => {
  // S86: password links: requested by strangers, used twice, used after the password was set
  it('works once, ends every session and every other link, and lifts the wait of the mailbox', async () => {
    await using accounts = await accountsOnPostgres();
    const { commands } = accounts;
    const { accountId } = await accounts.register('jo@example.org');
    const { token: session } = await accounts.logIn('jo@example.org');
    const issue = async () => (await commands.issuePasswordLink({ accountId, cause: operator })).url;
    const [first, second] = [await issue(), await issue()];
    assert.match(first, /^https:\/\/steno\.example\/reset\?token=[\w-]{43}$/);
    for (let wrong = 0; wrong < 6; wrong += 1) {
      await outcomeOf(accounts.logIn('jo@example.org', 'wrong'));
    }
    await assert.rejects(accounts.logIn('jo@example.org'), refused('RATE_LIMITED'));

    const reset = (url: string, password: string) =>
      commands.resetPassword({ ...{ token: tokenIn(url), password }, network, cause: request() });
    await assert.rejects(reset(first, 'short'), refused('INVALID_REQUEST'));
    assert.equal(await commands.isPasswordLink(tokenIn(first)), true);
    const both = await Promise.all([outcomeOf(reset(first, newPassword)), outcomeOf(reset(first, newPassword))]);
    assert.deepEqual(both.sort(), ['INVALID_REQUEST', 'done']);
    assert.equal(await outcomeOf(reset(second, newPassword)), 'INVALID_REQUEST');
    assert.equal(await commands.authenticate(session), null);
    await assert.rejects(accounts.logIn('jo@example.org'), refused('INVALID_CREDENTIALS'));
    await accounts.logIn('jo@example.org', newPassword);

    const { events } = await accounts.log.readAll({ after: 0n, limit: 100 });
    const types = events.map(({ type }) => type);
    assert.equal(types.filter((type) => type === 'PasswordResetRequested').length, 2);
    assert.equal(types.filter((type) => type === 'PasswordReset').length, 1);
    const { rows } = await accounts.pool.query('SELECT FROM account_links');
    assert.equal(rows.length, 0);
  });

  it('may be requested for any address, and is recorded only if that has an account', async () => {
    await using accounts = await accountsOnPostgres();
    const { commands } = accounts;
    const ask = (email: string) =>
      commands.requestPasswordReset({ email, network, deviceToken: null, cause: request() });
    const { accountId } = await accounts.register('jo@example.org');
    const suspended = await accounts.register('al@example.org');
    await commands.suspendAccount({ accountId: suspended.accountId, cause: operator });
    for (const email of ['Jo@example.org', 'al@example.org', 'nobody@example.org']) await ask(email);
    const { events } = await accounts.log.readAll({ ...{ after: 0n, limit: 100, types: ['PasswordResetRequested'] } });
    assert.deepEqual(
      events.map(({ data }) => [data['accountId'], data['by']]),
      [[accountId, 'owner']],
    );
    for (let times = 1; times < 5; times += 1) await ask('jo@example.org');
    await assert.rejects(ask('jo@example.org'), refused('RATE_LIMITED'));
    accounts.pass(24 * 3_600_000);
    await ask('jo@example.org');
    for (let times = 1; times < 10; times += 1) await ask(`${times}@example.org`);
    await assert.rejects(ask('one.more@example.org'), refused('RATE_LIMITED'));
  });

  it('is mailed to its owner whoever else asks: at least every half hour, and rarely more often', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('jo@example.org');
    const asked = async (from: string, deviceToken: string | null = null) => {
      const asker = { email: 'jo@example.org', network: from, deviceToken, cause: request() };
      await accounts.commands.requestPasswordReset(asker);
      const page = { after: 0n, limit: 500, types: ['PasswordResetRequested'] };
      return (await accounts.log.readAll(page)).events.length;
    };
    for (let n = 0; n < 24; n += 1) {
      await asked(`198.51.100.${n}`);
      accounts.pass(5 * 60_000);
    }
    const before = await asked('203.0.113.1');
    assert.ok(before <= 12, `${before} mails in two hours`);
    accounts.pass(30 * 60_000);
    assert.equal(await asked('203.0.113.1'), before + 1);
  });

  it('may be requested in a browser that was signed in, whoever asks behind its address', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('jo@example.org');
    const { deviceToken } = await accounts.logIn('jo@example.org');
    const ask = (email: string, device: string | null = null) =>
      outcomeOf(
        accounts.commands.requestPasswordReset({ ...{ email, network, cause: request() }, deviceToken: device }),
      );
    for (let times = 0; times < 10; times += 1) await ask(`${times}@example.org`);
    assert.equal(await ask('jo@example.org'), 'RATE_LIMITED');
    assert.equal(await ask('jo@example.org', deviceToken), 'done');
    assert.equal(await ask('al@example.org', deviceToken), 'RATE_LIMITED');
  });

  it('is valid for an hour, until another password is set or the account is erased', async () => {
    await using accounts = await accountsOnPostgres();
    const { commands } = accounts;
    const { accountId } = await accounts.register('jo@example.org');
    const issue = async () => tokenIn((await commands.issuePasswordLink({ accountId, cause: operator })).url);
    const old = await issue();
    accounts.pass(3_600_000);
    assert.equal(await commands.isPasswordLink(old), false);
    const token = await issue();
    await commands.setPassword({ accountId, cause: operator, password: goodPassword });
    assert.equal(await commands.isPasswordLink(token), false);
    const last = await issue();
    await commands.eraseAccountOf({ accountId, cause: operator });
    assert.equal(await commands.isPasswordLink(last), false);
    const { rows } = await accounts.pool.query('SELECT FROM account_links');
    assert.equal(rows.length, 0);
    await assert.rejects(commands.issuePasswordLink({ accountId, cause: operator }), refused('NOT_FOUND'));
  });
});
