import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { systemCall } from '#src/app/open-core.ts';
import { buildAssets } from '#src/edges/http/website/assets.ts';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { samples } from '#test/simulator/samples.ts';
import { solve } from '#test/support/accounts.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { faultsOf, openWindow, type Window } from '#test/support/browser-page.ts';
import { startChromium } from '#test/support/chromium.ts';
import { over } from '#test/support/job-watch.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { websiteEndpoints } from '#test/support/website.ts';

export const password = plantedPassword('browser');
const email = 'rosa@example.org';

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** An account with a finished job, a webhook, a follow, a kept video and an entry in its ledger: no page of it is empty. */
const furnish = async (app: TestApp, receiver: Receiver): Promise<Readonly<Record<string, string>>> => {
  const made = await app.core.commands.createAccount({ ...{ email, password, name: 'Rosa', plan: 'pro' } });
  const key = made.apiKey;
  const post = async (path: string, body: object) => {
    const answer = await app.post(path, body, { key });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return (await answer.json()) as { id: string; job_id: string; webhook: { id: string }; secret: string };
  };
  const { webhook, secret } = await post('/v1/webhooks', { url: receiver.url });
  planted(secret);
  const { job_id: jobId } = await post('/v1/jobs', { ids: [samples.prose, samples.private] });
  await over(app, key, jobId);
  const { id: followId } = await post('/v1/follows', { source: '@marketdays', max_credits_per_period: 100 });
  assert.equal((await app.get(`/v1/transcripts/${samples.prose}?keep=true`, { key })).status, 200);
  const list = await app.get('/v1/ledger', { key });
  const { entries } = (await list.json()) as { entries: { id: string; type: string; request_id: string }[] };
  const charge = entries.find(({ type }) => type === 'ReservationSettled')?.id;
  const entry = entries[0];
  assert.ok(entry);
  const { accountId } = made;
  const { commands, queries } = app.core;
  const period = (await queries.statementPeriods(accountId))[0]?.period;
  const keyId = (await queries.keys(accountId))[0]?.keyId ?? '';
  const { session, token } = await commands.logIn({
    ...{ email, password, formerToken: null, deviceToken: null, network: '192.0.2.1' },
    origin: { ip: '192.0.2.1', userAgent: null },
    cause: systemCall(accountId),
  });
  planted(token);
  const cause = { ...systemCall(accountId), actor: { type: 'operator', id: 'test' } } as const;
  const reset = new URL((await app.core.commands.issuePasswordLink({ accountId, cause })).url);
  planted(reset.searchParams.get('token') ?? '');
  return {
    '/reset': reset.pathname + reset.search,
    '/go': '/go?link=nothing',
    '/t/:file': `/t/${samples.prose}`,
    '/t/:id/:tab': `/t/${samples.prose}/summary`,
    '/t/:file/chunks.ndjson': `/t/${samples.prose}/chunks.ndjson`,
    '/jobs/:jobId': `/jobs/${jobId}`,
    '/jobs/:jobId/cancel': `/jobs/${jobId}/cancel`,
    '/account/library/:id': `/account/library/${samples.prose}`,
    '/account/follows/:followId': `/account/follows/${followId}`,
    '/account/follows/:followId/feed': `/account/follows/${followId}/feed`,
    '/account/follows/:followId/end': `/account/follows/${followId}/end`,
    '/account/keys/:id/roll': `/account/keys/${keyId}/roll`,
    '/account/keys/:id/revoke': `/account/keys/${keyId}/revoke`,
    '/account/webhooks/:webhookId/rotate': `/account/webhooks/${webhook.id}/rotate`,
    '/account/webhooks/:webhookId/remove': `/account/webhooks/${webhook.id}/remove`,
    '/account/security/sessions': `/account/security/sessions?id=${session.sessionId}`,
    '/jobs/:jobId/events': `/jobs/${jobId}/events`,
    '/jobs/:jobId/:file': `/jobs/${jobId}/results.md`,
    '/account/requests/:id': `/account/requests/${entry.request_id}`,
    '/account/ledger/:id/receipt': `/account/ledger/${charge}/receipt`,
    '/account/statements/:period': `/account/statements/${period}`,
    '/account/ledger/:id': `/account/ledger/${entry.id}`,
    '/account/webhooks/:webhookId': `/account/webhooks/${webhook.id}`,
    '/docs/:name': '/docs/api',
    '/oauth/authorize': '/oauth/authorize?client_id=nobody',
    '/oauth/authorize/:uid': '/oauth/authorize/none',
    '/oauth/consent/:uid': '/oauth/consent/none',
    '/docs/errors/:code': '/docs/errors/RATE_LIMITED',
    '/assets/:file': (await buildAssets()).style,
  };
};

/** Every address that answers a GET with a page or a file, from the routes themselves. */
const everyPage = (app: TestApp, addresses: Readonly<Record<string, string>>): readonly string[] =>
  websiteEndpoints(app)
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => {
      const address = /[:*]/.test(path) ? addresses[path] : (addresses[path] ?? path);
      assert.ok(address, `${path} has parameters: name an address of it in this test`);
      return address;
    });

/** Signs in by the form of the page. */
export const signIn = async (page: Page, who: string, next = '', url = ''): Promise<void> => {
  await page.goto(`${url}/login${next}`);
  await page.fill('#email', who);
  await page.fill('#password', password);
  await page.click('main form button');
};

/** The website in a browser, with an account whose pages are full, and every page of it. */
export type Site = AsyncDisposable & {
  readonly app: TestApp;
  readonly receiver: Receiver;
  readonly email: string;
  readonly pages: readonly string[];
  open(options?: Parameters<typeof openWindow>[2]): Promise<Window>;
};

export const startSite = async (): Promise<Site> => {
  await using stack = new AsyncDisposableStack();
  const receiver = stack.use(await startReceiver());
  const app = stack.use(
    await startTestApp({
      environment: {
        EXAMPLE_VIDEOS: `${samples.prose}=A lighthouse`,
        UNAUTHENTICATED_REQUESTS_PER_MINUTE: '10000',
        ANONYMOUS_REQUESTS_PER_MINUTE: '10000',
        CAPTCHA_MIN_SOLVE_MS: '0',
        OUTBOUND_ALLOW: '127.0.0.0/8',
      },
    }),
  );
  const browser = await startChromium();
  stack.defer(() => browser.close());
  const pages = everyPage(app, await furnish(app, receiver));
  const parts = stack.move();
  return {
    ...{ app, receiver, email, pages },
    open: (options = {}) => openWindow(browser, app.url, options),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
};

/** Looks at these pages, as their user or as a visitor; asserts that `look` finds no fault. */
export const lookAtPages = async (
  site: Site,
  addresses: readonly string[],
  look: (window: Window, address: string) => Promise<readonly string[]>,
): Promise<void> => {
  const left = [...addresses];
  const ofVisitors: string[] = [];
  const faults: string[] = [];
  const lookAsUser = async (): Promise<void> => {
    await using user = await site.open();
    await signIn(user.page, site.email);
    for (let address = left.shift(); address; address = left.shift()) {
      const answer = await user.context.request.get(address, { maxRedirects: 0, headers: { accept: 'text/html' } });
      assert.ok(answer.status() < 500, `${address}: ${answer.status()}`);
      // Forms to sign in and to register send on whoever is signed in.
      if (answer.status() === 303) ofVisitors.push(address);
      else if ((answer.headers()['content-type'] ?? '').startsWith('text/html')) {
        faults.push(...(await look(user, address)));
      }
    }
    faults.push(...user.faults);
  };
  await Promise.all([lookAsUser(), lookAsUser()]);
  await using visitor = await site.open();
  for (const address of ofVisitors) faults.push(...(await look(visitor, address)));
  faults.push(...visitor.faults);
  assert.deepEqual(faults, []);
};

/** A stranger reads a video, registers, works with all that an account has, and erases it. */
export const liveOnWebsite = async (site: Site, javaScriptEnabled: boolean): Promise<void> => {
  const { app, receiver, open } = site;
  await using window = await open({ javaScriptEnabled });
  const { page } = window;
  const who = `stranger-${javaScriptEnabled}@example.org`;
  await page.goto('/');
  await page.fill('#link', `https://youtu.be/${samples.prose}?t=6`);
  await page.press('#link', 'Enter');
  // No line begins at the sixth second; the one that is said then begins at the fourth.
  await page.waitForURL(javaScriptEnabled ? /\/t\/lighthouse1#t=4$/ : /\/t\/lighthouse1/);
  assert.match(await page.innerText('#transcript'), /lighthouse/i);
  // Without scripts, and for the words that are left out, what was chosen is applied by a button.
  const apply = page.locator('.tools .options button');
  for (const hasTimes of [false, true]) {
    assert.equal(await apply.isVisible(), false);
    await page.setChecked('[name=timestamps]', hasTimes);
    if (!javaScriptEnabled) await apply.click();
    await page.waitForURL(hasTimes ? /timestamps=true/ : /timestamps=false|en&boxes=true/);
    assert.equal(/00:01/.test(await page.innerText('#transcript')), hasTimes);
  }
  await page.check('[name=clean]');
  await apply.click();
  await page.waitForURL(/en&timestamps=true&boxes=true&clean=true/);
  await page.fill('input[name=query]', 'light');
  if (javaScriptEnabled) {
    assert.match(await page.innerText('x-search output'), /^1 of \d/);
  }
  await page.click('x-search button');
  await page.waitForURL(/\/search/);
  await page.goto(`/t/${samples.prose}/summary`);
  await page.click('#panel form button, main form button');
  await page.waitForSelector('#result-text p');
  if (javaScriptEnabled) assert.deepEqual(await faultsOf(window), []);

  await page.goto('/register');
  await page.fill('#email', who);
  await page.fill('#password', password);
  planted(await page.inputValue('[name=captcha_token]'));
  await page.fill('[name=captcha_answer]', solve(await page.innerText('main form')));
  await page.click('main form button');
  await page.waitForURL(/\/account\/keys$/);
  await page.fill('[name=name]', 'My key');
  await page.click('main form:has([name=name]) button');
  await page.waitForSelector('#full-key');
  const key = planted(await page.innerText('#full-key'));
  assert.equal((await app.get('/v1/usage', { key })).status, 200);
  if (javaScriptEnabled) assert.deepEqual(await faultsOf(window), []);
  await page.goto('/account/keys');
  await page.setViewportSize({ width: 360, height: 740 });
  const revoke = await page.locator('a[href$=revoke]').boundingBox();
  assert.ok(revoke !== null && revoke.x + revoke.width <= 360);
  assert.equal((await app.get(`/v1/transcripts/${samples.prose}`, { key })).status, 200);
  await page.goto('/account/usage');
  const chart = await page.locator('.chart svg').boundingBox();
  assert.ok(chart !== null && chart.x + chart.width <= 360);
  // A day of the chart is narrower than a finger: the values below it lead to the same entries.
  await page.click('details:has(a[href*="used_since"]) summary');
  const day = await page.locator('details tr:has(a[href*="used_since"])').last().boundingBox();
  assert.ok(day !== null && day.height >= 24 && day.x + day.width <= 360, JSON.stringify(day));
  await page.setViewportSize({ width: 1100, height: 900 });

  await page.goto('/many');
  if (javaScriptEnabled) {
    // Typed by a driver, so many lines take Chromium a minute.
    const list = Array.from({ length: 5_000 }, (_, n) => generatedId('vid', n)).join(' ');
    await page.evaluate(`(() => {
          const field = document.getElementById('links');
          field.value = '${list}'.replaceAll(' ', '\\n');
          field.dispatchEvent(new Event('input'));
        })()`);
    assert.match(await page.innerText('x-lines output'), /5000 valid, 0 duplicate, 0 not/);
  }
  await page.fill('#links', `${samples.prose}\n${samples.onlyAutomatic}\nnonsense`);
  if (javaScriptEnabled) {
    assert.match(await page.innerText('x-lines output'), /2 valid, 0 duplicate, 1 not/);
  }
  await page.click('button[value=count]');
  await page.click('button[value=start]');
  await page.waitForURL(/\/jobs\/job_/);
  await over(app, key, page.url().split('/').at(-1) ?? '');
  if (!javaScriptEnabled) await page.reload();
  await page.waitForSelector('a[href$="results.zip"]');

  await page.goto('/account/webhooks');
  await page.fill('#url', receiver.url);
  await page.click('main form:has(#url) button');
  await page.waitForSelector('#secret');
  planted(await page.innerText('#secret'));
  await page.goto('/account/webhooks');
  await page.click(`a[href*="/account/webhooks/"]:has-text("${receiver.url}")`);
  await page.click('form[action$=test] button');
  await page.waitForSelector('details summary');

  await page.goto('/account/security');
  await page.click('a[href$=erase]');
  await page.fill('#password', password);
  await page.click('form[action$=erase] button');
  await page.waitForURL(/\/login/);
  // A key that was just checked is good for at most a second more.
  const endsAt = performance.now() + 1_500;
  while ((await app.get('/v1/usage', { key })).status !== 401) assert.ok(performance.now() < endsAt, 'the key is good');
  assert.deepEqual(window.faults, []);
};
