import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { adoptSecret } from '#src/app/adopt-secret.ts';
import { checkSetup } from '#src/app/doctor-checks.ts';
import { openApplication } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { type Simulator, startSimulator } from '#test/simulator/main.ts';
import { silentLogger, startTestApp, type TestApp, testSecret } from '#test/support/app.ts';
import { type TestDatabase, usedDatabase } from '#test/support/database.ts';
import { browser } from '#test/support/journey.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { startMailServer } from '#test/support/mail-server.ts';
import { until } from '#test/support/queue.ts';
import { startReceiver } from '#test/support/receiver.ts';

const [first, second] = [testSecret, planted('second-8sKx2LpR7tYb1NcJ5hDf9GaE3u')];
const password = plantedPassword('owner');
const email = 'owner@example.org';

type Environment = Readonly<Record<string, string>>;

/** One installation on one database, started again and again with other settings. */
const installation = (database: TestDatabase, simulator: Simulator, settings: Environment = {}) => {
  const urls = [''];
  const environment = {
    ...{ CAPTCHA_MIN_SOLVE_MS: '0', REGISTRATIONS_PER_IP_HOUR: '100' },
    OUTBOUND_ALLOW: '127.0.0.0/8',
    ...settings,
  };
  const given = (keys: Environment) => ({ DATABASE_URL: database.url, ...environment, ...keys });
  return {
    urls,
    /** A client that stays the same over all starts. */
    page: browser(urls),
    start: async (keys: Environment): Promise<TestApp> => {
      const app = await startTestApp({ ...{ database, simulator, environment: { ...environment, ...keys } } });
      urls[0] = app.url;
      return app;
    },
    config: (keys: Environment) => loadConfig(given(keys)),
    doctor: async (keys: Environment) => {
      for await (const check of checkSetup(loadConfig(given(keys)), { logger: silentLogger })) {
        if (check.name === 'secret') return check;
      }
      throw new Error('SECRET_KEY was not checked');
    },
  };
};

type Page = ReturnType<typeof browser>;

const register = async (page: Page, address: string): Promise<Response> => {
  const body = { email: address, password, ...(await page.solved()) };
  return await page.send('POST', '/api/auth/register', { body });
};

const logIn = async (page: Page, address: string, given = password): Promise<number> =>
  (await page.send('POST', '/api/auth/login', { body: { email: address, password: given } })).status;

/** A key, made under one `Idempotency-Key`: a repeat shows the same one. */
const keyOf = async (page: Page): Promise<string> => {
  const { key } = await page.json<{ key: { fullKey: string } }>(
    201,
    page.send('POST', '/api/account/keys', { body: { name: 'once' }, headers: { 'Idempotency-Key': 'the-key' } }),
  );
  return planted(key.fullKey);
};

type CreatedWebhook = { webhook: { id: string }; secret: string };

const webhookOf = async (page: Page, url: string): Promise<CreatedWebhook> => {
  const sent = page.send('POST', '/api/account/webhooks', { body: { url } });
  const made = await page.json<CreatedWebhook>(201, sent);
  return { ...made, secret: planted(made.secret) };
};

/** Whether the next test delivery of a webhook is signed with its secret. */
const isSigned = async (
  page: Page,
  receiver: Awaited<ReturnType<typeof startReceiver>>,
  { webhook, secret }: CreatedWebhook,
): Promise<boolean> => {
  const before = receiver.received.length;
  const test = await page.send('POST', `/api/account/webhooks/${webhook.id}/test`, { body: {} });
  assert.ok(test.ok, await test.text());
  await receiver.count(before + 1);
  const { body, headers } = receiver.received[before] ?? { body: '', headers: {} };
  try {
    new Webhook(secret).verify(body, textsOf(headers));
    return true;
  } catch {
    return false;
  }
};

const textsOf = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const visit = async (page: Page): Promise<string | undefined> => {
  const read = await page.send('GET', `/api/public/transcripts/${generatedId('vid', 5)}`);
  assert.equal(read.status, 200, await read.text());
  return page.cookie('visitor');
};

describe('another SECRET_KEY', () => {
  it('replaces the former one while all existing data keep working', async () => {
    await using database = await usedDatabase({ isSearched: true });
    await using simulator = await startSimulator();
    await using receiver = await startReceiver();
    await using elsewhere = await startReceiver();
    const { page, urls, start, config, doctor } = installation(database, simulator);
    const stranger = browser(urls);
    const [owner, away] = [email, 'away@example.org'];
    let [key, visitor]: (string | undefined)[] = [];
    let webhook: CreatedWebhook = { webhook: { id: '' }, secret: '' };
    let captcha: Awaited<ReturnType<Page['solved']>> | null = null;
    {
      await using _ = await start({ SECRET_KEY: first });
      for (const address of [owner, away]) {
        assert.equal((await register(page, address)).status, 201);
      }
      assert.equal(await logIn(page, owner), 200);
      key = await keyOf(page);
      webhook = await webhookOf(page, receiver.url);
      assert.ok(await isSigned(page, receiver, webhook));
      visitor = await visit(stranger);
      await visit(stranger);
      captcha = await page.solved();
      const alone = openApplication(config({ SECRET_KEY: second, SECRET_KEY_PREVIOUS: first }), {
        logger: silentLogger,
      });
      await assert.rejects(alone, /process \d+ on \S+ \(all\) does not have it: stop it first/);
    }
    const both = { SECRET_KEY: second, SECRET_KEY_PREVIOUS: first };
    assert.match((await doctor(both)).message, /the next start replaces it/);
    let later: CreatedWebhook = webhook;
    {
      await using app = await start(both);
      assert.equal((await page.send('GET', '/api/account/me')).status, 200, 'the session');
      const body = { email: 'captcha@example.org', password, ...captcha };
      const proved = await page.send('POST', '/api/auth/register', { body });
      assert.equal(proved.status, 201, 'the captcha');
      assert.equal((await register(page, owner)).status, 400, 'the mailbox is taken');
      assert.equal(await logIn(page, owner), 200);
      assert.equal(await keyOf(page), key, 'the stored response');
      assert.ok(await isSigned(page, receiver, webhook));
      later = await webhookOf(page, elsewhere.url);
      assert.notEqual(await visit(stranger), visitor);
      assert.equal(stranger.cookie('visitor')?.split('.')[0], visitor?.split('.')[0]);
      const { rows } = await app.core.pool.query(`SELECT FROM es_stream WHERE stream LIKE 'ledger-vis%'`);
      assert.equal(rows.length, 2, 'one book of the visitor, and one of the address');
      await until(async () => (await doctor(both)).status === 'ok');
      assert.match((await doctor(both)).message, /SECRET_KEY_PREVIOUS can be removed/);
    }
    await assert.rejects(start({ SECRET_KEY: first }), /SECRET_KEY is not the one/);
    await using app = await start({ SECRET_KEY: second });
    for (const address of [owner, away]) {
      assert.equal((await register(page, address)).status, 400);
      assert.equal(await logIn(page, address), 200, address);
      assert.ok(await app.core.commands.findAccount({ email: address }));
    }
    assert.equal(await logIn(page, away, 'not the password'), 401);
    const erased = await app.core.commands.findAccount({ email: away });
    const cause = { actor: { type: 'operator', id: 'cli' }, channel: 'cli' } as const;
    await app.core.commands.eraseAccountOf({
      accountId: erased?.accountId ?? '',
      cause: { ...cause, requestId: 'req_erase', traceparent: null },
    });
    assert.equal((await register(page, away)).status, 400, 'the mailbox is kept for a day');
    assert.equal(await logIn(page, owner), 200);
    assert.equal(await keyOf(page), key);
    assert.ok(await isSigned(page, receiver, webhook));
    assert.ok(await isSigned(page, elsewhere, later));
    const used = await app.get('/v1/usage', { key: key ?? '' });
    assert.equal(used.status, 200);
  });

  it('is first made known to running processes, and then replaces the former one without downtime', async () => {
    await using database = await usedDatabase({ isSearched: true });
    await using simulator = await startSimulator();
    const { page, start, config, doctor } = installation(database, simulator);
    const both = { SECRET_KEY: second, SECRET_KEY_PREVIOUS: first };
    {
      await using _ = await start({ SECRET_KEY: first, SECRET_KEY_PREVIOUS: second });
      await using __ = await openApplication(config(both), { logger: silentLogger });
      assert.equal((await register(page, email)).status, 201, 'under the former key');
      assert.equal(await logIn(page, email), 200);
      assert.match((await doctor(both)).message, /accounts 1, .*has it as SECRET_KEY$/);
    }
    await assert.rejects(start({ SECRET_KEY: second }), /is being replaced.*SECRET_KEY_PREVIOUS/);
    {
      await using _ = await start(both);
      assert.equal((await register(page, email)).status, 400);
      await until(async () => (await doctor(both)).status === 'ok');
    }
    const back = { SECRET_KEY: first, SECRET_KEY_PREVIOUS: second };
    await assert.rejects(start(back), /SECRET_KEY was replaced/);
    await using _ = await start({ SECRET_KEY: second });
    assert.equal(await logIn(page, email), 200);
  });
});

describe('a lost SECRET_KEY', () => {
  it('is given up for another only if each loss is accepted; owners then sign in by a link', async () => {
    await using database = await usedDatabase({ isSearched: true });
    await using simulator = await startSimulator();
    await using receiver = await startReceiver();
    const mails = await startMailServer();
    await using stack = new AsyncDisposableStack();
    stack.defer(() => mails[Symbol.asyncDispose]());
    const settings = { SMTP_URL: mails.url, MAIL_FROM: 'no-reply@steno.example' };
    const { page, start, config } = installation(database, simulator, settings);
    let webhook: CreatedWebhook = { webhook: { id: '' }, secret: '' };
    {
      await using _ = await start({ SECRET_KEY: first });
      assert.equal((await register(page, email)).status, 201);
      assert.equal(await logIn(page, email), 200);
      webhook = await webhookOf(page, receiver.url);
      await keyOf(page);
    }
    const adopt = (accepted: Parameters<typeof adoptSecret>[2], more: Environment = {}) =>
      adoptSecret(config({ SECRET_KEY: second, ...more }), { logger: silentLogger }, accepted);
    const refused = await adopt(['passwords']);
    assert.equal(refused.isDone, false);
    assert.deepEqual(refused.losses, [
      { loss: 'passwords', count: 1 },
      { loss: 'webhook-secrets', count: 1 },
      { loss: 'answers', count: 1 },
    ]);
    await assert.rejects(start({ SECRET_KEY: second }), /SECRET_KEY is not the one/);
    await assert.rejects(adopt([], { SECRET_KEY_PREVIOUS: first }), /nothing is lost/);
    const done = await adopt(['passwords', 'webhook-secrets', 'answers']);
    assert.deepEqual([done.isDone, done.accounts, done.displaced], [true, 1, []]);

    await using app = await start({ SECRET_KEY: second });
    assert.ok(await app.core.commands.findAccount({ email: 'Owner@example.org' }));
    assert.equal((await register(page, email)).status, 400, 'the mailbox is taken');
    assert.equal(await logIn(page, email), 401, 'the password is lost');
    const asked = await page.send('POST', '/api/password/forgot', { body: { email } });
    assert.equal(asked.status, 202);
    const linked = () => mails.received.find(({ text }) => text.includes('/reset?token='));
    await until(async () => linked() !== undefined);
    const token = planted(/\/reset\?token=([\w-]{43})/.exec(linked()?.text ?? '')?.[1] ?? '');
    const next = plantedPassword('after the loss');
    const body = { token, new_password: next };
    assert.equal((await page.send('POST', '/api/password/reset', { body })).status, 204);
    assert.equal(await logIn(page, email, next), 200);
    const { secret } = await page.json<{ secret: string }>(
      200,
      page.send('POST', `/api/account/webhooks/${webhook.webhook.id}/rotate-secret`, { body: {} }),
    );
    assert.ok(await isSigned(page, receiver, { ...webhook, secret: planted(secret) }));
    assert.equal((await adopt([]).catch(({ message }) => message)).includes('stop it first'), true);
  });

  it('loses nothing if only the recorded key was wrong, not that of the rows', async () => {
    await using database = await usedDatabase({ isSearched: true });
    await using simulator = await startSimulator();
    const { page, start, config } = installation(database, simulator);
    {
      await using app = await start({ SECRET_KEY: first });
      assert.equal((await register(page, email)).status, 201);
      await app.core.pool.query(
        `UPDATE secret_fingerprint SET fingerprint = repeat('0', 64), unmarked_id = repeat('0', 16)`,
      );
      await app.core.pool.query('UPDATE account_profiles SET secret_id = NULL, password_secret_id = NULL');
    }
    const { isDone, losses } = await adoptSecret(config({ SECRET_KEY: first }), { logger: silentLogger }, []);
    assert.deepEqual([isDone, losses], [true, []]);
    await using _ = await start({ SECRET_KEY: first });
    assert.equal(await logIn(page, email), 200);
  });
});
