import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openWindow } from '#test/support/browser-page.ts';
import { startChromium } from '#test/support/chromium.ts';
import { samples } from './samples.ts';

/** Takes the pictures of README from a running demo: `node --import tsx/esm test/simulator/pictures.ts [URL]`. */
const [url = 'http://127.0.0.1:3000'] = process.argv.slice(2);
const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
mkdirSync(folder, { recursive: true });

const browser = await startChromium();
try {
  await using window = await openWindow(browser, url, { viewport: { width: 820, height: 480 } });
  for (const [name, path] of [
    ['start', '/'],
    ['transcript', `/t/${samples.prose}`],
  ] as const) {
    await window.page.goto(path);
    await window.page.evaluate('document.fonts.ready');
    await window.page.screenshot({ path: `${folder}${name}.png` });
  }
} finally {
  await browser.close();
}
