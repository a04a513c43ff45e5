import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { faultsOf, overflows, seenFaults } from '#test/support/browser-page.ts';
import { testDatabase } from '#test/support/database.ts';
import {
  liveOnWebsite,
  lookAtPages,
  password,
  type Site,
  signIn,
  startSite,
} from '#test/support/website-in-browser.ts';

let site: Site;
let app: TestApp;

before(async () => {
  site = await startSite();
  ({ app } = site);
});
after(() => site?.[Symbol.asyncDispose]());

/** Pages in a state that no route names. */
const states = [
  '/nowhere',
  `/t/${samples.private}`,
  `/t/${samples.manyLanguages}?lang=fr`,
  `/t/${samples.manyLanguages}?lang=ar`,
  `/t/${samples.prose}?view=reading&clean=true`,
  '/account/usage?days=90',
  '/?ui=ja',
];

// Browsers wait for servers, and servers for browsers: two tests at a time keep two cores busy.
describe('the website in a browser', { concurrency: 2 }, () => {
  it('has no fault on any page, light or dark, wide or narrow, or with every text longer by two fifths', () =>
    lookAtPages(site, [...site.pages, ...states], async (window, address) => {
      await window.page.goto(address);
      const found = await seenFaults(window);
      // What fits with longer texts fits as it is.
      await window.page.goto(`${address}${address.includes('?') ? '&' : '?'}ui=pseudo`);
      return [...found, ...(await overflows(window.page))];
    }));

  it('takes a stranger from a link to an erased account', () => liveOnWebsite(site, true));

  it('takes a stranger from a link to an erased account without JavaScript', () => liveOnWebsite(site, false));

  it('follows a job live, across a restart of the server', async () => {
    await using database = await testDatabase();
    await using window = await site.open();
    const { page } = window;
    const shared = { database, simulator: app.simulator };
    const who = { email: 'waits@example.org', password, name: null, plan: 'free' } as const;
    let port = '';
    {
      // Without a worker the job waits until the next start.
      await using api = await startTestApp({ ...shared, environment: { ROLE: 'api' } });
      ({ port } = new URL(api.url));
      const { apiKey } = await api.core.commands.createAccount(who);
      const made = await api.post('/v1/jobs', { ids: [samples.prose] }, { key: apiKey });
      const { job_id: jobId } = (await made.json()) as { job_id: string };
      await signIn(page, who.email, `?next=/jobs/${jobId}`, api.url);
      await page.waitForSelector('x-live[data-events]:not(.lost) >> text=/● Live, at position \\d+ of the stream/');
    }
    await page.waitForSelector('x-live.lost >> text=Reconnecting');
    await using _ = await startTestApp({ ...shared, environment: { PORT: port } });
    await page.waitForSelector('x-live:not(.lost) a[href$="results.zip"]');
    assert.match(await page.innerText('x-live'), /1 of 1 done/);
  });

  it('shows the reference of the API without a fault', async () => {
    await using window = await site.open();
    await window.page.goto('/api/docs');
    await window.page.waitForSelector('text=Get the transcript of a video');
    assert.deepEqual(await faultsOf(window), []);
  });
});
