import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { smtpMailer } from '#src/adapters/smtp/mail-smtp.ts';
import { type Certificate, certificateFor } from '#test/support/certificates.ts';
import { startMailServer } from '#test/support/mail-server.ts';

const from = 'Steno <no-reply@steno.example>';
const mail = { id: 'mail-1', to: 'ada@example.org', subject: 'Grüße', text: 'One line: ä\n' };
const { signal } = new AbortController();

describe('a mail by SMTP', () => {
  it('is plain text from the sender to one address, with an id that stays the same', async () => {
    await using server = await startMailServer();
    const mailer = smtpMailer({ url: server.url, from });
    assert.equal(await mailer.send(mail, { signal }), 'sent');
    assert.equal(await mailer.send({ ...mail, to: 'a,b@example.org' }, { signal }), 'sent');
    const [first, second] = server.received;
    assert.deepEqual([first?.from, first?.to], ['no-reply@steno.example', 'ada@example.org']);
    assert.match(first?.headers ?? '', /^Message-ID: <mail-1@steno\.example>/m);
    assert.match(first?.headers ?? '', /^Auto-Submitted: auto-generated/m);
    assert.match(first?.headers ?? '', /^Content-Type: text\/plain; charset=utf-8/m);
    assert.equal(
      Buffer.from(first?.text ?? '', 'latin1')
        .toString()
        .trim(),
      'One line: ä',
    );
    assert.equal(second?.to, '"a,b"@example.org');
  });

  it('is dead-lettered if its recipient is refused permanently, and retried after every other failure', async () => {
    const outcomes: Record<string, string> = {};
    for (const [line, reply] of [
      ['RCPT', '550 5.1.1 <ada@example.org> no such user'],
      ['RCPT', '451 4.7.1 <ada@example.org> greylisted'],
      ['MAIL', '550 5.7.1 <no-reply@steno.example> may not send'],
      ['DATA', '421 4.3.2 ada@example.org: shutting down'],
    ] as const) {
      await using server = await startMailServer((command) => (command.startsWith(line) ? reply : null));
      outcomes[reply.slice(0, 9)] = await smtpMailer({ url: server.url, from })
        .send(mail, { signal })
        .catch(({ message, cause }: Error) => {
          assert.equal(cause, undefined);
          return message;
        });
    }
    assert.deepEqual(outcomes, {
      '550 5.1.1': 'refused',
      '451 4.7.1': 'the mail server answered 451 to RCPT TO',
      '550 5.7.1': 'the mail server answered 550 to MAIL FROM',
      '421 4.3.2': 'the mail server answered 421 to DATA',
    });
    const away = smtpMailer({ url: 'smtp://127.0.0.1:1', from });
    await assert.rejects(away.send(mail, { signal }), /^Error: the mail server cannot be used: E/);
  });

  it('goes to a relay on a loopback address without TLS, whatever that offers', async () => {
    await using server = await startMailServer((command) =>
      command.startsWith('EHLO') ? '250-mail.test\r\n250 STARTTLS' : null,
    );
    assert.equal(await smtpMailer({ url: server.url, from }).send(mail, { signal }), 'sent');
    assert.ok(!server.commands.includes('STARTTLS'));
  });

  it('is sent with authentication if the URL of the server has credentials', async () => {
    await using server = await startMailServer();
    const url = server.url.replace('//', '//ada%40x:p%2Fw@');
    await smtpMailer({ url, from }).verify();
    const plain = Buffer.from('\0ada@x\0p/w').toString('base64');
    assert.ok(server.commands.includes(`AUTH PLAIN ${plain}`), String(server.commands));
    await using closed = await startMailServer((command) => (command.startsWith('AUTH') ? '535 5.7.8 wrong' : null));
    const wrong = smtpMailer({ url: closed.url.replace('//', '//a:b@'), from });
    await assert.rejects(wrong.verify(), /answered 535 to AUTH/);
  });
});

/** An address that reaches this machine, and that the product takes for another one. */
const elsewhere = '0.0.0.0';
const day = 86_400_000;

/** A certificate for a host, good from some days on for three days. This process trusts it until it is disposed. */
const certificateOf = async (
  host: string,
  { fromDays = -1, isTrusted = true } = {},
): Promise<Certificate & Disposable> => {
  const from = new Date(Date.now() + fromDays * day);
  const certificate = await certificateFor(host, from, new Date(from.getTime() + 3 * day));
  const before = getCACertificates('default');
  if (isTrusted) setDefaultCACertificates([...before, certificate.cert]);
  return { ...certificate, [Symbol.dispose]: () => setDefaultCACertificates(before) };
};

/** A mailer that signs in at a server of another machine. */
const signingIn = ({ url }: { readonly url: string }) =>
  smtpMailer({ url: url.replace('//127.0.0.1', `//ada:word@${elsewhere}`), from });

describe('a mail server of another machine', () => {
  it('is told the password and the mail only after STARTTLS', async () => {
    using certificate = await certificateOf(elsewhere);
    await using server = await startMailServer(() => null, certificate);
    assert.equal(await signingIn(server).send(mail, { signal }), 'sent');
    assert.deepEqual(
      server.inClear.map((line) => line.split(' ')[0]),
      ['EHLO', 'STARTTLS'],
    );
    const plain = Buffer.from('\0ada\0word').toString('base64');
    assert.ok(server.commands.includes(`AUTH PLAIN ${plain}`), String(server.commands));
    assert.equal(server.received[0]?.to, mail.to);
  });

  for (const [what, certificate] of [
    ['that nobody vouches for', () => certificateOf(elsewhere, { isTrusted: false })],
    ['of another host', () => certificateOf('mail.example.org')],
    ['that is over', () => certificateOf(elsewhere, { fromDays: -9 })],
  ] as const) {
    // S90: a mail server with a wrong certificate
    it(`gets no command after a certificate ${what}`, async () => {
      using shown = await certificate();
      await using server = await startMailServer(() => null, shown);
      const failed = /^Error: the mail server cannot be used: ESOCKET/;
      await assert.rejects(signingIn(server).send(mail, { signal }), failed);
      assert.equal(server.commands.at(-1), 'STARTTLS');
    });
  }

  for (const reply of ['502 5.5.1 unknown command', '454 4.7.0 not now', '250 2.0.0 fine']) {
    // S90: `STARTTLS` stripped from the replies of a mail server
    it(`gets no password where STARTTLS was stripped in transit: ${reply}`, async () => {
      await using server = await startMailServer((command) => (command === 'STARTTLS' ? reply : null));
      await assert.rejects(signingIn(server).send(mail, { signal }), /^Error: the mail server/);
      assert.equal(server.commands[1], 'STARTTLS');
      await assert.rejects(signingIn(server).verify());
      assert.ok(!server.commands.some((line) => /^(AUTH|MAIL)/.test(line)), `${server.commands}`);
    });
  }
});
