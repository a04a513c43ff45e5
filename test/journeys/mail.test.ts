import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemCall } from '#src/app/open-core.ts';
import { loadConfig } from '#src/config.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { errorOf } from '#test/support/http.ts';
import { startWorkerInProcess } from '#test/support/in-process-worker.ts';
import { browser } from '#test/support/journey.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { startMailServer } from '#test/support/mail-server.ts';
import { until } from '#test/support/queue.ts';

const password = plantedPassword('mailed');

let app: TestApp;
let server: Awaited<ReturnType<typeof startMailServer>>;
let worker: AsyncDisposable;

/** The mails to an address once there are so many. */
const mailsTo = async (address: string, count: number) => {
  const own = () => server.received.filter(({ to }) => to === address);
  await until(() => own().length >= count);
  assert.equal(
    own().length,
    count,
    own()
      .map(({ headers }) => headers)
      .join('\n\n'),
  );
  return own();
};

const subjectOf = ({ headers }: { headers: string }): string => /^Subject: (.*)$/m.exec(headers)?.[1]?.trim() ?? '';

const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

const logIn = async (email: string, address: string, given = password): Promise<Response> => {
  const answer = await app.post('/api/auth/login', { email, password: given }, from(address));
  planted(answer.headers.getSetCookie()[0]?.split(/[=;]/)[1] ?? '');
  return answer;
};

const create = (email: string) => app.core.commands.createAccount({ email, password, name: null, plan: 'free' });

describe('mails to owners', () => {
  before(async () => {
    let greylisted = 0;
    server = await startMailServer((command) =>
      command.startsWith('RCPT TO:<grey@') && greylisted++ === 0 ? '451 4.7.1 later' : null,
    );
    app = await startTestApp({
      environment: {
        ROLE: 'api',
        SMTP_URL: server.url,
        MAIL_FROM: 'Steno <no-reply@steno.example>',
        PUBLIC_URL: 'https://steno.example',
        TRUSTED_PROXIES: '127.0.0.1/32',
        REQUIRE_MAILBOX_PROOF: 'true',
        CAPTCHA_MIN_SOLVE_MS: '0',
      },
    });
    worker = await startWorkerInProcess(loadConfig({ ...app.environment, ROLE: 'worker' }));
  });
  after(async () => {
    await worker?.[Symbol.asyncDispose]();
    await app?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('report a new key, and a sign-in from a new place', async () => {
    const email = 'ada@example.org';
    await create(email);
    const [key] = await mailsTo(email, 1);
    assert.equal(subjectOf(key ?? { headers: '' }), 'New API key');
    assert.match(key?.text ?? '', /API key \(key_/);
    for (const address of ['198.51.100.7', '198.51.100.9', '198.51.100.7', '203.0.113.5']) {
      assert.equal((await logIn(email, address)).status, 200);
    }
    const [, ...places] = await mailsTo(email, 3);
    assert.deepEqual(places.map(subjectOf), Array(2).fill('New sign-in to your account'));
    const told = places.map(({ text }) => /Address {2}(\S+)/.exec(text)?.[1]);
    assert.deepEqual(told.toSorted(), ['198.51.100.7', '203.0.113.5']);
  });

  it('report a budget that an application has used', async () => {
    const email = 'mary@example.org';
    const { accountId } = await create(email);
    const { commands, ledger } = app.core;
    const budget = { creditsPerDay: 2, creditsTotal: 2 };
    const authorizationId = await commands.grantAuthorization(systemCall(accountId), {
      ...{ ...budget, clientId: 'https://agent.example/client.json', clientName: 'Example agent' },
      ...{ scopes: ['jobs'], expiresAt: '2099-01-01T00:00:00.000Z' },
    });
    const actor = { type: 'authorization', id: authorizationId } as const;
    const charge = { what: 'video', operation: 'transcript', amount: 1, requests: 1, videoId: null } as const;
    await ledger.charge({ ...systemCall(accountId), actor, authorizationId, budget }, [charge]);
    const texts = (await mailsTo(email, 2)).map(({ text }) => text);
    assert.match(texts.join(''), /The application Example agent .* has used 1 of 2 credits of its budget/);
  });

  // S86: password links: requested by strangers, used twice, used after the password was set
  it('carry a link that sets a forgotten password once, with the same answer for every address', async () => {
    const email = 'grace@example.org';
    await create(email);
    const { status: signedIn } = await logIn(email, '198.51.100.7');
    assert.equal(signedIn, 200);
    await mailsTo(email, 2);
    const ask = async (about: string, address = '192.0.2.1') => {
      const startedAt = performance.now();
      const answer = await app.post('/api/password/forgot', { email: about }, from(address));
      return { answer, body: await answer.text(), tookMs: performance.now() - startedAt };
    };
    const asked = [await ask(email), await ask('nobody@example.org')];
    assert.deepEqual(
      asked.map(({ answer }) => answer.status),
      [202, 202],
    );
    assert.equal(asked[0]?.body, asked[1]?.body);
    assert.ok(asked.every(({ tookMs }) => tookMs >= 240));

    const [, , mail] = await mailsTo(email, 3);
    const token = planted(/https:\/\/steno\.example\/reset\?token=([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? '');
    const next = plantedPassword('mailed anew');
    const reset = () => app.post('/api/password/reset', { token, new_password: next });
    assert.deepEqual([(await reset()).status, (await reset()).status], [204, 400]);
    assert.equal((await logIn(email, '198.51.100.7')).status, 401);
    assert.equal((await logIn(email, '198.51.100.7', next)).status, 200);

    const malformed = await ask('no address');
    assert.equal(malformed.answer.status, 400);
    for (let times = 0; times < 4; times += 1) await ask('nobody@example.org');
    const refused = await ask('nobody@example.org');
    assert.equal((await errorOf(new Response(refused.body))).code, 'RATE_LIMITED');
    assert.equal(refused.answer.headers.get('retry-after'), '3600');
  });

  // S88: somebody else's mailbox, for the credits of a plan
  it('verify the mailbox of a registered account before it gets its plan', async () => {
    const email = 'joan@example.org';
    const page = browser([app.url]);
    const body = { email, password, ...(await page.solved()) };
    await page.json(201, page.send('POST', '/api/auth/register', { body }));
    await page.json(200, page.send('POST', '/api/auth/login', { body: { email, password } }));
    type Me = { credits: { remaining: number }; mailbox_proof_pending: boolean };
    const me = () => page.json<Me>(200, page.send('GET', '/api/account/me'));
    const before = await me();
    assert.deepEqual([before.credits.remaining, before.mailbox_proof_pending], [600, true]);
    await page.json(202, page.send('POST', '/api/account/mailbox'));
    const mails = await mailsTo(email, 2);
    assert.deepEqual(mails.map(subjectOf), Array(2).fill('Confirm your e-mail address'));
    const [token = '', other = ''] = mails.map(({ text }) =>
      planted(/https:\/\/steno\.example\/mailbox\?token=([\w-]{43})/.exec(text)?.[1] ?? ''),
    );

    const shown = await page.send('GET', `/mailbox?token=${token}`);
    assert.match(await shown.text(), /<form method="post" action="\/mailbox">/);
    assert.equal((await me()).mailbox_proof_pending, true, 'opening the page proves nothing');
    const form = { method: 'POST', body: new URLSearchParams({ token }) };
    assert.equal((await fetch(`${app.url}/mailbox`, form)).status, 200);
    await until(async () => !(await me()).mailbox_proof_pending);
    assert.equal((await me()).credits.remaining, 10_000);
    for (const used of [token, other, 'x']) {
      const answer = await app.post('/api/mailbox/prove', { token: used });
      assert.deepEqual([answer.status, (await errorOf(answer)).code], [400, 'INVALID_REQUEST']);
    }
    await page.json(202, page.send('POST', '/api/account/mailbox'));
    await mailsTo(email, 2);
  });

  // S87: mail addresses in the queue and in replies of the mail server
  it('are retried while the mail server does not accept them, without personal data in the queue', async () => {
    const email = 'grey@example.org';
    await create(email);
    const waiting = `SELECT q.payload::text AS payload, q.last_error
      FROM graphile_worker._private_jobs AS q JOIN graphile_worker._private_tasks AS t ON t.id = q.task_id
      WHERE t.identifier = 'send-mail' AND q.last_error IS NOT NULL`;
    await until(async () => (await app.core.pool.query(waiting)).rows.length === 1);
    const { rows } = await app.core.pool.query<{ payload: string; last_error: string }>(waiting);
    assert.match(rows[0]?.last_error ?? '', /the mail server answered 451 to RCPT TO/);
    assert.doesNotMatch(JSON.stringify(rows), /grey|example\.org/);
    await app.core.pool.query('UPDATE graphile_worker._private_jobs SET run_at = now()');
    const [mail] = await mailsTo(email, 1);
    assert.equal(subjectOf(mail ?? { headers: '' }), 'New API key');
  });

  it('report low credits once in a period', async () => {
    const { accountId } = await app.createAccount({ credits: 1_001 });
    const { email } = await app.core.commands.profile(accountId);
    await mailsTo(email, 1);
    const spend = { what: 'spent', operation: 'job_item', requests: 1, videoId: null } as const;
    const { ledger } = app.core;
    await ledger.charge(systemCall(accountId), [{ ...spend, amount: 1 }]);
    const [, low] = await mailsTo(email, 2);
    assert.equal(subjectOf(low ?? { headers: '' }), 'Low on credits');
    assert.match(low?.text ?? '', /has 1000 of 10000 credits left/);
    await ledger.charge(systemCall(accountId), [{ ...spend, amount: 1 }]);
    const noted = 'SELECT notice FROM account_notices WHERE account_id = $1';
    assert.equal((await app.core.pool.query(noted, [accountId])).rows.length, 1);
  });
});
