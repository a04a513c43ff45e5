import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDisposable, isLargeFreeMail, mailboxHash, parseMailbox } from '#src/accounts/email-address.ts';
import { disposableDomains } from '#src/adapters/passwords/word-lists.ts';

const canonical = (typed: string): string | undefined => parseMailbox(typed)?.canonical;

describe('a mailbox', () => {
  it('is the same in every spelling that its provider treats as equal', () => {
    for (const [typed, expected] of [
      ['A.b+x@googlemail.com', 'ab@gmail.com'],
      ['ab@gmail.com', 'ab@gmail.com'],
      ['Jo.Doe+news@Outlook.com', 'jo.doe@outlook.com'],
      ['jo+a@hotmail.co.uk', 'jo@hotmail.co.uk'],
      ['jo+a@icloud.com', 'jo@icloud.com'],
      ['jo+a@fastmail.com', 'jo@fastmail.com'],
      ['jo+a@proton.me', 'jo@proton.me'],
      ['jo-shop@yahoo.de', 'jo@yahoo.de'],
      ['jo+a@example.org', 'jo+a@example.org'],
      ['JO@BÜCHER.example', 'jo@xn--bcher-kva.example'],
      ['ｊｏ@ｇｍａｉｌ.com', 'jo@gmail.com'],
    ] as const) {
      assert.equal(canonical(typed), expected, typed);
    }
  });

  it('keeps the address as it was typed, for sending to it', () => {
    assert.equal(parseMailbox('A.b+x@googlemail.com')?.typed, 'A.b+x@googlemail.com');
  });

  it('counts attempts without the tag at every provider', () => {
    assert.equal(parseMailbox('jo+1@example.org')?.limiterKey, 'jo@example.org');
  });

  it('is refused when it is malformed', () => {
    for (const typed of [
      'a@b',
      'a@b..c',
      '"x y"@z.de',
      `${'a'.repeat(250)}@b.de`,
      `${'a'.repeat(65)}@b.de`,
      'a@b.de\r\nBcc: c@d.de',
      'a@b.de\n',
      ' a@b.de',
      'a b@c.de',
      '@b.de',
      'a@',
      'a@@b.de',
      '.a@b.de',
      'a..b@c.de',
      'a@127.0.0.1',
      'a@[127.0.0.1]',
      'a@0x7f.1',
      'a@b.123',
      'a@-b.de',
      'a@b.de\u0000',
      'a\ud800@b.de',
      '+x@gmail.com',
      '...@gmail.com',
      'a@b%2ede.de',
      'a@b.de/x',
      '',
    ]) {
      assert.equal(parseMailbox(typed), null, JSON.stringify(typed));
    }
  });

  it('has a pseudonym in the log that cannot be computed without the key', () => {
    const key = Buffer.alloc(32, 1);
    const name = mailboxHash('ab@gmail.com', key);
    assert.match(name, /^[0-9a-f]{64}$/);
    assert.equal(name, mailboxHash('ab@gmail.com', key));
    assert.notEqual(name, mailboxHash('ab@gmail.com', Buffer.alloc(32, 2)));
  });
});

describe('a disposable domain', () => {
  it('is found with its subdomains, in upper case and as punycode', () => {
    for (const typed of [
      'a@mailinator.com',
      'a@MAILINATOR.com',
      'a@x.mailinator.com',
      'a@y.x.guerrillamail.com',
      'a@ｍailinator.com',
    ]) {
      const domain = parseMailbox(typed)?.domain ?? '';
      assert.ok(isDisposable(domain, disposableDomains()), typed);
    }
    const domain = parseMailbox('a@wegwérf.example')?.domain ?? '';
    assert.ok(isDisposable(domain, new Set(['xn--wegwrf-eva.example'])), domain);
  });

  it('is not matched by a domain that only ends in the same letters', () => {
    for (const domain of ['amailinatorfan.example', 'gmail.com', 'example.org', 'mailinator.com.example']) {
      assert.ok(!isDisposable(domain, disposableDomains()), domain);
    }
  });

  it('comes from a list of thousands that names no large provider', () => {
    assert.ok(disposableDomains().size > 8_000);
    for (const domain of disposableDomains()) assert.ok(!isLargeFreeMail(domain), domain);
  });
});
