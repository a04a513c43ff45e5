import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { webhookSender } from '#src/adapters/webhooks/webhook-http.ts';
import { outboundCheck } from '#src/webhooks/webhook-url.ts';
import type { Certificate } from '#test/support/certificates.ts';

const clock = () => new Date('2026-11-21T10:00:00.000Z');
const signal = new AbortController().signal;

/** A receiver on loopback; `seen` counts connections, so that a test can say that none came. */
export const receiver = (listener: RequestListener) => listening(createServer(listener));

export const tlsReceiver = (certificate: Certificate) =>
  listening(createTlsServer({ ...certificate }, (_, response) => response.end()));

export const listening = async (server: Server) => {
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/in`,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export const senderOf = (
  options: {
    allow?: readonly string[];
    resolve?: (host: string) => Promise<string[]>;
    timeoutMs?: number;
    authorities?: readonly string[];
  } = {},
) =>
  webhookSender({
    check: outboundCheck({ allow: options.allow ?? ['127.0.0.0/8'], isHttpAllowed: true, ports: [[1, 65_535]] }),
    clock,
    // Tests of time limits name one: on a busy machine an answer takes seconds.
    connectTimeoutMs: 10_000,
    timeoutMs: options.timeoutMs ?? 10_000,
    ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
    ...(options.authorities === undefined ? {} : { authorities: options.authorities }),
  });

export const message = { headers: { 'webhook-id': 'evt_1' }, body: '{"id":"evt_1"}', signal };
