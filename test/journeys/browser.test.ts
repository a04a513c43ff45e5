import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { samples } from '#test/simulator/samples.ts';
import type { TestApp } from '#test/support/app.ts';
import { plainFaults, type Window } from '#test/support/browser-page.ts';
import { lookAtPages, password, type Site, signIn, startSite } from '#test/support/website-in-browser.ts';

let site: Site;
let app: TestApp;

before(async () => {
  site = await startSite();
  ({ app } = site);
});
after(() => site?.[Symbol.asyncDispose]());

const open = (options: Parameters<Site['open']>[0] = {}): Promise<Window> => site.open(options);

// Browsers wait for servers, and servers for browsers: two tests at a time keep two cores busy.
describe('the website in a browser', { concurrency: 2 }, () => {
  it('has no fault on the main pages: accessible, fit for a phone, without a request to another host', () => {
    const first = ['/', `/t/${samples.prose}`, '/login', '/account/usage', '/nowhere'];
    return lookAtPages(site, first, async (window, address) => {
      await window.page.goto(address);
      return await plainFaults(window);
    });
  });

  it('works with the keyboard alone', async () => {
    await using window = await open();
    const { page } = window;
    const focused = () =>
      page.evaluate<string>(
        '(({ id, name, className, textContent }) => id || name || className || textContent)(document.activeElement)',
      );
    await page.goto('/');
    assert.equal(await focused(), 'link');
    await page.keyboard.type(samples.prose);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/t\//);
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'skip');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.ok(await page.evaluate('document.getElementById("main").contains(document.activeElement)'));
    await page.keyboard.press('/');
    assert.equal(await focused(), 'query');
    await page.keyboard.type('light');
    await page.keyboard.press('Enter');
    assert.match(await page.innerText('x-search output'), /^2 of/);
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('t');
    await page.waitForURL(/timestamps=false/);
    await page.keyboard.press('j');
    assert.ok(await page.evaluate('document.activeElement.matches("#transcript li")'));
    await page.keyboard.press('t');
    await page.keyboard.press('j');
    assert.match(await focused(), /^\d\d:\d\d$/);
    await page.keyboard.press('?');
    assert.ok(await page.isVisible('x-keys kbd:text-is("?")'));
    assert.ok(await page.evaluate('document.activeElement.matches("x-keys summary")'));
    // After a refusal the keyboard goes on from what is wrong, also without scripts.
    await using plain = await open({ javaScriptEnabled: false });
    await signIn(plain.page, 'nobody@example.org');
    await plain.page.waitForSelector('main [role=alert]:focus');
    // Each stop of the way through the page is visible and has an outline.
    await page.goto('/login');
    const stops = new Set<string>();
    for (let step = 0; step < 40; step += 1) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate<{ name: string; isSeen: boolean } | null>(`(() => {
        const one = document.activeElement;
        if (one === document.body) return null;
        const { outlineStyle, outlineWidth } = getComputedStyle(one);
        const { width, height, right } = one.getBoundingClientRect();
        const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && width > 0 && height > 0 && right > 0;
        return { name: one.outerHTML.slice(0, 120), isSeen };
      })()`);
      if (stop === null) break;
      assert.ok(stop.isSeen, stop.name);
      stops.add(stop.name);
    }
    assert.ok(stops.size >= 10, `${stops.size} stops`);
  });

  it('gives each time in the zone of its reader the room that it needs on a phone', async () => {
    await using window = await open({ timezoneId: 'Asia/Tokyo', viewport: { width: 390, height: 800 } });
    const { page } = window;
    await signIn(page, site.email);
    for (const address of ['/account/security', '/account/follows']) {
      await page.goto(address);
      const times = await page.evaluate<{ text: string; room: number }[]>(`[...document.querySelectorAll('td > time')]
        .map((time) => ({ text: time.innerText, room: time.parentElement.clientWidth - time.offsetWidth }))`);
      assert.ok(times.length > 0);
      for (const { text, room } of times) {
        assert.ok(text.endsWith('GMT+9') && room >= 0, `${address}: ${text}, ${room}`);
      }
    }
  });

  it('charges a paid button once: pressed twice, sent again by a reload, or after going back', async () => {
    const who = 'pays-once@example.org';
    await app.core.commands.createAccount({ email: who, password, name: null, plan: 'free' });
    for (const javaScriptEnabled of [true, false]) {
      await using window = await open({ javaScriptEnabled });
      const { page, context } = window;
      await signIn(page, who);
      await page.waitForURL(/\/account$/);
      const left = async (): Promise<number> => {
        const text = await (await context.request.get('/account')).text();
        return Number((/big-number">([\d.,]+)</.exec(text)?.[1] ?? '').replace(/\D/g, ''));
      };
      await page.goto(`/t/${samples.prose}/ask`);
      await page.fill('#question', `Who keeps the light? ${javaScriptEnabled}`);
      const before = await left();
      await page.dblclick('main form:has(#question) button');
      await page.waitForSelector('a[href^="/account/ledger/"]');
      const price = before - (await left());
      assert.ok(price > 0 && price <= 2, `${price} credits`);
      await page.reload();
      await page.waitForSelector('a[href^="/account/ledger/"]');
      assert.equal(before - (await left()), price);
      await page.goBack();
      assert.equal(before - (await left()), price);
      const ledger = await (await context.request.get('/account/ledger')).text();
      assert.match(ledger, new RegExp(`>Question</a>.*?</td><td data-label="Video"><span title="${samples.prose}">`));
      assert.deepEqual(window.faults, []);
    }
  });
});
