import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import type { Page as BrowserPage } from 'playwright-core';
import type { TestApp } from '#test/support/app.ts';
import { planted, plantedPassword } from '#test/support/leaks.ts';
import { pageBrowser } from '#test/support/website.ts';

export const redirectUri = 'http://127.0.0.1:33418/callback';

/** The verifier of PKCE in these tests, and its challenge. */
export const verifier = 'a-verifier-that-is-long-enough-for-the-protocol-0123';
const challenge = createHash('sha256').update(verifier).digest('base64url');

type Page = ReturnType<typeof pageBrowser>;

/** An account whose owner is signed in with a browser. */
export const signedInOwner = async ({ core, url }: Pick<TestApp, 'core' | 'url'>) => {
  const email = `${randomUUID()}@example.com`;
  const password = plantedPassword('passphrase');
  const { accountId } = await core.commands.createAccount({ email, password, name: null, plan: 'free' });
  const browser = pageBrowser(url);
  await browser.signIn(email, password);
  return { accountId, browser, password };
};

/** Registers an application; resolves to its id. */
export const registerClient = async (url: string, more: object = {}): Promise<string> => {
  const answer = await post(`${url}/oauth/register`, {
    client_name: 'Test agent',
    redirect_uris: [redirectUri],
    ...more,
  });
  assert.equal(answer.status, 201);
  return String((await answer.json()).client_id);
};

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });

/** The address at which an application asks; `more` replaces parameters, null leaves one out. */
export const authorizePath = (
  url: string,
  clientId: string,
  more: Readonly<Record<string, string | null>> = {},
): string => {
  const parameters = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state: 'state-1' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256', resource: `${url}/mcp` },
    ...more,
  };
  const given = Object.entries(parameters).filter((one): one is [string, string] => one[1] !== null);
  return `/oauth/authorize?${new URLSearchParams(given)}`;
};

export const consentFields = {
  credits_per_day: '5',
  credits_total: '8',
  expires_at: '2099-12-31',
  scope: 'transcripts ai jobs usage',
  decision: 'allow',
};

const locationOf = (answer: Response): string => answer.headers.get('Location') ?? '';

/** Goes to the page of consent; resolves to its address. */
export const askConsent = async (browser: Page, path: string): Promise<string> => {
  const asked = await browser.open(path);
  assert.equal(asked.status, 303, await asked.text());
  return locationOf(asked);
};

/** Agrees, and follows the answer to the application; resolves to what it gets. */
export const agree = async (
  browser: Page,
  consentPath: string,
  fields: Readonly<Record<string, string>> = consentFields,
): Promise<URL> => {
  const form = await browser.form(consentPath, consentPath);
  const sent = await browser.send(consentPath, { ...form.fields, ...fields });
  assert.equal(sent.status, 303, await sent.text());
  const back = await browser.open(locationOf(sent));
  assert.equal(back.status, 303, await back.text());
  return new URL(locationOf(back));
};

/** Goes to the address of an authorization, signs in where the page asks for it, and agrees. */
export const agreeInBrowser = async (
  page: BrowserPage,
  url: string,
  owner: { readonly email: string; readonly password: string },
): Promise<void> => {
  await page.goto(url);
  if (page.url().includes('/login')) {
    await page.fill('#email', owner.email);
    await page.fill('#password', owner.password);
    await page.click('main form button');
  }
  await page.waitForURL(/\/oauth\/consent\//);
  await page.fill('#credits_per_day', '3');
  await page.fill('#credits_total', '20');
  await page.click('button[value=allow]');
  await page.waitForURL(/\/callback\?/);
};

export type Tokens = { readonly access_token: string; readonly refresh_token: string; readonly scope: string };

/** Asks for tokens, with fields of the token endpoint. */
export const askToken = (url: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });

/** The tokens for a code. */
export const exchange = async (url: string, clientId: string, code: string): Promise<Tokens> => {
  const answer = await askToken(url, codeFields(clientId, code));
  const body = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(body));
  planted(body.access_token);
  planted(body.refresh_token);
  return body;
};

export const codeFields = (clientId: string, code: string) => ({
  ...{ grant_type: 'authorization_code', client_id: clientId, code: planted(code) },
  ...{ redirect_uri: redirectUri, code_verifier: verifier },
});

/** The whole way: an application that is registered, and authorized by the owner. */
export const authorized = async (
  url: string,
  browser: Page,
  fields: Readonly<Record<string, string>> = consentFields,
): Promise<Tokens & { readonly clientId: string; readonly code: string }> => {
  const clientId = await registerClient(url);
  const back = await agree(browser, await askConsent(browser, authorizePath(url, clientId)), fields);
  const code = back.searchParams.get('code') ?? '';
  return { ...(await exchange(url, clientId, code)), clientId, code };
};

/** Calls a tool of `/mcp`. */
export const callTool = (url: string, token: string, name: string, args: object): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
