import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedRequest = {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: {
    readonly id: string;
    readonly type: string;
    readonly test?: boolean;
    readonly data: Record<string, unknown>;
  };
};

/** The response to the n-th request, counted from 0. */
export type ReceiverAnswer = { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

/** A webhook receiver on loopback. */
export const startReceiver = async (
  answer: (index: number) => ReceiverAnswer | Promise<ReceiverAnswer> = () => ({ status: 204 }),
) => {
  const received: ReceivedRequest[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    received.push({ headers: request.headers, body, json: JSON.parse(body) });
    for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    const { status, headers = {} } = await answer(received.length - 1);
    response.writeHead(status, headers).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/in`,
    received,
    /** Resolves when this many requests have arrived. */
    count: async (count: number): Promise<void> => {
      if (received.length >= count) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, resolve });
      await promise;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
