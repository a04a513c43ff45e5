import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { systemCall } from '#src/app/open-core.ts';
import { onceToken } from '#src/edges/http/website/parts/form-key.ts';
import { channels } from '#test/simulator/collections.ts';
import { samples } from '#test/simulator/samples.ts';
import { solve } from '#test/support/accounts.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { over } from '#test/support/job-watch.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { startMailServer } from '#test/support/mail-server.ts';
import { until } from '#test/support/queue.ts';
import { formsIn, headingAboveText, pageBrowser, websiteEndpoints } from '#test/support/website.ts';

const password = plantedPassword('repeats');
const secretForm = /stn_live_[0-9A-Za-z]{38}|whsec_[\w+/=]{20,}/;

let app: TestApp;
let database: Client;
let mails: Awaited<ReturnType<typeof startMailServer>>;
before(async () => {
  mails = await startMailServer();
  app = await startTestApp({
    environment: {
      CAPTCHA_MIN_SOLVE_MS: '0',
      OUTBOUND_ALLOW: '127.0.0.0/8',
      UNAUTHENTICATED_REQUESTS_PER_MINUTE: '10000',
      SMTP_URL: mails.url,
      MAIL_FROM: 'Steno <no-reply@steno.example>',
      REQUIRE_MAILBOX_PROOF: 'true',
    },
  });
  database = new Client({ connectionString: app.databaseUrl });
  await database.connect();
});
after(async () => {
  await database.end();
  await app[Symbol.asyncDispose]();
  await mails[Symbol.asyncDispose]();
});

/** Somebody who is signed in. */
const owner = async () => {
  const { commands, queries } = app.core;
  const email = `${randomUUID()}@example.org`;
  const account = { email, password, name: null, plan: 'pro' } as const;
  const { accountId, apiKey: key } = await commands.createAccount(account);
  planted(key);
  const browser = pageBrowser(app.url);
  await browser.signIn(email, password);
  const cause = { ...systemCall(accountId), actor: { type: 'operator', id: 'test' } } as const;
  return {
    ...{ accountId, browser, email, key },
    keyId: async () => (await queries.keys(accountId))[0]?.keyId ?? '',
    webhookId: async () => {
      const hook = { url: `http://127.0.0.1:9/${randomUUID()}` };
      const made = await app.post('/v1/webhooks', hook, { key });
      const { webhook, secret } = (await made.json()) as { webhook: { id: string }; secret: string };
      planted(secret);
      return webhook.id;
    },
    jobId: async () => {
      const made = await app.post('/v1/jobs', { ids: [samples.private] }, { key });
      const { job_id: jobId } = (await made.json()) as { job_id: string };
      await over(app, key, jobId);
      return jobId;
    },
    passwordToken: async () => {
      const { url } = await commands.issuePasswordLink({ accountId, cause });
      return planted(new URL(url).searchParams.get('token') ?? '');
    },
  };
};
type Owner = Awaited<ReturnType<typeof owner>>;

const registration = async ({ browser }: Pick<Owner, 'browser'>) => {
  const text = await (await browser.open('/register?ui=en')).text();
  const label = /for="captcha_answer">([^<]+)</.exec(text)?.[1] ?? '';
  return {
    email: `${randomUUID()}@example.org`,
    password,
    captcha_token: planted(/name="captcha_token" value="([^"]+)"/.exec(text)?.[1] ?? ''),
    captcha_answer: solve(label.slice(label.indexOf(':'))),
  };
};

/** Registers and signs in; resolves with the token of the mail that proves the mailbox. */
const registered = async ({ browser }: Pick<Owner, 'browser'>): Promise<string> => {
  const fields = await registration({ browser });
  await browser.send('/register', fields);
  await browser.signIn(fields.email, password);
  const own = () => mails.received.find(({ to }) => to === fields.email);
  await until(() => own() !== undefined);
  return planted(/token=([\w-]+)/.exec(own()?.text ?? '')?.[1] ?? '');
};

type FormPost = {
  /** The page with the form. */
  readonly page: string;
  readonly action: string;
  readonly fields?: Readonly<Record<string, string>>;
};

const ofWebhook =
  (name: string) =>
  async ({ webhookId }: Owner): Promise<FormPost> => {
    const page = `/account/webhooks/${await webhookId()}`;
    return { page, action: `${page}/${name}` };
  };
/** A form on a page of its own, which asks first. */
const asked = (address: string): FormPost => ({ page: address, action: address.split('?')[0] ?? '' });
const ofKey =
  (name: string) =>
  async ({ keyId }: Owner): Promise<FormPost> =>
    asked(`/account/keys/${await keyId()}/${name}`);
const ofJob =
  (name: string) =>
  async ({ jobId }: Owner): Promise<FormPost> => {
    const page = `/jobs/${await jobId()}`;
    return { page, action: `${page}/${name}` };
  };
const onPage =
  (page: string, action = page, fields = {}) =>
  (): FormPost => ({ page, action, fields });

/** How each form of the website is filled in; null: a repeat changes nothing, or is one operation by itself. */
const forms: Readonly<Record<string, ((by: Owner) => Promise<FormPost> | FormPost) | null>> = {
  '/login': null,
  '/logout': null,
  '/account/webhooks/check': null,
  '/account/security/export': null,
  '/account/grants/:id/end': null,
  // A channel is followed once; the others set what they say.
  '/account/follows': null,
  '/account/follows/:followId/budget': null,
  '/account/follows/:followId/check': null,
  '/account/follows/:followId/pause': null,
  '/account/follows/:followId/resume': null,
  '/account/follows/:followId/feed': null,
  '/account/follows/:followId/end': null,
  // What the account has set is what was chosen last.
  '/account/grants/settings': null,
  // A video is removed once; the default is what was chosen last.
  '/account/library/:id/remove': null,
  '/account/library/clear': null,
  '/account/library/default': null,
  // Each request for consent is decided once.
  '/oauth/consent/:uid': null,
  // Charged once by its deduplication key.
  '/account/library/ask': null,
  '/t/:file': null,
  '/t/:id/:tab': null,
  '/many': async () => ({
    page: '/many',
    action: '/many',
    fields: { links: samples.prose, do: 'start', listed: await listed(samples.prose) },
  }),
  '/jobs/:jobId/cancel': null,
  '/jobs/:jobId/retry': ofJob('retry'),
  '/register': async ({ browser }) => ({
    ...{ page: '/register', action: '/register', fields: await registration({ browser }) },
  }),
  '/forgot': ({ email }) => ({ page: '/forgot', action: '/forgot', fields: { email } }),
  '/reset': async ({ browser, passwordToken }) => {
    await browser.send('/logout', {});
    const page = `/reset?token=${await passwordToken()}`;
    return { page, action: '/reset', fields: { password: plantedPassword('reset') } };
  },
  '/mailbox': async ({ browser }) => ({ page: `/mailbox?token=${await registered({ browser })}`, action: '/mailbox' }),
  '/account/mailbox': async ({ browser }) => {
    await registered({ browser });
    return { page: '/account', action: '/account/mailbox' };
  },
  '/account/keys': onPage('/account/keys', '/account/keys', { name: 'one', cap: '' }),
  '/account/keys/:id/roll': ofKey('roll'),
  '/account/keys/:id/revoke': ofKey('revoke'),
  '/account/webhooks': onPage('/account/webhooks', '/account/webhooks', { url: 'http://127.0.0.1:9/in' }),
  '/account/webhooks/secret': () => asked('/account/webhooks/secret'),
  // It is as it was set last, and what is sent again has not failed since.
  '/account/webhooks/:webhookId/edit': null,
  '/account/webhooks/:webhookId/recover': null,
  '/account/webhooks/:webhookId/test': ofWebhook('test'),
  '/account/webhooks/:webhookId/rotate': async (by) => asked((await ofWebhook('rotate')(by)).action),
  '/account/webhooks/:webhookId/disable': ofWebhook('disable'),
  '/account/webhooks/:webhookId/enable': async (by) => {
    const { page, action } = await ofWebhook('disable')(by);
    await by.browser.send(action, {});
    return { page, action: `${page}/enable` };
  },
  '/account/webhooks/:webhookId/remove': async (by) => asked((await ofWebhook('remove')(by)).action),
  '/account/webhooks/:webhookId/deliveries/:deliveryId/replay': async (by) => {
    const { page } = await ofWebhook('test')(by);
    await by.browser.send(`${page}/test`, {});
    const text = await (await by.browser.open(page)).text();
    return { page, action: /action="([^"]+\/replay)"/.exec(text)?.[1] ?? '' };
  },
  '/account/security/sessions': async ({ accountId, browser, email }) => {
    await pageBrowser(app.url).signIn(email, password);
    const text = await (await browser.open('/account/security')).text();
    assert.equal((await app.core.commands.openSessions(accountId)).length, 2);
    return asked(/href="([^"]+sessions\?id=[^"]+)"/.exec(text)?.[1] ?? '');
  },
  '/account/security/password': onPage('/account/security', '/account/security/password', {
    ...{ current: password, next: plantedPassword('next') },
  }),
  '/account/security/erase': () => ({ ...asked('/account/security/erase'), fields: { password } }),
};

/** The name of a list whose price was shown. */
const listed = async (links: string): Promise<string> => {
  const answer = await pageBrowser(app.url).send('/many', { links, do: 'count' });
  return /name="listed" value="([^"]+)"/.exec(await answer.text())?.[1] ?? '';
};

/**
 * Does work while the database refuses to store answers of forms, or to forget attempts. Ends the leases of the attempts, so
 * that the next one need not wait.
 */
const losing = async <Result>(what: 'answers' | 'attempts', work: () => Promise<Result>): Promise<Result> => {
  const statement = { answers: 'UPDATE', attempts: 'DELETE' }[what];
  const condition = { answers: 'WHEN (NEW.status IS NOT NULL)', attempts: '' }[what];
  await database.query(`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'it is lost'; END $$;
    CREATE TRIGGER lose BEFORE ${statement} ON idempotency_keys FOR EACH ROW ${condition} EXECUTE FUNCTION lose()`);
  try {
    return await work();
  } finally {
    await database.query('DROP FUNCTION lose CASCADE');
    await database.query('UPDATE idempotency_keys SET leased_until = now() WHERE status IS NULL');
  }
};

/** How many events a form has caused; a repeated registration signs in once more. */
const changes = async (path: string): Promise<number> => {
  const types = path === '/register' ? 'AccountRegistered' : '%';
  const sql = `SELECT count(*)::int AS n FROM es_event WHERE meta->>'channel' = 'web' AND type LIKE $1`;
  const { rows } = await database.query<{ n: number }>(sql, [types]);
  return rows[0]?.n ?? 0;
};

/** What an answer says and where it leads, with the secret that it shows. */
const gist = async (answer: Response) => {
  const [secret = null] = secretForm.exec(await answer.text()) ?? [];
  planted(secret ?? '');
  return { status: answer.status, location: answer.headers.get('Location'), secret };
};

describe('a form that is sent again under its `once`', () => {
  let ownerOfMost: Promise<Owner>;
  before(() => {
    ownerOfMost = owner();
  });

  it('is on every page that sends something', () => {
    const posts = websiteEndpoints(app).filter(({ method }) => method === 'POST');
    assert.deepEqual(posts.map(({ path }) => path).sort(), Object.keys(forms).sort());
  });

  for (const [path, filledIn] of Object.entries(forms)) {
    if (filledIn === null) continue;
    it(`is executed once, gets the first response again, and is refused with other fields: ${path}`, async () => {
      const by = await (/security|reset|mailbox|register/.test(path) ? owner() : ownerOfMost);
      const { page, action, fields = {} } = await filledIn(by);
      const hidden = (await by.browser.form(page, action)).fields;
      const all = { ...hidden, ...fields };
      assert.match(all['once'] ?? '', /^frm_/);
      const before = await changes(path);
      const first = await gist(await by.browser.send(action, all));
      assert.ok(first.status < 400, `${first.status}`);
      const done = await changes(path);
      assert.ok(done > before || path === '/forgot' || path === '/account/mailbox');
      const isSignedOut = /security.(password|erase)$/.test(action);
      const again = await Promise.all([1, 2, 3].map(() => by.browser.send(action, all)));
      for (const answer of again) {
        if (isSignedOut) assert.equal(answer.status, 401);
        else assert.deepEqual(await gist(answer), first);
      }
      const other = await by.browser.send(action, { ...all, other: 'field' });
      assert.equal(other.status, isSignedOut ? 401 : 422);
      if (!isSignedOut) assert.match(await other.text(), /IDEMPOTENCY_KEY_REUSED/);
      assert.equal(await changes(path), done);
    });
  }

  it('is executed once when it is sent forty times at the same moment', async () => {
    const { browser, accountId } = await owner();
    const { fields } = await browser.form('/account/keys', '/account/keys');
    const answers = await Promise.all(
      Array.from({ length: 40 }, async () => gist(await browser.send('/account/keys', { ...fields, name: 'at once' }))),
    );
    assert.equal(new Set(answers.map(({ secret }) => secret)).size, 1);
    assert.ok(answers[0]?.secret);
    const keys = await app.core.queries.keys(accountId);
    assert.equal(keys.filter(({ name }) => name === 'at once').length, 1);
  });

  it('shows its secret again for five minutes, only to the session that created it', async () => {
    const { browser, email } = await owner();
    const { fields } = await browser.form('/account/keys', '/account/keys');
    const send = (by = browser) => by.send('/account/keys', { ...fields, name: 'mine' });
    const { secret } = await gist(await send());
    assert.ok(secret);
    const elsewhere = pageBrowser(app.url);
    await elsewhere.signIn(email, password);
    const other = await (await send(elsewhere)).text();
    assert.doesNotMatch(other, secretForm);
    assert.match(other, /You already submitted this form/);
    const age = (minutes: number) =>
      database.query(
        `UPDATE idempotency_keys SET headers = jsonb_set(headers, '{Shown-At}', to_jsonb($2::text)) WHERE key = $1`,
        [fields['once'], new Date(Date.now() - minutes * 60_000).toISOString()],
      );
    await age(4.9);
    const late = await send();
    assert.equal(late.headers.get('Shown-To'), null);
    assert.equal((await gist(late)).secret, secret);
    await age(5.1);
    const later = await (await send()).text();
    assert.doesNotMatch(later, secretForm);
    assert.match(later, /You already submitted this form/);
    await age(0);
    await browser.send('/logout', {});
    assert.equal((await send()).status, 401);
    await browser.signIn(email, password);
    assert.doesNotMatch(await (await send()).text(), secretForm);
  });

  it('is refused when the form is more than a day old, and may be corrected after a refusal', async () => {
    const { browser, accountId } = await owner();
    const { fields } = await browser.form('/account/keys', '/account/keys');
    const old = `frm_${(Date.now() - 25 * 3_600_000).toString(16).padStart(12, '0')}7${'0'.repeat(19)}`;
    const refused = await browser.send('/account/keys?ui=en', { once: old, name: 'old' });
    assert.equal(refused.status, 400);
    const text = await refused.text();
    assert.match(text, /This form is more than a day old/);
    assert.deepEqual(
      formsIn(text).filter(({ action }) => action === '/account/keys'),
      [],
    );
    for (const wrong of [
      { cap: 'many' },
      { cap: '1e3' },
      { cap: '7', warn_at: '0x32' },
      { cap: '1000000001' },
      { cap: '7', cap_period: 'month' },
      { cap: '7', warn_at: '50, all' },
      { cap: '7', warn_at: '100' },
    ]) {
      assert.equal((await browser.send('/account/keys', { ...fields, ...wrong })).status, 400, JSON.stringify(wrong));
    }
    const cap = { cap: '7', cap_period: 'day', warn_at: '90, 50 %' };
    const right = await gist(await browser.send('/account/keys?ui=en', { ...fields, ...cap }));
    assert.ok(right.secret);
    const made = (await app.core.queries.keys(accountId)).find(({ capCredits }) => capCredits === 7);
    assert.partialDeepStrictEqual(made, { capPeriod: 'day', warnAt: [50, 90] });
  });

  it('is shown again with the status of its refusal, and with when to try again', async () => {
    const { browser } = await owner();
    const follow = { source: channels.harbour, max_credits_per_period: '5' };
    const follows = () => browser.send('/account/follows', follow);
    assert.equal((await follows()).status, 303);
    const twice = await follows();
    assert.equal(twice.status, 409);
    assert.match(await twice.text(), /<form[^>]+action="\/account\/follows"/);

    const path = '/account/security/password';
    const wrong = () => browser.send(path, { current: plantedPassword('wrong'), next: plantedPassword('next') });
    const first = await wrong();
    assert.deepEqual([first.status, first.headers.get('Retry-After')], [401, null]);
    let last = first;
    for (let tries = 1; tries < 20 && last.status === 401; tries += 1) last = await wrong();
    assert.equal(last.status, 429);
    assert.match(last.headers.get('Retry-After') ?? '', /^\d+$/);
    assert.match(await last.text(), /<form[^>]+action="\/account\/security\/password"/);
  });

  it('is sent again as it was after 5xx, and has a new `once` only if nothing can have been done', async () => {
    const { browser, accountId } = await owner();
    const path = '/account/follows';
    const send = async (source: string, once: string, budget: string) => {
      const answer = await browser.send(path, { source, once, max_credits_per_period: budget });
      const shown = formsIn(await answer.text()).find(({ action }) => action === path)?.fields['once'];
      return { status: answer.status, shown: shown === undefined ? 'no form' : shown === once ? 'as sent' : 'anew' };
    };
    const newOnce = async () => (await browser.form(path, path)).fields['once'] ?? '';
    const [once, other] = [await newOnce(), await newOnce()];
    assert.deepEqual(await send(channels.removed, await newOnce(), '5'), { status: 404, shown: 'anew' });
    app.simulator.plan({ times: 'always', does: { kind: 'status', status: 400 } });
    assert.deepEqual(await send(channels.empty, once, '5'), { status: 502, shown: 'as sent' });
    assert.deepEqual(await send(channels.market, other, '5'), { status: 502, shown: 'as sent' });
    app.simulator.reset();
    assert.deepEqual(await send(channels.empty, once, '6'), { status: 422, shown: 'no form' });
    assert.deepEqual(await send(channels.empty, once, '5'), { status: 303, shown: 'no form' });
    await browser.send(path, { source: channels.market, max_credits_per_period: '5' });
    assert.deepEqual(await send(channels.market, other, '5'), { status: 409, shown: 'no form' });
    assert.equal((await app.core.queries.follows(accountId, { limit: 5, before: null })).rows.length, 2);
  });

  it('is sent again as it was when its answer could not be stored', async () => {
    const { browser, accountId } = await owner();
    const start = { links: samples.prose, do: 'start', listed: await listed(samples.prose) };
    const { fields } = await browser.form('/many', '/many');
    const lost = await losing('answers', () => browser.send('/many', { ...fields, ...start }));
    const text = await lost.text();
    assert.equal(lost.status, 503);
    assert.match(
      text,
      /This was done, but its answer could not be delivered\. Send it again: nothing is charged twice\./,
    );
    const [again, ...others] = formsIn(text).filter(({ action }) => action === '/many');
    assert.deepEqual([again?.fields, others], [{ ...fields, ...start }, []]);
    const repeated = await browser.send('/many', again?.fields ?? {});
    const { rows } = await app.core.queries.jobs(accountId, { limit: 5, before: null });
    assert.deepEqual(
      [repeated.status, rows.map(({ jobId }) => `/jobs/${jobId}`)],
      [303, [repeated.headers.get('Location')]],
    );
  });

  it('is charged once to a visitor without cookies who sends it again', async () => {
    const form = { once: onceToken(), confirmed: 'true' };
    const buy = () => pageBrowser(app.url).send(`/t/${samples.regional}`, form);
    const charges = async () => {
      const sql = `SELECT count(*)::int AS n FROM es_event WHERE stream LIKE 'ledger-vis%' AND type = 'CreditsCharged'`;
      return (await database.query<{ n: number }>(sql)).rows[0]?.n ?? 0;
    };
    const before = await charges();
    assert.equal((await losing('answers', buy)).status, 503);
    assert.equal((await buy()).status, 200);
    assert.equal((await charges()) - before, 1);
  });

  it('is charged once for a transcript with its chapters', async () => {
    const { browser, accountId } = await owner();
    const left = () => app.core.queries.creditsRemaining(accountId);
    for (const confirmed of ['true', '']) {
      const id = confirmed === 'true' ? samples.regional : samples.prose;
      const form = { once: onceToken(), confirmed, view: 'reading', chapters: 'true' };
      const buy = () => browser.send(`/t/${id}`, form);
      const before = (await left()) ?? 0;
      assert.equal((await losing('answers', buy)).status, 503);
      assert.equal(before - ((await left()) ?? 0), 2);
      const text = await (await buy()).text();
      assert.match(text, headingAboveText);
      assert.match(text, /2 credits charged\./);
      assert.equal(before - ((await left()) ?? 0), 2);
    }
  });

  it('does not have its passwords on the page of a failure', async () => {
    const { browser } = await owner();
    const secrets = { current: password, next: plantedPassword('unshown') };
    const { fields } = await browser.form('/account/security', '/account/security/password');
    const lost = await losing('answers', () => browser.send('/account/security/password', { ...fields, ...secrets }));
    const text = await lost.text();
    assert.equal(lost.status, 503);
    assert.deepEqual([formsIn(text).filter(({ action }) => action === '/account/security/password')], [[]]);
    for (const secret of Object.values(secrets)) assert.ok(!text.includes(secret));
  });

  it('is shown with no new `once` when its attempt could not be forgotten', async () => {
    const { browser } = await owner();
    const follow = { source: channels.removed, once: onceToken(), max_credits_per_period: '5' };
    const refused = await losing('attempts', () => browser.send('/account/follows', follow));
    assert.equal(refused.status, 404);
    assert.deepEqual(
      formsIn(await refused.text()).filter(({ action }) => action === '/account/follows'),
      [],
    );
  });

  it('is kept on the page that says that credits are missing', async () => {
    const { browser, accountId } = await owner();
    const path = `/t/${samples.manyLanguages}/ask`;
    const form = { once: onceToken(), question: 'What is the weather like?' };
    app.simulator.plan({ times: 'always', does: { kind: 'status', status: 400 } });
    assert.equal((await browser.send(path, form)).status, 502);
    app.simulator.reset();
    const charge = { what: 'all', operation: 'job_item', requests: 1, videoId: null } as const;
    await app.core.ledger.charge(systemCall(accountId), [{ ...charge, amount: 10_000 }]);
    const poor = await browser.send(path, form);
    assert.equal(poor.status, 402);
    const [kept] = formsIn(await poor.text()).filter(({ action }) => action === path);
    assert.deepEqual(kept?.fields, form);
  });

  it('of a registration asks another question after a failure', async () => {
    const browser = pageBrowser(app.url);
    const { fields } = await browser.form('/register', '/register');
    const sent = { ...fields, ...(await registration({ browser })) };
    assert.equal((await losing('answers', () => browser.send('/register', sent))).status, 503);
    const again = await browser.send('/register', sent);
    const [asked] = formsIn(await again.text()).filter(({ action }) => action === '/register');
    assert.equal(again.status, 400);
    assert.ok(asked?.fields['captcha_token']);
    assert.notEqual(asked?.fields['captcha_token'], sent.captcha_token);
  });
});
