import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newToken } from '#src/kernel/ids.ts';
import { newSecret } from '#src/keys/key-secret.ts';
import { formsOf, leaksIn, plantedPassword } from '#test/support/leaks.ts';

const searched = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'steno-leaks-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return leaksIn(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

describe('the search for leaked secrets at the end of a test run', () => {
  const cookie = newToken();
  const password = plantedPassword('one');
  const leaks: Readonly<Record<string, string>> = {
    'a key': newSecret(),
    'a key in a sentence': `the key ${newSecret()}, it says`,
    'a signing secret': `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    'a hash of a password': '$argon2id$v=19$m=64,t=1,p=1$c2FsdA$aGFzaA',
    'a cookie by its name': 'session=not-told-of-but-a-cookie-all-the-same',
    'a cookie that a helper told of': `{"noted":"${cookie}"}`,
    'the same in hex': `\\x${Buffer.from(cookie).toString('hex')}`,
    'an answer to a captcha': '{"captcha_answer":"11"}',
    'a mail address': 'no mailbox jo.doe@example.org',
    ...Object.fromEntries(formsOf(password).map((form, at) => [`a password, form ${at}`, form])),
    'a password within base64': Buffer.from(`x${password}`).toString('base64'),
  };
  for (const [what, text] of Object.entries(leaks)) {
    // S75: secrets in the logs of a whole run
    it(`finds ${what} in a log and in a dump`, async () => {
      const found = await searched({
        planted: `${cookie}\n`,
        'log-1': `{"message":"fine"}\n{"message":"${text}"}\n`,
        'dump-1': `public.idempotency_keys\t(1,"${text}")\n`,
      });
      assert.equal(found.filter((leak) => leak.includes('a log')).length, 1, String(found));
      assert.equal(found.filter((leak) => leak.includes('idempotency_keys')).length, 1);
    });
  }

  it('finds nothing where no secret is', async () => {
    const found = await searched({
      planted: `${cookie}\n`,
      'log-1': '{"message":"answered","account_id":"acc_0123","prefix":"stn_live_abcd"}\n',
      'dump-1': 'public.account_profiles\t(acc_1,jo@example.org,$argon2id$v=19$m=64$c2FsdA$aGFzaA)\n',
    });
    assert.deepEqual(found, []);
  });
});
