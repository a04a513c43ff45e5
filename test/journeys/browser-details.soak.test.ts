import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { systemCall } from '#src/app/open-core.ts';
import { samples } from '#test/simulator/samples.ts';
import type { TestApp } from '#test/support/app.ts';
import { plainFaults, seenFaults, type Window } from '#test/support/browser-page.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { captionsOf } from '#test/support/library.ts';
import { password, type Site, signIn, startSite } from '#test/support/website-in-browser.ts';

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
describe('the details of the website in a browser', { concurrency: 2 }, () => {
  it('searches, asks and compares kept videos, with scripts while typing, and without scripts', async () => {
    const of = { email: 'keeps@example.org', password, name: null, plan: 'pro' } as const;
    const { accountId, apiKey: key } = await app.core.commands.createAccount(of);
    const call = systemCall(accountId);
    const lines = ['The lamp is lit at dusk.', 'The lens weighs two tons.', 'Nobody sleeps.'];
    await app.core.commands.keepCaptions(call, captionsOf('compared001', lines));
    await app.core.commands.keepCaptions(call, captionsOf('compared001', [...lines.slice(0, 2), 'Everybody sleeps.']));
    await app.get(`/v1/transcripts/${samples.prose}?keep=true`, { key });
    for (const javaScriptEnabled of [true, false]) {
      await using window = await open({ javaScriptEnabled });
      const { page } = window;
      await signIn(page, 'keeps@example.org', '?next=/account/library');
      await page.waitForURL(/\/account\/library$/);
      await page.locator('#q').pressSequentially('whole lens weighs');
      if (javaScriptEnabled) await page.waitForSelector('#found li');
      else await page.press('#q', 'Enter');
      const found = page.locator('#found li a').first();
      assert.match((await found.getAttribute('href')) ?? '', /^\/t\/\w+\?lang=en#t=\d+$/);
      assert.equal(new URL(page.url()).search === '', javaScriptEnabled, 'a search as one types stays on its page');
      await page.fill('#question', 'How much does the whole lens weigh?');
      await page.click('form[action$=ask] button');
      await page.waitForSelector('#answer a[href*="/t/"]');
      assert.match(await page.innerText('#answer'), /weigh[\s\S]*1 credit charged/);
      await page.reload();
      assert.match(await page.innerText('#answer'), /1 credit charged/);
      await page.click('a[href$=compared001]');
      assert.deepEqual(await page.locator('#changes li').allInnerTexts(), [
        '00:10 − Nobody sleeps.',
        '00:10 + Everybody sleeps.',
      ]);
      await page.selectOption('#from', '2');
      await page.click('form[action$=compared001] button');
      await page.waitForURL(/from=2&to=2/);
      assert.equal(await page.locator('#changes').count(), 0);
      await page.goto(`/account/library/${samples.prose}`);
      await page.click('a[href^="/t/"]');
      await page.waitForURL(/\/t\/lighthouse1/);
      if (javaScriptEnabled) assert.deepEqual(await plainFaults(window), []);
    }
    const usage = await (await app.get('/v1/usage', { key })).json();
    assert.equal(Object(usage).by_kind?.ask?.credits ?? Object(usage).credits_used, 3, JSON.stringify(usage));
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
    await page.waitForURL(/#t=\d+$/);
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

  it('keeps the links to the sections of a guide far enough apart for touch', async () => {
    await using window = await open({ viewport: { width: 360, height: 740 } });
    await window.page.goto('/docs/api');
    const heights = await window.page.evaluate<number[]>(
      `[...document.querySelectorAll('.contents .row')].map((one) => one.offsetHeight)`,
    );
    assert.ok(heights.length > 2 && heights.every((height) => height >= 32), heights.join(' '));
  });

  it('does not animate if reduced motion is preferred, and keeps its states in forced colors', async () => {
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

  it('shows that an answer takes longer than a moment, until it is there', async () => {
    await using window = await open();
    const { page } = window;
    await page.goto(`/t/${samples.prose}`);
    let answer = (): void => {};
    const isAsked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/summary*', (route) => isAsked.then(() => route.continue()));
    await page.click('.tabs a[href*=summary]');
    await page.waitForSelector('#panel[aria-busy=true]');
    const seen = () => page.evaluate(`getComputedStyle(document.getElementById('panel'), '::after').visibility`);
    while ((await seen()) !== 'visible') await setTimeout(50);
    answer();
    await page.waitForSelector('#panel:not([aria-busy]) form');
    assert.deepEqual(window.faults, []);
  });

  it('prints dark text on light paper, also where the screen is dark', async () => {
    await using window = await open({ colorScheme: 'dark' });
    const { page } = window;
    await page.goto('/status');
    await page.emulateMedia({ media: 'print' });
    const { colorScheme, ok } = await page.evaluate<{ colorScheme: string; ok: string }>(
      `({ colorScheme: getComputedStyle(document.documentElement).colorScheme,
        ok: getComputedStyle(document.querySelector('h1.ok-text')).color })`,
    );
    assert.deepEqual({ colorScheme, ok }, { colorScheme: 'light', ok: 'rgb(17, 101, 60)' });
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

  it('loses no input when the session ends in the middle of a form', async () => {
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
