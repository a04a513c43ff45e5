import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** A browser context with its own cookies and storage, and the errors of its pages. */
export type Window = AsyncDisposable & {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console, violations of the content security policy, requests to other hosts. */
  readonly faults: string[];
};

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Opens a window on the server at `url`. */
export const openWindow = async (
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Window> => {
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-US',
    viewport: { width: 1100, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  // In the soak, the browser shares the cores with processes that are killed and started.
  context.setDefaultTimeout(60_000);
  const faults: string[] = [];
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url && protocol !== 'data:' && protocol !== 'blob:') {
      faults.push(`a request to another host: ${request.url()}`);
    }
  });
  context.on('console', (message) => {
    // Chromium reports each answer with an error status, which pages of errors have on purpose.
    if (message.type() !== 'error' || /Failed to load resource/.test(message.text())) return;
    faults.push(`${message.location().url}: ${message.text()}`);
  });
  context.on('weberror', (error) => faults.push(`${error.page()?.url()}: ${error.error()}`));
  const page = await context.newPage();
  return { page, context, faults, [Symbol.asyncDispose]: () => context.close() };
};

type Violation = {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
};

const schemes = ['light', 'dark'] as const;
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const ofColours = ['color-contrast', 'link-in-text-block'];
const ofPlaces = ['target-size', 'scrollable-region-focusable'];

const widths = [1100, 360];

/** What axe finds on the present page by these rules. */
const violationsOf = async (page: Page, runOnly: object, where: string): Promise<string[]> => {
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const list = await page.evaluate<Violation[]>(
    `axe.run(document, ${options}).then(({ violations }) =>
      violations.map(({ id, nodes }) => ({
        id, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
      })))`,
  );
  return list.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${where}, ${id}: ${html.slice(0, 300)} ${failureSummary}`),
  );
};

const everyRule = { type: 'tag', values: tags };

/** What axe finds on the present page, in light and dark, at each width. It ends in light, at the last width. */
const violations = async (page: Page): Promise<string[]> => {
  const found: string[] = [];
  await page.evaluate(axe);
  for (const [index, width] of widths.entries()) {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 900 });
    // Each change costs as much as a look, so the next width begins in the scheme in which this one ends.
    for (const scheme of index % 2 === 0 ? schemes : schemes.toReversed()) {
      if (scheme !== 'light' || index > 0) await page.emulateMedia({ colorScheme: scheme });
      // In the second scheme only colours differ, and at the second width what depends on places.
      const rules = scheme === 'dark' ? ofColours : [...ofColours, ...ofPlaces];
      const isFirst = index === 0 && scheme === 'light';
      const only = isFirst ? everyRule : { type: 'rule', values: rules };
      found.push(...(await violationsOf(page, only, `${width} px, ${scheme}`)));
    }
  }
  return found;
};

/** What is wider than the window; parts that scroll by themselves are not. */
const overflow = async (page: Page, width: number): Promise<string[]> => {
  await page.setViewportSize({ width, height: 700 });
  return await page.evaluate<string[]>(`(() => {
    const wide = document.documentElement.scrollWidth;
    if (wide <= ${width}) return [];
    const beyond = [...document.querySelectorAll('main *, header *, footer *')]
      .filter((one) => one.getBoundingClientRect().right > ${width} + 1 && one.closest('.table-wrap, pre, .skip, .bait') === null)
      .slice(0, 3).map((one) => one.outerHTML.slice(0, 160));
    return ['at ${width} px the page is ' + wide + ' px wide: ' + beyond.join(' ')];
  })()`);
};

/** Whether the present page fits a window of 320 px, and text at 200 % in one of 1,280 px. */
export const overflows = async (page: Page): Promise<readonly string[]> => {
  const found = [...(await overflow(page, 320)), ...(await overflow(page, 640))];
  return found.map((fault) => `${page.url()}: ${fault}`);
};

/** What axe and the console tell of the present page as it is, and whether it fits a phone. Its window has its size again. */
export const plainFaults = async ({ page, faults }: Window): Promise<readonly string[]> => {
  const size = page.viewportSize();
  await page.evaluate(axe);
  const found = await violationsOf(page, everyRule, 'light');
  found.push(...(await overflow(page, 320)), ...faults.splice(0));
  if (size !== null) await page.setViewportSize(size);
  return found.map((fault) => `${page.url()}: ${fault}`);
};

/** What axe and the console tell of the present page, in both schemes, at each width. */
export const seenFaults = async ({ page, faults }: Window): Promise<readonly string[]> => {
  const found = [...(await violations(page)), ...faults.splice(0)];
  return found.map((fault) => `${page.url()}: ${fault}`);
};

/** All that is wrong with the present page. Its window has its size again afterwards. */
export const faultsOf = async (window: Window): Promise<readonly string[]> => {
  const { page } = window;
  const size = page.viewportSize();
  const found = [...(await seenFaults(window)), ...(await overflows(page))];
  if (size !== null) await page.setViewportSize(size);
  return found;
};
