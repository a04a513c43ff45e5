import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { streamOf } from '#src/accounts/account.ts';
import { appendOf } from '#src/accounts/append-events.ts';
import { questionCount, questionOf } from '#src/accounts/registration/captcha-questions.ts';
import { newUuid } from '#src/kernel/ids.ts';
import {
  accountsOnPostgres,
  goodPassword,
  outcomeOf,
  refused,
  registration,
  request,
  shippedSettings,
  solve,
} from '#test/support/accounts.ts';

const hour = 3_600_000;
const { registration: limits } = shippedSettings;
const wide = {
  ...shippedSettings,
  registration: { ...limits, perIpHour: 1000, perIpDay: 1000, captchaFailuresPerIpHour: 1000 },
};

describe('the solver of these tests', () => {
  it('solves every wording of the question', () => {
    for (let wording = 0; wording < questionCount('en'); wording += 1) {
      const { text, answer } = questionOf(wording, (below) => below - 1, 'en');
      assert.equal(solve(text), String(answer), text);
    }
  });
});

describe('registering', () => {
  it('creates an account without personal data in the log', async () => {
    await using accounts = await accountsOnPostgres();
    const profile = await accounts.register('Jo.Doe+x@gmail.com', { name: 'Jo Doe' });
    assert.match(profile.accountId, /^acc_[0-9a-f]{32}$/);
    assert.equal(profile.email, 'Jo.Doe+x@gmail.com');

    const events = await accounts.log.read(streamOf(profile.accountId));
    assert.deepEqual(
      events.map(({ type }) => type),
      ['AccountRegistered'],
    );
    const { rows } = await accounts.pool.query('SELECT stream, data::text, meta::text FROM es_event');
    assert.doesNotMatch(JSON.stringify(rows), /jo\.?doe|gmail|192\.0\.2|battery/i);
  });

  it('stores what other modules add to the registration in the same transaction, or nothing', async () => {
    await using accounts = await accountsOnPostgres({
      // A stream that is not at this version: the log takes none of the appends.
      openBook: ({ accountId, now, cause }) => [
        appendOf(
          `ledger-${accountId}`,
          7n,
          { type: 'BookOpened', data: { accountId, at: now.toISOString() } },
          { id: newUuid(), cause },
        ),
      ],
    });
    await assert.rejects(accounts.register('a@example.org'), refused('INVALID_REQUEST'));
    const { rows } = await accounts.pool.query(
      'SELECT (SELECT count(*) FROM es_event) + (SELECT count(*) FROM account_profiles) AS rows',
    );
    assert.equal(rows[0]?.rows, '0');
  });

  it('creates one account when one mailbox registers twenty times at once', async () => {
    const many = { ...wide.registration, perMailboxDay: 1000 };
    await using accounts = await accountsOnPostgres({ settings: { ...wide, registration: many } });
    const proofs = Array.from({ length: 20 }, () => accounts.solved());
    const outcomes = await Promise.all(proofs.map((proof) => outcomeOf(accounts.register('ab@gmail.com', { proof }))));
    assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 'INVALID_REQUEST').length, 19);
  });

  it('refuses malformed addresses and weak passwords before the captcha is used up', async () => {
    await using accounts = await accountsOnPostgres();
    const proof = accounts.solved();
    await assert.rejects(accounts.register('a@b', { proof }), refused('INVALID_REQUEST'));
    for (const password of ['short', 'password1', 'a@example.org', 'steno2026']) {
      await assert.rejects(accounts.register('a@example.org', { proof, password }), refused('INVALID_REQUEST'));
    }
    await accounts.register('a@example.org', { proof });
  });

  it('needs neither captcha nor limits for an operator, but the same password policy', async () => {
    await using accounts = await accountsOnPostgres();
    const isUnfinished = async () => false;
    const asked = { email: 'op@example.org', name: null, plan: 'free', cause: request() } as const;
    const input = { ...asked, isUnfinished };
    const open = (more: object) => accounts.commands.openAccount({ ...input, password: goodPassword, ...more });
    await assert.rejects(open({ password: 'password1' }), refused('INVALID_REQUEST'));
    await open({});
    await assert.rejects(open({}), refused('INVALID_REQUEST'));
    await accounts.logIn('op@example.org');
  });
});

describe('the captcha of a registration', () => {
  it('is used up by its first answer, right or wrong', async () => {
    await using accounts = await accountsOnPostgres({ settings: wide });
    const wrong = accounts.solved();
    const again = { ...wrong, answer: '1000' };
    await assert.rejects(accounts.register('a@example.org', { proof: again }), refused('CAPTCHA_FAILED'));
    await assert.rejects(accounts.register('a@example.org', { proof: wrong }), refused('CAPTCHA_FAILED'));
    const right = accounts.solved();
    await accounts.register('a@example.org', { proof: right });
    await assert.rejects(accounts.register('b@example.org', { proof: right }), refused('CAPTCHA_FAILED'));
  });

  it('may be answered again after an answer that came too early', async () => {
    await using accounts = await accountsOnPostgres();
    const challenge = accounts.commands.captchaChallenge('en');
    assert.ok(challenge.kind === 'puzzle');
    const { token, question } = challenge;
    const proof = { token, answer: solve(question), response: undefined };
    await assert.rejects(accounts.register('a@example.org', { proof }), refused('CAPTCHA_FAILED'));
    accounts.pass(1_500);
    await accounts.register('a@example.org', { proof });
  });
});

describe('registrations', () => {
  it('are limited to five an hour and twenty a day from one address', async () => {
    await using accounts = await accountsOnPostgres();
    const outcomes: string[] = [];
    for (let n = 0; n < 26; n += 1) {
      if (n > 0 && n % 6 === 0) accounts.pass(hour);
      outcomes.push(await outcomeOf(accounts.register(`p${n}@example.org`)));
    }
    const six = [...Array<string>(5).fill('done'), 'REGISTRATION_BLOCKED'];
    const none = Array<string>(2).fill('REGISTRATION_BLOCKED');
    assert.deepEqual(outcomes, [...six, ...six, ...six, ...six, ...none]);
  });

  it('are limited to three tries a day for one mailbox, whatever its tag', async () => {
    await using accounts = await accountsOnPostgres({ settings: wide });
    const outcomes: string[] = [];
    for (const tag of ['', '+1', '+2', '+3']) {
      outcomes.push(await outcomeOf(accounts.register(`jo${tag}@example.org`)));
    }
    assert.deepEqual(outcomes, ['done', 'done', 'done', 'REGISTRATION_BLOCKED']);
  });

  it('are limited by mail domain, with higher limits for large mail providers', async () => {
    const few = { ...wide.registration, perDomainHour: 2, perFreeMailDomainHour: 3 };
    await using accounts = await accountsOnPostgres({ settings: { ...wide, registration: few } });
    const outcomes: string[] = [];
    for (const email of ['a@x.org', 'b@x.org', 'c@x.org', 'a@gmail.com', 'b@gmail.com', 'c@gmail.com', 'd@gmail.com']) {
      outcomes.push(await outcomeOf(accounts.register(email)));
    }
    const blocked = 'REGISTRATION_BLOCKED';
    assert.deepEqual(outcomes, ['done', 'done', blocked, 'done', 'done', 'done', blocked]);
  });

  it('are limited across the whole service', async () => {
    const few = { ...wide.registration, perHour: 2 };
    await using accounts = await accountsOnPostgres({ settings: { ...wide, registration: few } });
    const outcomes: string[] = [];
    for (const n of [1, 2, 3]) {
      outcomes.push(await outcomeOf(accounts.register(`a@d${n}.org`, { network: `192.0.2.${n}` })));
    }
    assert.deepEqual(outcomes, ['done', 'done', 'REGISTRATION_BLOCKED']);
  });

  it('are refused with the same text and Retry-After whichever limit is reached', async () => {
    const of = async (few: Partial<typeof limits>): Promise<unknown> => {
      const settings = { ...wide, registration: { ...wide.registration, ...few } };
      await using accounts = await accountsOnPostgres({ settings });
      return await accounts
        .register('a@example.org')
        .catch(({ code, message, details, retryAfterS }) => ({ code, message, details, retryAfterS }));
    };
    const refusals = [
      await of({ perIpHour: 0 }),
      await of({ perIpDay: 0 }),
      await of({ perDomainHour: 0 }),
      await of({ perMailboxDay: 0 }),
      await of({ perHour: 0 }),
      await of({ captchaFailuresPerIpHour: 0 }),
    ];
    for (const refusal of refusals) assert.deepEqual(refusal, refusals[0]);
  });

  it('are limited even when their captcha is wrong, and in parallel', async () => {
    const few = { ...wide.registration, captchaFailuresPerIpHour: 3 };
    await using accounts = await accountsOnPostgres({ settings: { ...wide, registration: few } });
    const proofs = Array.from({ length: 10 }, () => ({ ...accounts.solved(), answer: '1000' }));
    const outcomes = await Promise.all(
      proofs.map((proof) => outcomeOf(accounts.commands.register(registration('a@example.org', { proof })))),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'CAPTCHA_FAILED').length, 3);
    assert.equal(outcomes.filter((outcome) => outcome === 'REGISTRATION_BLOCKED').length, 7);
  });
});
