import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signatureToleranceS } from '#src/contract/webhooks.ts';
import { checkerPage } from '#src/edges/http/website/webhook-signature/signature-page.tsx';
import { checkSignature } from '#src/edges/http/website/webhook-signature/signature-routes.ts';
import { wordsOf } from '#src/edges/http/website/words.ts';
import { signatureHeaders } from '#src/webhooks/signature.ts';

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const body = '{"id":"evt_1"}';
const at = 1_767_225_600;
const header = signatureHeaders({ id: 'evt_1', timestampS: at, body, secrets: [secret] })['x-service-signature'] ?? '';
const checkedAfter = (ageS: number) => checkSignature({ body, header, secret, nowS: at + ageS });

describe('the page that checks a signature', () => {
  it('calls a delivery old from the second at which verifiers reject it', () => {
    assert.equal(checkedAfter(signatureToleranceS).verdict, 'good');
    assert.equal(checkedAfter(-signatureToleranceS).verdict, 'good');
    for (const ageS of [signatureToleranceS + 1, 330, -signatureToleranceS - 1]) {
      assert.equal(checkedAfter(ageS).verdict, 'old', `${ageS} s`);
    }
  });

  it('says how old a delivery is, and from when it is rejected', () => {
    const page = checkerPage(
      {
        words: wordsOf('en'),
        assets: { style: '/s.css', script: '/s.js', icon: '/i.svg', card: '/c.png' },
        url: '/account/webhooks/check',
        publicUrl: 'https://steno.example',
        user: { accountId: 'acc_1' },
      },
      { typed: { body, header }, ...checkedAfter(330) },
    );
    assert.match(page, /valid but 6 minutes old: reject anything older than 5 minutes\./);
  });
});
