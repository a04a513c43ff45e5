import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Browser, Page } from 'playwright-core';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { openWindow, plainFaults } from '#test/support/browser-page.ts';
import { startChromium } from '#test/support/chromium.ts';

type Json = Record<string, unknown>;

const video = 'lighthouse1';

/** A host of MCP Apps: it shows the page in a sandbox, and hands it a result once it says that it is ready. */
const hostPage = `<!doctype html><html lang="en"><title>Host</title><main><h1>Host</h1></main><script>
window.heard = [];
window.show = (html, { context = {}, capabilities = {}, result }) => {
  heard.length = 0;
  document.querySelector('iframe')?.remove();
  const frame = document.createElement('iframe');
  frame.title = 'view';
  frame.sandbox = 'allow-scripts';
  frame.srcdoc = html;
  window.post = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  onmessage = ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    heard.push(data);
    if (data.method === 'ui/initialize') {
      const hostInfo = { name: 'host', version: '1' };
      const greeting = { protocolVersion: '2026-01-26', hostInfo, hostCapabilities: capabilities, hostContext: context };
      post({ id: data.id, result: greeting });
    }
    if (data.method !== 'ui/notifications/initialized') return;
    post({ method: 'ui/notifications/tool-input', params: { arguments: {} } });
    post({ method: 'ui/notifications/tool-result', params: result });
  };
  document.querySelector('main').append(frame);
};
</script>`;

describe('the page of MCP Apps in a host', () => {
  let app: TestApp;
  let browser: Browser;
  let client: Client;
  let html: string;
  before(async () => {
    app = await startTestApp();
    browser = await startChromium();
    const { key } = await app.createAccount();
    client = new Client({ name: 'test', version: '1.0.0' });
    const requestInit = { headers: { Authorization: `Bearer ${key}` } };
    const transport = new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    const { tools } = await client.listTools();
    const [uri] = tools.flatMap(({ _meta }) => ((_meta?.['ui'] as Json | undefined)?.['resourceUri'] as string) ?? []);
    const [content] = (await client.readResource({ uri: uri ?? '' })).contents;
    html = (content as { readonly text: string }).text;
  });
  after(async () => {
    await client?.close();
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  const open = () => openWindow(browser, app.url);
  const show = async (page: Page, given: Json) => {
    await page.setContent(hostPage);
    await page.evaluate(`show(${JSON.stringify(html)}, ${JSON.stringify(given)})`);
    const view = page.frameLocator('iframe');
    await view.locator('dd').first().waitFor();
    return view;
  };
  const within = (page: Page, expression: string) => page.frames().at(-1)?.evaluate<unknown>(expression);
  /** What the host was told by a method, once it was told anything: messages between windows take a while. */
  const heard = async (page: Page, method: string) => {
    await page.waitForFunction(`heard.some((one) => one.method === '${method}')`);
    return await page.evaluate<Json[]>(`heard.filter((one) => one.method === '${method}').map(({ params }) => params)`);
  };

  it('shows a transcript at its times, and opens a moment by the host', async () => {
    await using window = await open();
    const { page, faults } = window;
    const result = await client.callTool({ name: 'get_transcript', arguments: { video_id: video } });
    const context = { theme: 'dark', styles: { variables: { '--color-text-info': 'rgb(1, 2, 3)' } } };
    const view = await show(page, { result, context, capabilities: { openLinks: {} } });
    assert.match(await view.locator('li').first().innerText(), /^0:01\s+Good evening/);
    assert.equal(await within(page, `getComputedStyle(document.querySelector('button')).color`), 'rgb(1, 2, 3)');
    await view.locator('li button').first().click();
    assert.deepEqual(await heard(page, 'ui/open-link'), [{ url: `https://www.youtube.com/watch?v=${video}&t=1` }]);
    const { credits_charged: charged, request_id: id } = result._meta as Json;
    assert.match(await view.locator('footer').innerText(), new RegExp(`Credits charged\\s+${charged}[\\s\\S]+${id}`));
    const [size] = await heard(page, 'ui/notifications/size-changed');
    assert.ok(Number(size?.['height']) > 100);
    await page.evaluate(`post({ id: 'end', method: 'ui/resource-teardown', params: {} })`);
    await page.waitForFunction(`heard.some(({ id, result }) => id === 'end' && result)`);
    assert.deepEqual(faults, []);
  });

  it('marks what a search found, and is accessible', async () => {
    await using window = await open();
    const { page } = window;
    const result = await client.callTool({ name: 'search', arguments: { video_id: video, query: 'lighthouse lamp' } });
    const view = await show(page, { result });
    assert.equal(await view.locator('h1').innerText(), 'Found: lighthouse lamp');
    const found = (result.structuredContent as { readonly results: readonly unknown[] }).results;
    assert.equal(await view.locator('.found li').count(), found.length);
    assert.match((await view.locator('mark').allInnerTexts()).join(' '), /lighthouse|lamp/i);
    // Without a host that opens links there is nothing to click.
    assert.equal(await view.locator('button').count(), 0);
    assert.deepEqual(await plainFaults(window), []);
  });

  it('shows speech as text, executes nothing in it, and contacts no server', async () => {
    await using window = await open();
    const { page, faults } = window;
    const text = '<img src=x onerror="parent.postMessage(1, \'*\')"><script>alert(1)</script>';
    const results = [{ start: 1, end: 2, timestamp: '0:01', text, score: 1 }];
    const structuredContent = { video_id: video, query: 'img (', results };
    const view = await show(page, { result: { content: [], structuredContent, _meta: { credits_charged: 1 } } });
    assert.equal(await view.locator('li > span').last().innerText(), text);
    assert.equal(await view.locator('img').count(), 0);
    assert.equal(await within(page, `fetch('${app.url}/').then(() => true, () => false)`), false);
    assert.ok(faults.length > 0 && faults.every((one) => /Content Security Policy/.test(one)), faults.join('\n'));
  });

  it('shows why a call failed, and that nothing was charged', async () => {
    await using window = await open();
    const result = await client.callTool({ name: 'get_transcript', arguments: { video_id: 'missing0000' } });
    const view = await show(window.page, { result });
    assert.match(await view.locator('[role=status]').innerText(), /^VIDEO_NOT_FOUND: .* Nothing was charged\.$/);
    assert.match(await view.locator('dl').innerText(), /Credits charged\s+0/);
  });
});
