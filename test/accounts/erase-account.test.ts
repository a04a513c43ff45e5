import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { streamOf } from '#src/accounts/sign-in/session.ts';
import { newUuid } from '#src/kernel/ids.ts';
import {
  accountsOnPostgres,
  goodPassword,
  noOwnedResources,
  nothingEnds,
  refused,
  request,
} from '#test/support/accounts.ts';

const personalTables = ['account_profiles', 'account_sessions', 'account_origins'];

const owner = (accountId: string, userId: string) => ({
  accountId,
  network: '192.0.2.1',
  cause: { ...request(), actor: { type: 'user' as const, id: userId } },
});

describe('the copy of the personal data', () => {
  it('holds everything about the person and nothing secret, and is itself recorded', async () => {
    await using accounts = await accountsOnPostgres();
    const { accountId, userId } = await accounts.register('jo@example.org', { name: 'Jo Doe' });
    const { token } = await accounts.logIn('jo@example.org');
    const data = await accounts.commands.exportPersonalData(owner(accountId, userId));
    assert.equal(data.profile.email, 'jo@example.org');
    assert.equal(data.profile.name, 'Jo Doe');
    assert.equal(data.sessions.length, 1);
    assert.ok(data.origins.length >= 2, 'registration and sign-in');
    assert.doesNotMatch(JSON.stringify(data), new RegExp(`argon2|${token}|passwordHash|sha256`, 'i'));
    const { events } = await accounts.log.readAll({ after: 0n, limit: 100 });
    assert.equal(events.at(-1)?.type, 'PersonalDataExported');
  });
});

describe('erasing an account', () => {
  it('requires the password, deletes every row about the person and changes no stored event', async () => {
    await using accounts = await accountsOnPostgres();
    const { accountId, userId } = await accounts.register('jo@example.org', { name: 'Jo Doe' });
    const kept = await accounts.register('other@example.org');
    const { token } = await accounts.logIn('jo@example.org');
    const before = await accounts.log.readAll({ after: 0n, limit: 100 });
    const own = owner(accountId, userId);
    const erase = (password: string) => accounts.commands.eraseAccount({ ...own, password });

    await assert.rejects(erase('wrong'), refused('INVALID_CREDENTIALS'));
    await erase(goodPassword);

    const after = await accounts.log.readAll({ after: 0n, limit: 100 });
    assert.deepEqual(after.events.slice(0, before.events.length), before.events);
    assert.deepEqual(
      after.events
        .slice(before.events.length)
        .map(({ type }) => type)
        .sort(),
      ['AccountErased', 'SessionEnded'],
    );
    for (const table of personalTables) {
      const { rows } = await accounts.pool.query(`SELECT DISTINCT account_id FROM ${table}`);
      assert.ok(
        rows.every((row) => row.account_id === kept.accountId),
        table,
      );
    }
    assert.equal(await accounts.commands.authenticate(token), null);
    await assert.rejects(accounts.logIn('jo@example.org'), refused('INVALID_CREDENTIALS'));
    await assert.rejects(erase(goodPassword), refused('UNAUTHENTICATED'));
    await assert.rejects(accounts.commands.exportPersonalData(own), refused('UNAUTHENTICATED'));
    await accounts.logIn('other@example.org');
  });

  it('frees the mailbox a day later, each time', async () => {
    await using accounts = await accountsOnPostgres();
    const day = 86_400_000;
    for (let lives = 0; lives < 2; lives += 1) {
      const { accountId, userId } = await accounts.register('jo@example.org');
      await accounts.commands.eraseAccount({ ...owner(accountId, userId), password: goodPassword });
      accounts.pass(day - 3_000);
      await assert.rejects(accounts.register('jo@example.org'), refused('INVALID_REQUEST'));
      accounts.pass(day);
    }
    const together = await Promise.allSettled([
      accounts.register('jo@example.org'),
      accounts.register('Jo@example.org'),
    ]);
    assert.deepEqual(together.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    await accounts.logIn('jo@example.org');
  });

  it('ends what belongs to the account in the same transaction, or erases nothing', async () => {
    const ending = { isPossible: false };
    await using accounts = await accountsOnPostgres({
      owned: {
        ...noOwnedResources,
        end: async ({ accountId, now }) => ({
          appends: [
            {
              stream: 'key-key_1',
              expected: 0n,
              events: [
                {
                  id: newUuid(),
                  type: 'KeyRevoked',
                  schemaVersion: 1,
                  data: { accountId },
                  meta: { occurred_at: now.toISOString() },
                },
              ],
            },
          ],
          within: async () => {
            if (!ending.isPossible) throw new Error('keys cannot be revoked now');
            return 'appended';
          },
        }),
      },
    });
    const { accountId, userId } = await accounts.register('jo@example.org');
    const own = { ...owner(accountId, userId), password: goodPassword };
    await assert.rejects(accounts.commands.eraseAccount(own), /keys cannot be revoked/);
    await accounts.logIn('jo@example.org');
    ending.isPossible = true;
    await accounts.commands.eraseAccount(own);
    const { events } = await accounts.log.readAll({ after: 0n, limit: 100, types: ['KeyRevoked'] });
    assert.equal(events.length, 1);
  });
});

describe('an erasure while a client keeps sending requests', () => {
  it('or a new password ends the sessions that start at the same moment', async () => {
    const beside: { logIn: () => Promise<{ token: string }> } = { logIn: () => assert.fail() };
    const tokens: string[] = [];
    await using accounts = await accountsOnPostgres({
      owned: {
        ...noOwnedResources,
        end: async () => {
          tokens.push((await beside.logIn()).token);
          return nothingEnds;
        },
      },
    });
    const { accountId, userId } = await accounts.register('jo@example.org');
    beside.logIn = () => accounts.logIn('jo@example.org');
    await accounts.commands.eraseAccount({ ...owner(accountId, userId), password: goodPassword });
    assert.equal(tokens.length, 1, 'decided once');
    assert.equal(await accounts.commands.authenticate(tokens[0] ?? ''), null);
  });

  it('succeeds although a session that it ends was ended concurrently in each attempt', async () => {
    await using accounts = await accountsOnPostgres();
    const { accountId, userId } = await accounts.register('jo@example.org');
    await accounts.logIn('jo@example.org');
    const { rows } = await accounts.pool.query('SELECT session_id FROM account_sessions');
    const [session] = await accounts.log.append([
      {
        stream: streamOf(rows[0].session_id),
        expected: 1n,
        events: [
          {
            id: newUuid(),
            type: 'SessionEnded',
            schemaVersion: 1,
            data: { accountId, sessionId: rows[0].session_id, why: 'displaced' },
            meta: { occurred_at: '2026-11-21T10:00:00.000Z' },
          },
        ],
      },
    ]);
    assert.equal(session?.outcome, 'appended');
    await accounts.commands.eraseAccount({ ...owner(accountId, userId), password: goodPassword });
    await assert.rejects(accounts.logIn('jo@example.org'), refused('INVALID_CREDENTIALS'));
  });

  it('blocks appends to the account before it reads what to end, and unblocks them if it fails', async () => {
    const steps: string[] = [];
    await using accounts = await accountsOnPostgres({
      owned: {
        block: async () => void steps.push('block'),
        end: async () => {
          steps.push('end');
          throw new Error('the database is away');
        },
        unblock: async () => void steps.push('unblock'),
      },
    });
    const { accountId, userId } = await accounts.register('jo@example.org');
    const own = owner(accountId, userId);
    await assert.rejects(accounts.commands.eraseAccount({ ...own, password: 'wrong' }));
    assert.deepEqual(steps, []);
    await assert.rejects(accounts.commands.eraseAccount({ ...own, password: goodPassword }));
    assert.deepEqual(steps, ['block', 'end', 'unblock']);
  });
});

describe('sweeping', () => {
  it('deletes expired rows and no others', async () => {
    await using accounts = await accountsOnPostgres();
    await accounts.register('jo@example.org');
    await accounts.logIn('jo@example.org');
    const count = async (table: string): Promise<number> =>
      (await accounts.pool.query(`SELECT FROM ${table}`)).rowCount ?? 0;
    await accounts.commands.sweepAccounts();
    assert.deepEqual(
      [await count('account_sessions'), await count('captcha_nonces'), await count('account_origins')],
      [1, 1, 2],
    );
    accounts.pass(91 * 86_400_000);
    await accounts.commands.sweepAccounts();
    for (const table of ['account_sessions', 'captcha_nonces', 'account_origins', 'attempt_tallies']) {
      assert.equal(await count(table), 0, table);
    }
    assert.equal(await count('account_profiles'), 1);
  });
});
