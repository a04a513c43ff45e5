import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Browser, Page } from 'playwright-core';
import { startTestApp, type TestApp } from '#test/support/app.ts';
import { faultsOf, openWindow } from '#test/support/browser-page.ts';
import { startChromium } from '#test/support/chromium.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { agreeInBrowser, registerClient } from '#test/support/oauth.ts';

const email = 'ada@example.org';
const password = plantedPassword('passphrase');

/** Where a client on this machine gets the answer of the authorization. */
const startCallback = async () => {
  const { promise, resolve } = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/plain').end('You can close this page.');
    resolve(new URL(request.url ?? '/', 'http://127.0.0.1'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    answer: promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** What the SDK keeps of an authorization, in memory. */
const memoryProvider = (redirectUrl: string, open: (url: URL) => void): OAuthClientProvider => {
  const kept: {
    client?: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
    tokens?: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
    verifier?: string;
  } = {};
  return {
    redirectUrl,
    clientMetadata: { client_name: 'A client of the SDK', redirect_uris: [redirectUrl] },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      planted(tokens.access_token);
      kept.tokens = tokens;
    },
    redirectToAuthorization: open,
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? '',
  };
};

describe('sign-in with OAuth in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  let accountId: string;
  before(async () => {
    app = await startTestApp({ environment: { OAUTH_ACCESS_TOKEN_TTL: '3s' } });
    ({ accountId } = await app.core.commands.createAccount({ email, password, name: null, plan: 'pro' }));
    browser = await startChromium();
  });
  after(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  const agreeTo = (page: Page, url: string): Promise<void> => agreeInBrowser(page, url, { email, password });

  for (const javaScriptEnabled of [true, false]) {
    it(`takes a client of the SDK to its first call, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      await using callback = await startCallback();
      await using window = await openWindow(browser, app.url, { javaScriptEnabled });
      const { promise: asked, resolve: ask } = Promise.withResolvers<URL>();
      const authProvider = memoryProvider(callback.redirectUrl, ask);
      const transport = () => new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { authProvider });
      const first = transport();
      const client = new Client({ name: 'a client', version: '1.0.0' });
      await assert.rejects(client.connect(first), UnauthorizedError);
      await agreeTo(window.page, (await asked).href);
      const answer = await callback.answer;
      await first.finishAuth(answer.searchParams.get('code') ?? '');
      await client.connect(transport());
      const { tools } = await client.listTools();
      assert.ok(tools.length > 5);
      const read = await client.callTool({ name: 'get_transcript', arguments: { video_id: 'lighthouse1' } });
      assert.equal(read.isError, undefined, JSON.stringify(read.content));
      const outworn = (await authProvider.tokens())?.access_token;
      // The token runs out; the client renews it by itself.
      await pause(3_200);
      const again = await client.callTool({ name: 'get_video', arguments: { video_id: 'lighthouse1' } });
      assert.equal(again.isError, undefined, JSON.stringify(again.content));
      assert.notEqual((await authProvider.tokens())?.access_token, outworn);
      await client.close();
      const [grant] = await app.core.queries.grants(accountId);
      assert.equal(grant?.clientName, 'A client of the SDK');
      assert.equal(grant.creditsUsed, 1);
    });
  }

  it('shows pages without a fault', async () => {
    await using window = await openWindow(browser, app.url);
    const { page } = window;
    await page.goto('/login');
    await page.fill('#email', email);
    await page.fill('#password', password);
    await page.click('main form button');
    const redirect_uri = 'http://127.0.0.1:1/callback';
    const clientId = await registerClient(app.url, { redirect_uris: [redirect_uri] });
    const parameters = { response_type: 'code', client_id: clientId, redirect_uri, code_challenge_method: 'S256' };
    const query = new URLSearchParams({ ...parameters, code_challenge: 'x'.repeat(43) });
    await page.goto(`/oauth/authorize?${query}`);
    const faults = [...(await faultsOf(window))];
    await page.evaluate('document.querySelector("form:has(#credits_total)").noValidate = true');
    await page.fill('#credits_total', '0');
    await page.click('button[value=allow]');
    await page.waitForSelector('[aria-invalid]');
    faults.push(...(await faultsOf(window)));
    for (const address of ['/account/grants', '/oauth/authorize?client_id=nobody']) {
      await page.goto(address);
      faults.push(...(await faultsOf(window)));
    }
    assert.deepEqual(faults, []);
  });

  it('passes the scenarios of the conformance suite for authorization servers', async () => {
    const suite = fileURLToPath(
      new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/conformance/package.json')),
    );
    // Below the ports that the system gives to connections: one of those may be taken when the suite listens.
    const port = 20_000 + (process.pid % 10_000);
    const clientId = await registerClient(app.url, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
    const args = ['authorization', '--url', app.url, '--client-id', clientId, '--resource', `${app.url}/mcp`];
    const child = spawn(process.execPath, [suite, ...args, '--port', String(port)]);
    let said = '';
    const { promise: asked, resolve: ask } = Promise.withResolvers<string>();
    child.stdout.on('data', (data: Buffer) => {
      said += data;
      const [address] = /^http\S+\/oauth\/authorize\S+$/m.exec(said) ?? [];
      if (address !== undefined) ask(address);
    });
    const ended = once(child, 'exit');
    await using window = await openWindow(browser, app.url);
    await agreeTo(window.page, await Promise.race([asked, ended.then(() => assert.fail(said))]));
    const [code] = await ended;
    assert.equal(code, 0, said);
    assert.doesNotMatch(said, /FAILURE|WARNING/);
  });
});
