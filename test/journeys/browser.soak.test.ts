import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { faultsOf, overflows, seenFaults } from '#test/support/browser-page.ts';
import { liveOnWebsite, lookAtPages, type Site, startSite } from '#test/support/website-in-browser.ts';

let site: Site;

before(async () => {
  site = await startSite();
});
after(() => site?.[Symbol.asyncDispose]());

// Browsers wait for servers, and servers for browsers: two tests at a time keep two cores busy.
describe('the website in a browser', { concurrency: 2 }, () => {
  it('has no page with a fault in light or dark, wide or narrow, or where every text is longer by two fifths', () =>
    lookAtPages(site, async (window, address) => {
      await window.page.goto(address);
      const found = await seenFaults(window);
      // What fits with longer texts fits as it is.
      await window.page.goto(`${address}${address.includes('?') ? '&' : '?'}ui=pseudo`);
      return [...found, ...(await overflows(window.page))];
    }));

  it('takes a stranger from a link to an erased account without JavaScript', () => liveOnWebsite(site, false));

  it('shows the reference of the API without a fault of ours', async () => {
    await using window = await site.open();
    await window.page.goto('/api/docs');
    await window.page.waitForSelector('text=Get the transcript of a video');
    assert.deepEqual(await faultsOf(window), []);
  });
});
