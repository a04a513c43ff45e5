import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deviceName } from '#src/edges/http/website/security/device-name.ts';
import { wordsOf } from '#src/edges/http/website/words.ts';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('the name of a session', () => {
  for (const [userAgent, name] of [
    [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    ['Mozilla/5.0 (Android 16; Mobile; rv:144.0) Gecko/144.0 Firefox/144.0', 'Firefox on Android'],
    [
      `Mozilla/5.0 (Linux; Android 16; SM-S921B) ${webKit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
      'Samsung Internet on Android',
    ],
    ['curl/8.16.0', 'curl'],
    ['Mozilla/5.0 (X11; Linux x86_64) NewBrowser/1', 'Linux'],
    ['<script>alert(1)</script>', 'Unknown device'],
    [null, 'Unknown device'],
  ] as const) {
    it(`is ${name} for ${userAgent ?? 'a program that does not say'}`, () => {
      assert.equal(deviceName(wordsOf('en').security, userAgent), name);
    });
  }

  it('follows the language of the page', () => {
    assert.equal(
      deviceName(wordsOf('de').security, `Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/1 Safari/1`),
      'Chrome unter Linux',
    );
  });
});
