import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemCall } from '#src/app/open-core.ts';
import { samples } from '#test/simulator/samples.ts';
import type { TestApp } from '#test/support/app.ts';
import { plainFaults, seenFaults, type Window } from '#test/support/browser-page.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { lookAtPages, password, type Site, signIn, startSite } from '#test/support/website-in-browser.ts';

let site: Site;
let app: TestApp;
let email: string;

before(async () => {
  site = await startSite();
  ({ app, email } = site);
});
after(() => site?.[Symbol.asyncDispose]());

const open = (options: Parameters<Site['open']>[0] = {}): Promise<Window> => site.open(options);

// Browsers wait for servers, and servers for browsers: two tests at a time keep two cores busy.
describe('the website in a browser', { concurrency: 2 }, () => {
  it('has no fault in the pages that are seen first: accessible, fitting a phone, without a foreign request', () => {
    const first = ['/', `/t/${samples.prose}`, '/login', '/account/usage', '/nowhere'];
    return lookAtPages(site, first, async (window, address) => {
      await window.page.goto(address);
      return await plainFaults(window);
    });
  });

  it('is worked with the keyboard alone', async () => {
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
    assert.match(page.url(), /timestamps=false/);
    await page.keyboard.press('t');
    await page.keyboard.press('j');
    assert.match(await focused(), /^\d\d:\d\d$/);
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

  it('shows the first lines of a transcript on a phone, and keeps its search in sight', async () => {
    await using window = await open({ viewport: { width: 360, height: 740 }, hasTouch: true });
    const { page } = window;
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox();
      assert.ok(box, selector);
      return box;
    };
    await page.goto(`/t/${samples.long}`);
    assert.ok((await boxOf('#transcript li')).y < 370);
    await page.evaluate('scrollTo(0, 4_000)');
    assert.ok((await boxOf('[type=search]')).y < 60);
    assert.ok((await boxOf('.find x-copy')).y < 60);
    // The button of a line stands beside its time, not on its text.
    await page.tap('#transcript ol:nth-child(2) li:nth-child(30) p');
    const copy = await boxOf('.line-copy');
    assert.ok(copy.x >= 0 && copy.width >= 24);
    assert.ok(copy.x + copy.width <= (await boxOf('#transcript li p')).x);
    assert.deepEqual(window.faults, []);
  });

  it('plays the video in sight of the lines on a phone, from another host after a tap alone', async () => {
    await using window = await open({ viewport: { width: 360, height: 740 }, hasTouch: true });
    const { page } = window;
    await page.route('https://www.youtube-nocookie.com/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>played</p>' }),
    );
    await page.goto(`/t/${samples.prose}`);
    assert.equal(window.faults.length, 0);
    const [play, first] = [page.locator('.play'), page.locator('#transcript li')];
    const [playBox, firstBox] = [await play.boundingBox(), await first.first().boundingBox()];
    assert.ok(playBox && firstBox && playBox.y + playBox.height < firstBox.y);
    await play.tap();
    await page.waitForSelector('iframe[src*="start=0"]');
    assert.equal(await page.evaluate('document.activeElement.className'), 'close');
    await page.tap('#transcript li:nth-child(9) > a >> nth=0');
    const second = new URL(page.url()).hash.slice(3);
    await page.waitForSelector(`iframe[src*="start=${second}"]`);
    const [player, line] = [page.locator('.player'), page.locator(':target')];
    const [playerBox, lineBox] = [await player.boundingBox(), await line.boundingBox()];
    assert.ok(playerBox && lineBox);
    assert.ok(playerBox.y + playerBox.height <= 740 && lineBox.y + lineBox.height < playerBox.y);
    assert.ok(window.faults.splice(0).every((fault) => fault.includes('youtube-nocookie.com')));
    await page.tap('.player .close');
    assert.equal(await page.locator('iframe').count(), 0);
    assert.ok(await play.isVisible());
  });

  it('shows tables on a phone without scrolling them sideways, each cell with the name of its column', async () => {
    await using window = await open({ viewport: { width: 360, height: 740 } });
    const { page } = window;
    for (const path of ['/docs/errors', '/docs/settings', '/status']) {
      await page.goto(path);
      const scrolled = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.table-wrap')]
          .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel)`,
      );
      assert.deepEqual(scrolled, [], path);
      const label = await page.evaluate<string>(
        `getComputedStyle(document.querySelector('.table-wrap td:nth-child(3)'), '::before').content`,
      );
      assert.match(label, /^"[A-Z][a-z ]+ "$/, path);
    }
  });

  it('keeps the links to the sections of a guide apart, for fingers', async () => {
    await using window = await open({ viewport: { width: 360, height: 740 } });
    await window.page.goto('/docs/api');
    const heights = await window.page.evaluate<number[]>(
      `[...document.querySelectorAll('.contents .row')].map((one) => one.offsetHeight)`,
    );
    assert.ok(heights.length > 2 && heights.every((height) => height >= 32), heights.join(' '));
  });

  it('moves nothing where motion is not wanted, and keeps its states in forced colours', async () => {
    await using window = await open({ reducedMotion: 'reduce', forcedColors: 'active' });
    const { page } = window;
    await page.goto(`/t/${samples.prose}`);
    const moving = await page.evaluate<number>(
      `[document.documentElement, ...document.querySelectorAll('*')].filter((one) => {
        const { scrollBehavior, animationName, transitionDuration } = getComputedStyle(one);
        return scrollBehavior === 'smooth' || animationName !== 'none' || parseFloat(transitionDuration) > 0;
      }).length`,
    );
    assert.equal(moving, 0);
    await page.click('#transcript li > a >> nth=1');
    const outline = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('#transcript :target')).outlineStyle`,
    );
    assert.equal(outline, 'solid');
    assert.deepEqual(await seenFaults(window), []);
  });

  it('charges a paid button once: pressed twice, sent again by a reload, gone back to', async () => {
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
      assert.match(ledger, new RegExp(`>Question</a></td><td data-label="Video"><span title="${samples.prose}">`));
      assert.deepEqual(window.faults, []);
    }
  });

  it('sets a new password by a link, without scripts', async () => {
    const { createAccount, issuePasswordLink } = app.core.commands;
    const own = { email: 'linked@example.com', password: plantedPassword('before') };
    const { accountId } = await createAccount({ ...own, name: null, plan: 'free' });
    const cause = { ...systemCall(accountId), actor: { type: 'operator', id: 'test' } } as const;
    const { pathname, search, searchParams } = new URL((await issuePasswordLink({ accountId, cause })).url);
    planted(searchParams.get('token') ?? '');
    await using window = await open({ javaScriptEnabled: false });
    const { page } = window;
    await page.goto(pathname + search);
    await page.fill('#password', plantedPassword('after'));
    await page.click('main form button');
    await page.waitForURL(/\/login\?told=password$/);
    await page.fill('#email', own.email);
    await page.fill('#password', plantedPassword('after'));
    await page.click('main form button');
    await page.waitForURL(/\/account$/);
  });

  it('loses nothing of what was typed when the session ends in the middle of a form', async () => {
    await using window = await open();
    const { page, context } = window;
    await signIn(page, email);
    await page.waitForURL(/\/account$/);
    await page.goto('/account/webhooks');
    await page.fill('#url', 'https://example.com/typed');
    await page.fill('#description', 'typed with care');
    const session = (await context.cookies()).find(({ name }) => name.endsWith('session'));
    assert.ok(session);
    await context.clearCookies({ name: session.name });
    await page.click('main form:has(#url) button');
    await page.waitForSelector('a[href^="/login"]');
    // Signing in happens in a tab of its own; the form is sent again from the one that has it.
    const [other] = await Promise.all([context.waitForEvent('page'), page.click('main a[href^="/login"]')]);
    await other.fill('#email', email);
    await other.fill('#password', password);
    await other.click('main form button');
    await other.waitForURL(/\/account/);
    await page.click('main form button');
    await page.waitForSelector('#secret');
    planted(await page.innerText('#secret'));
    assert.match(await page.innerText('main'), /typed with care/);
  });
});
