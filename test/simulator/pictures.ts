import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { openWindow } from '#test/support/browser-page.ts';
import { startChromium } from '#test/support/chromium.ts';
import { samples } from './samples.ts';

/**
 * Takes the screenshots of README and the Open Graph image of the website from a running demo:
 * `node --import tsx/esm test/simulator/pictures.ts [URL]`.
 */
const [url = 'http://127.0.0.1:3000'] = process.argv.slice(2);
const pictures = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const card = fileURLToPath(new URL('../../src/edges/http/website/browser/card.png', import.meta.url));

const lines = [
  ['00:00', 'Every word,'],
  ['00:01', 'at its time.'],
] as const;

/** The transcript view of the website, enlarged: times left of a vertical rule, words right of it. */
const cardPage = (style: string): string => `<!doctype html><html lang="en">
<link rel="stylesheet" href="${style}">
<style>
  body { display: grid; align-content: center; width: 1200px; height: 630px; background: #f7f9fa; color: #16212b; position: relative; }
  body::before { content: ""; position: absolute; inset: 0 auto 0 338px; width: 6px; background: #d5dde3; }
  div { display: grid; grid-template-columns: 290px 1fr; column-gap: 104px; align-items: baseline; }
  span { text-align: end; color: #4a5a68; font-size: 44px; font-variant-numeric: tabular-nums slashed-zero; }
  strong { font-size: 112px; line-height: 1.2; letter-spacing: -0.02em; }
  b { font-size: 44px; margin-top: 56px; color: #0b5a75; }
</style>
${lines.map(([time, text]) => `<div><span>${time}</span><strong>${text}</strong></div>`).join('')}
<div><span></span><b>Steno</b></div>`;

const takeCard = async (browser: Browser): Promise<void> => {
  await using window = await openWindow(browser, url, {
    viewport: { width: 1200, height: 630 },
    bypassCSP: true,
    colorScheme: 'light',
  });
  const { page } = window;
  await page.goto('/');
  const style = await page.getAttribute('link[rel=stylesheet]', 'href');
  await page.setContent(cardPage(style ?? ''));
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path: card });
};

const takePages = async (browser: Browser): Promise<void> => {
  await using window = await openWindow(browser, url, { viewport: { width: 820, height: 480 } });
  for (const [name, path] of [
    ['start', '/'],
    ['transcript', `/t/${samples.prose}`],
  ] as const) {
    await window.page.goto(path);
    await window.page.evaluate('document.fonts.ready');
    await window.page.screenshot({ path: `${pictures}${name}.png` });
  }
};

mkdirSync(pictures, { recursive: true });
const browser = await startChromium();
try {
  await takeCard(browser);
  await takePages(browser);
} finally {
  await browser.close();
}
