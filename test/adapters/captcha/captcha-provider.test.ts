import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { type CaptchaProviderSettings, captchaProvider } from '#src/adapters/captcha/captcha-provider.ts';
import { outcomeOf } from '#test/support/accounts.ts';

type Answering = (asked: URLSearchParams, response: ServerResponse) => void;

/** A provider's check on loopback. */
const providerThat = async (answer: Answering) => {
  const asked: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const form = new URLSearchParams(body);
      asked.push(form);
      answer(form, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    asked,
    url: `http://127.0.0.1:${port}/siteverify`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const saying =
  (verdict: unknown, status = 200): Answering =>
  (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(verdict));
  };

const settings = { siteKey: 'site', secret: 's3cret', hostname: 'steno.example', timeoutMs: 20_000 };

const proveAt = async (
  answer: Answering,
  more: Partial<CaptchaProviderSettings> = {},
  response: string | undefined = 'widget-token',
): Promise<string> => {
  await using provider = await providerThat(answer);
  const captcha = captchaProvider({ provider: 'turnstile', ...settings, verifyUrl: provider.url, ...more });
  const proof = { token: 'internal', answer: '11', response, ip: '192.0.2.1' };
  return await outcomeOf(captcha.prove(proof));
};

const passed = { success: true, hostname: 'steno.example', action: 'register' };

describe('the captcha of a provider', () => {
  it('shows its widget instead of a question', () => {
    assert.deepEqual(captchaProvider({ provider: 'hcaptcha', ...settings }).challenge('en'), {
      kind: 'provider',
      provider: 'hcaptcha',
      siteKey: 'site',
    });
  });

  it('verifies with secret, token, address and an idempotency key of its own', async () => {
    await using provider = await providerThat(saying(passed));
    const captcha = captchaProvider({ provider: 'turnstile', ...settings, verifyUrl: provider.url });
    await captcha.prove({ token: undefined, answer: undefined, response: 'abc', ip: '192.0.2.1' });
    const [asked] = provider.asked;
    assert.equal(asked?.get('secret'), 's3cret');
    assert.equal(asked?.get('response'), 'abc');
    assert.equal(asked?.get('remoteip'), '192.0.2.1');
    assert.match(asked?.get('idempotency_key') ?? '', /^[0-9a-f-]{36}$/);
  });

  it('accepts tokens of hCaptcha, which names the host only sometimes', async () => {
    const hcaptcha = { provider: 'hcaptcha' } as const;
    assert.equal(await proveAt(saying({ success: true }), hcaptcha), 'done');
    assert.equal(await proveAt(saying({ success: true, hostname: 'steno.example' }), hcaptcha), 'done');
    assert.equal(await proveAt(saying({ success: true, hostname: 'evil.example' }), hcaptcha), 'CAPTCHA_FAILED');
  });

  // S31: a captcha provider that refuses, or does not answer
  it('refuses a negative verdict, a token of another page or action, and an answer to the built-in question', async () => {
    for (const verdict of [
      { success: false, 'error-codes': ['invalid-input-response'] },
      { success: false, 'error-codes': ['timeout-or-duplicate'] },
      { ...passed, success: 'true' },
      { ...passed, hostname: 'evil.example' },
      { ...passed, action: 'login' },
      { success: true },
    ]) {
      assert.equal(await proveAt(saying(verdict)), 'CAPTCHA_FAILED', JSON.stringify(verdict));
    }
    assert.equal(await proveAt(saying(passed), {}, ''), 'CAPTCHA_FAILED');
    assert.equal(await proveAt(saying(passed), {}, 'x'.repeat(5_000)), 'CAPTCHA_FAILED');
  });

  // S31: a captcha provider that refuses, or does not answer
  it('refuses when the provider does not answer or its answer is malformed', async () => {
    const silent: Answering = () => {};
    const dribbling: Answering = (_, response) => void response.write('{"success":');
    const endless = saying({ ...passed, padding: 'x'.repeat(100_000) });
    const page: Answering = (_, response) => void response.end('<html>');
    const elsewhere: Answering = (_, response) =>
      void response.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end();
    for (const answer of [silent, dribbling]) {
      assert.equal(await proveAt(answer, { timeoutMs: 300 }), 'SERVICE_UNAVAILABLE');
    }
    for (const answer of [
      ...[endless, page, elsewhere],
      ...[saying({}), saying(null), saying({ error: 'x' }, 500)],
      saying({ success: false, 'error-codes': ['invalid-input-secret'] }),
      saying({ success: false, 'error-codes': ['internal-error'] }),
    ]) {
      assert.equal(await proveAt(answer), 'SERVICE_UNAVAILABLE');
    }
    const nowhere = { verifyUrl: 'http://127.0.0.1:1/' };
    assert.equal(await proveAt(saying(passed), nowhere), 'SERVICE_UNAVAILABLE');
  });
});
