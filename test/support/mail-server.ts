import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { TLSSocket } from 'node:tls';
import type { Certificate } from '#test/support/certificates.ts';

/** A mail as a server takes it. `text`: its body, decoded. */
export type ReceivedMail = {
  readonly from: string;
  readonly to: string;
  readonly headers: string;
  readonly text: string;
};

const decoded = (body: string): string =>
  body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/**
 * A mail server on loopback (RFC 5321, as much as a client of one mail needs). `answer` null: the usual one. With a
 * certificate it offers STARTTLS. `inClear`: the commands that were not encrypted.
 */
export const startMailServer = async (
  answer: (command: string, received: readonly ReceivedMail[]) => string | null = () => null,
  certificate: Certificate | null = null,
) => {
  const received: ReceivedMail[] = [];
  const commands: string[] = [];
  const inClear: string[] = [];
  const serve = (socket: Socket): void => {
    let [from, to, data] = ['', '', null as string[] | null];
    socket.on('error', () => {});
    const say = (line: string) => void socket.write(`${line}\r\n`);
    const isSecure = socket instanceof TLSSocket;
    const extensions = certificate !== null && !isSecure ? 'STARTTLS' : 'AUTH PLAIN';
    if (!isSecure) say('220 mail.test ESMTP');
    const lines = createInterface({ input: socket }).on('line', (line) => {
      if (data !== null) {
        if (line !== '.') return void data.push(line);
        const [headers = '', ...body] = data.join('\r\n').split('\r\n\r\n');
        received.push({ from, to, headers, text: decoded(body.join('\r\n\r\n')) });
        data = null;
        return say('250 2.0.0 taken');
      }
      commands.push(line);
      if (!isSecure) inClear.push(line);
      const other = answer(line, received);
      if (other !== null) return say(other);
      if (/^EHLO/i.test(line)) return say(`250-mail.test\r\n250 ${extensions}`);
      if (/^AUTH/i.test(line)) return say('235 2.7.0 welcome');
      if (line === 'STARTTLS' && certificate !== null && !isSecure) {
        lines.close();
        say('220 2.0.0 go on');
        return serve(new TLSSocket(socket, { isServer: true, ...certificate }));
      }
      from = /^MAIL FROM:<(.*?)>/i.exec(line)?.[1] ?? from;
      to = /^RCPT TO:<(.*?)>/i.exec(line)?.[1] ?? to;
      if (/^DATA/i.test(line)) data = [];
      say(/^DATA/i.test(line) ? '354 go on' : /^QUIT/i.test(line) ? '221 bye' : '250 2.0.0 fine');
    });
  };
  const server = createServer(serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    commands,
    inClear,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
