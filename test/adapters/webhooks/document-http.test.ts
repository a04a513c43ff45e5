import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { documentFetcher } from '#src/adapters/webhooks/document-http.ts';
import { outboundCheck } from '#src/webhooks/webhook-url.ts';
import { certificateFor } from '#test/support/certificates.ts';
import { listening } from '#test/support/webhook-receivers.ts';

/** A host of documents with a certificate, and a fetcher that knows it. */
const startHost = async () => {
  const hourMs = 3_600_000;
  const certificate = await certificateFor(
    'docs.example',
    new Date(Date.now() - hourMs),
    new Date(Date.now() + hourMs),
  );
  let sent = 0;
  const server = createServer({ ...certificate }, (request, response) => {
    if (request.url === '/moved') response.writeHead(302, { Location: '/client.json' }).end();
    else if (request.url === '/large') {
      const write = (): void => {
        if (sent >= 1_048_576 || response.destroyed) return void response.end();
        sent += 1_024;
        response.write('x'.repeat(1_024), () => setImmediate(write));
      };
      write();
    } else response.setHeader('Cache-Control', 'max-age=600').end('{"client_id":"x"}');
  });
  const host = await listening(server);
  const fetcher = (allow: readonly string[], addresses = ['127.0.0.1']) =>
    documentFetcher({
      check: outboundCheck({ allow, isHttpAllowed: false, ports: [[1, 65_535]] }),
      resolve: async () => addresses,
      authorities: [certificate.cert],
    });
  return { ...host, fetcher, sent: () => sent };
};

describe('the document of an application', () => {
  let host: Awaited<ReturnType<typeof startHost>>;
  before(async () => {
    host = await startHost();
  });
  after(() => host[Symbol.asyncDispose]());
  const at = (path: string) => `https://docs.example:${host.port}${path}`;
  const allowed = ['127.0.0.0/8'];

  it('is fetched by https from an allowed address, with its cache lifetime', async () => {
    const found = await host.fetcher(allowed)(at('/client.json'));
    assert.deepEqual(found, { status: 200, headers: { 'cache-control': 'max-age=600' }, body: '{"client_id":"x"}' });
  });

  // S100: the document of an application that has 1 MB, moves, or is on a private address
  it('of a megabyte is not read to its end', async () => {
    await assert.rejects(host.fetcher(allowed)(at('/large')), /more than 5120 bytes/);
    assert.ok(host.sent() < 1_048_576, `${host.sent()} bytes were sent`);
  });

  it('that has moved is not followed', async () => {
    const { status, body } = await host.fetcher(allowed)(at('/moved'));
    assert.deepEqual({ status, body }, { status: 302, body: '' });
  });

  it('on an address that is not public, or not by https, is not requested', async () => {
    const before = host.connections();
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1']) {
      await assert.rejects(host.fetcher([], [address])(at('/client.json')), /blocked_address/, address);
    }
    await assert.rejects(host.fetcher([], ['93.184.215.14', '127.0.0.1'])(at('/client.json')), /blocked_address/);
    await assert.rejects(host.fetcher(allowed)(`http://docs.example:${host.port}/client.json`), /https/);
    await assert.rejects(host.fetcher([])(`https://127.0.0.1:${host.port}/client.json`), /blocked_address/);
    assert.equal(host.connections(), before);
  });
});
