import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { systemClock } from '#src/kernel/clock.ts';
import { secretMaker, signatureHeaders } from '#src/webhooks/signature.ts';

const secretOf = secretMaker('a service key for tests, long enough');
const secret = secretOf('whk_1', 1);
const body = '{"id":"evt_1","type":"job.completed"}';
const nowS = () => Math.floor(systemClock().getTime() / 1_000);

describe('webhook signatures', () => {
  it('match the published test vector', () => {
    const published = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    const headers = signatureHeaders({ id: 'evt_1', timestampS: 1_767_225_600, body, secrets: [published] });
    assert.equal(headers['webhook-signature'], 'v1,RZ3vNozCEHkz6UfUsJ2gswFqrZfZhrdodkO4WBJX7a4=');
    const own = createHmac('sha256', published).update(`1767225600.${body}`).digest('hex');
    assert.equal(headers['x-service-signature'], `t=1767225600,v1=${own}`);
  });

  for (const [name, Verifier] of [
    ['standardwebhooks', StandardWebhook],
    ['svix', SvixWebhook],
  ] as const) {
    // S77: signatures of webhooks
    it(`are accepted by ${name}, and refused when anything is altered`, () => {
      const signed = (timestampS: number, secrets = [secret]) => ({
        ...signatureHeaders({ id: 'evt_1', timestampS, body, secrets }),
      });
      const verifier = new Verifier(secret);
      assert.doesNotThrow(() => verifier.verify(body, signed(nowS())));
      assert.throws(() => verifier.verify(body.replace('evt_1', 'evt_2'), signed(nowS())));
      assert.throws(() => verifier.verify(body, signed(nowS() - 301)));
      assert.throws(() => verifier.verify(body, { ...signed(nowS()), 'webhook-id': 'evt_2' }));
      const rotated = [secretOf('whk_1', 2), secret];
      assert.doesNotThrow(() => verifier.verify(body, signed(nowS(), rotated)));
      assert.throws(() => verifier.verify(body, signed(nowS(), [secretOf('whk_1', 2)])));
    });
  }

  it('use a different secret for each owner and generation', () => {
    const secrets = new Set([
      secret,
      secretOf('whk_1', 2),
      secretOf('whk_2', 1),
      secretMaker('another service key')('whk_1', 1),
    ]);
    assert.equal(secrets.size, 4);
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
  });
});
