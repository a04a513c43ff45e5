import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { exitCodeOf } from '#src/edges/cli/exit-codes.ts';
import { watchOnServer } from '#src/edges/cli/jobs-watch.ts';
import { serverClient } from '#src/edges/cli/server-client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
const error = (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  json(status, { error: { code, message: 'No.', request_id: 'req_1', details: null } }, headers);
const cut: Answer = (request) => request.socket.destroy();

/** A server that gives these answers one after the other, the last one for ever; and what the client did. */
const asking = async (
  answers: readonly Answer[],
  ask: (client: ReturnType<typeof serverClient>) => Promise<unknown>,
) => {
  const requests: { readonly url: string; readonly id: unknown }[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push({ url: request.url ?? '', id: request.headers['idempotency-key'] });
    answer?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const waits: number[] = [];
  const client = serverClient(
    { url, key: 'stn_live_x' },
    {
      ...{ version: '1.0.0', stderr: new PassThrough(), isQuiet: () => false },
      signal: new AbortController().signal,
      wait: async (ms) => waits.push(ms),
    },
  );
  try {
    const result = await ask(client).catch((failure: unknown) => failure);
    const code = exitCodeOf(result, { isUnavailable: () => false });
    const message = result instanceof Error ? result.message.replaceAll(url, 'URL') : null;
    return { result, code, message, requests, waits };
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const read = { method: 'GET', path: '/v1/usage' } as const;
const Plan = z.object({ plan: z.string() });
const good = json(200, { plan: 'pro' });

describe('a client of the API', () => {
  it('waits as long as the server asks, and retries', async () => {
    const { result, waits, requests } = await asking(
      [error(429, 'RATE_LIMITED', { 'Retry-After': '7' }), error(503, 'NOT_READY'), good],
      async (client) => (await client.send(read, Plan)).body,
    );
    assert.deepEqual(result, { plan: 'pro' });
    assert.equal(waits[0], 7_000);
    assert.ok((waits[1] ?? 0) >= 250 && (waits[1] ?? 0) <= 750);
    assert.equal(requests.length, 3);
  });

  it('gives up after four attempts, and at once where it would wait for more than a minute', async () => {
    const limited = error(429, 'RATE_LIMITED', { 'Retry-After': '1' });
    const often = await asking([limited], (client) => client.send(read, Plan));
    assert.deepEqual([often.requests.length, often.code], [4, 7]);
    const long = error(429, 'RATE_LIMITED', { 'Retry-After': '61' });
    const once = await asking([long], (client) => client.send(read, Plan));
    assert.deepEqual([once.requests.length, once.code], [1, 7]);
  });

  it('sends an Idempotency-Key with a POST and a charged GET, the same in every attempt', async () => {
    const post = { method: 'POST', path: '/v1/ask', body: {} } as const;
    const { requests } = await asking([cut, good], (client) => client.send(post, Plan));
    assert.equal(requests.length, 2);
    assert.match(String(requests[0]?.id), /^[0-9a-f-]{36}$/);
    assert.equal(requests[0]?.id, requests[1]?.id);
    const charged = { ...read, isCharged: true, idempotencyKey: 'mine' };
    const named = await asking([good], (client) => client.send(charged, Plan));
    assert.equal(named.requests[0]?.id, 'mine');
    assert.equal((await asking([good], (client) => client.send(read, Plan))).requests[0]?.id, undefined);
  });

  for (const [status, code, expected] of [
    [400, 'INVALID_REQUEST', 2],
    [401, 'UNAUTHENTICATED', 4],
    [402, 'INSUFFICIENT_CREDITS', 6],
    [403, 'A_NEW_CODE', 4],
    [404, 'JOB_NOT_FOUND', 5],
    [418, 'A_NEW_CODE', 2],
  ] as const) {
    it(`ends with ${expected} at ${code}, without a retry`, async () => {
      const told = await asking([error(status, code)], (client) => client.send(read, Plan));
      assert.deepEqual([told.code, told.requests.length, told.message], [expected, 1, `No. (${code}, req_1)`]);
    });
  }

  it('ends with 9 if no server answers, or its faults persist', async () => {
    const gone = await asking([cut], (client) => client.send(read, Plan));
    assert.deepEqual([gone.code, gone.requests.length], [9, 4]);
    assert.match(gone.message ?? '', /^URL cannot be reached: /);
    const failing = await asking([error(500, 'INTERNAL_ERROR')], (client) => client.send(read, Plan));
    assert.deepEqual([failing.code, failing.requests.length], [9, 4]);
  });

  it('follows a job through a broken stream and an unavailable server', async () => {
    const job = (status: string) =>
      json(200, {
        ...{ id: 'job_1', status, run: 1, total_items: 1, completed_items: 0, failed_items: 0 },
        ...{ error_code: null, error_message: null, updated_at: '2026-11-21T10:00:00.000Z' },
      });
    const events: Answer = (request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('id: 7\nevent: job\ndata: {}\n\n', () => request.socket.destroy());
    };
    const streams = [events, error(503, 'NOT_READY'), events];
    const jobs = [job('queued'), cut, cut, cut, cut, job('processing'), job('processing')];
    const inTurn: Answer = (request, response) => {
      const left = request.url?.endsWith('/events') === true ? streams : jobs;
      (left.shift() ?? job('completed'))(request, response);
    };
    const { result } = await asking([inTurn], async (client) => {
      const seen: string[] = [];
      const wait = async () => await new Promise((resolve) => setImmediate(resolve));
      for await (const { status } of watchOnServer(client, 'job_1', wait)) seen.push(status);
      return seen;
    });
    assert.deepEqual(result, ['queued', 'processing', 'completed']);
    assert.ok(streams.length <= 1);
  });

  it('says what is wrong with an address that is not the address of a server', async () => {
    const page: Answer = (_, response) => response.end('<html>');
    const html = await asking([page], (client) => client.send(read, Plan));
    assert.deepEqual([html.code, html.message], [1, 'URL does not respond like a Steno server: is the address right?']);
    const other = await asking([json(200, {})], (client) => client.send(read, Plan));
    assert.equal(other.message, html.message);
    const moved = json(301, {}, { Location: 'https://steno.example/' });
    const elsewhere = await asking([moved], (client) => client.send(read, Plan));
    assert.equal(elsewhere.message, 'URL has moved to https://steno.example/: use that address');
    const proxy = await asking([json(404, 'nothing')], (client) => client.send(read, Plan));
    assert.deepEqual([proxy.code, proxy.message], [5, 'URL answered with status 404']);
  });
});
