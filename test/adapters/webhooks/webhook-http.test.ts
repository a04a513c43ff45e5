import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Certificate, certificateFor } from '#test/support/certificates.ts';
import { message, receiver, senderOf, tlsReceiver } from '#test/support/webhook-receivers.ts';

describe('sending a webhook', { concurrency: true }, () => {
  it('posts the body with its headers, and any 2xx is a success', async () => {
    const seen: string[] = [];
    await using one = await receiver(async (request, response) => {
      for await (const chunk of request) seen.push(String(chunk));
      seen.push(String(request.method), String(request.headers['webhook-id']));
      response.writeHead(204).end();
    });
    const attempt = await senderOf()({ url: one.url, ...message });
    assert.equal(attempt.kind, 'delivered');
    assert.deepEqual(seen, ['{"id":"evt_1"}', 'POST', 'evt_1']);
  });

  // S42: redirects by a receiver
  it('does not follow a redirect', async () => {
    await using target = await receiver((_, response) => response.end());
    await using one = await receiver((_, response) => {
      response.writeHead(302, { location: target.url }).end();
    });
    const attempt = await senderOf()({ url: one.url, ...message });
    assert.ok(attempt.kind === 'failed');
    assert.deepEqual([attempt.why, attempt.httpStatus], ['redirect', 302]);
    assert.equal(target.connections(), 0);
  });

  it('reads Retry-After in seconds and as a date, the first where it is sent twice', async () => {
    for (const [value, ms] of [
      ['120', 120_000],
      ['Sat, 21 Nov 2026 10:05:00 GMT', 300_000],
      [['120', '60'], 120_000],
      ['soon', null],
    ] as const) {
      await using one = await receiver((_, response) => {
        response.setHeader('retry-after', value).writeHead(503).end();
      });
      const attempt = await senderOf()({ url: one.url, ...message });
      assert.ok(attempt.kind === 'failed');
      assert.equal(attempt.retryAfterMs, ms);
    }
  });

  // S41: names that resolve to such addresses, now or later
  it('sends no packet to an address that is not public, whatever form it has', async () => {
    await using one = await receiver((_, response) => response.end());
    const strict = senderOf({ allow: [], resolve: async () => ['127.0.0.1'] });
    for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'rebound.example.com']) {
      const attempt = await strict({ url: `http://${host}:${one.port}/`, ...message });
      assert.ok(attempt.kind === 'failed');
      // A name that leads inside looks like one that does not exist.
      const why = host === 'rebound.example.com' ? 'dns_failed' : 'blocked_address';
      assert.equal(attempt.why, why);
    }
    assert.equal(one.connections(), 0);
  });

  // S41: names that resolve to such addresses, now or later
  it('refuses a name if one of its addresses is not public', async () => {
    await using one = await receiver((_, response) => response.end());
    const resolve = async () => ['93.184.216.34', '127.0.0.1'];
    const attempt = await senderOf({ allow: [], resolve })({
      url: `http://mixed.example.com:${one.port}/`,
      ...message,
    });
    assert.ok(attempt.kind === 'failed');
    assert.equal(attempt.why, 'dns_failed');
    assert.equal(one.connections(), 0);
  });

  // S41: names that resolve to such addresses, now or later
  it('resolves a name once per attempt and connects to the checked address', async () => {
    await using one = await receiver((_, response) => response.end());
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return asked === 1 ? ['127.0.0.1'] : ['10.0.0.1'];
    };
    const send = senderOf({ resolve });
    const url = `http://turning.example.com:${one.port}/`;
    assert.equal((await send({ url, ...message })).kind, 'delivered');
    assert.equal(asked, 1);
    const second = await send({ url, ...message });
    assert.ok(second.kind === 'failed');
    assert.equal(second.why, 'dns_failed');
    assert.equal(one.connections(), 1);
  });

  // S44: endless responses of a receiver
  it('stops reading a body that does not end', async () => {
    let sentBytes = 0;
    await using one = await receiver((_, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(64 * 1_024, 'x');
      const pour = () => {
        while (!response.destroyed && sentBytes < 1e9) {
          sentBytes += chunk.length;
          if (!response.write(chunk)) return;
        }
      };
      response.on('drain', pour);
      pour();
    });
    // Who reads on until its time is up takes all that there is.
    const send = senderOf({ timeoutMs: 60_000 });
    assert.equal((await send({ url: one.url, ...message })).kind, 'delivered');
    assert.ok(sentBytes < 50e6, `${sentBytes} bytes`);
  });

  // S44: endless responses of a receiver
  it('ends at its time limit: a failure without a response, a success if a body dribbles after 200', async () => {
    await using silent = await receiver(() => {});
    const failed = await senderOf({ timeoutMs: 150 })({ url: silent.url, ...message });
    assert.ok(failed.kind === 'failed');
    assert.equal(failed.why, 'timeout');
    await using slow = await receiver((_, response) => {
      response.writeHead(200).write('a');
    });
    const taken = await senderOf({ timeoutMs: 1_000 })({ url: slow.url, ...message });
    assert.equal(taken.kind, 'delivered');
    assert.ok(taken.durationMs < 5_000, `${taken.durationMs} ms`);
  });

  it('includes the DNS look-up in its time limit, and aborts during it', async () => {
    await using silent = await receiver(() => {});
    const resolve = async () => {
      await pause(800);
      return ['127.0.0.1'];
    };
    const send = senderOf({ timeoutMs: 1_000, resolve });
    const to = { ...message, url: silent.url.replace('127.0.0.1', 'slow.example') };
    const late = await send(to);
    assert.ok(late.durationMs >= 900 && late.durationMs < 1_500, `${late.durationMs} ms`);
    const stopped = await send({ ...to, signal: AbortSignal.timeout(50) });
    assert.ok(stopped.durationMs < 700, `${stopped.durationMs} ms`);
    assert.equal(silent.connections(), 1);
  });

  it('reports a connection that is reset, refused or garbled as a failure', async () => {
    await using resetting = await receiver((request) => {
      request.socket.resetAndDestroy();
    });
    const reset = await senderOf()({ url: resetting.url, ...message });
    assert.ok(reset.kind === 'failed');
    assert.equal(reset.why, 'connection_lost');

    const twoLengths = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n';
    let url = '';
    for (const answer of ['no http at all\r\n\r\n', twoLengths]) {
      const garbling = createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', () => socket.end(answer));
      });
      garbling.listen(0, '127.0.0.1');
      await once(garbling, 'listening');
      url = `http://127.0.0.1:${(garbling.address() as AddressInfo).port}/`;
      const garbled = await senderOf()({ url, ...message });
      await new Promise((resolve) => garbling.close(resolve));
      assert.ok(garbled.kind === 'failed');
      assert.equal(garbled.why, 'connection_lost', answer);
    }
    const refused = await senderOf()({ url, ...message });
    assert.ok(refused.kind === 'failed');
    assert.equal(refused.why, 'connect_failed');
  });

  it('reports a name that cannot be resolved, also if the resolver does not answer', async () => {
    const gone = async () => {
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    };
    const silent = () => new Promise<string[]>(() => {});
    for (const resolve of [gone, silent]) {
      const send = senderOf({ resolve, timeoutMs: 300 });
      const attempt = await send({ url: 'https://gone.example.com/', ...message });
      assert.ok(attempt.kind === 'failed');
      assert.equal(attempt.why, 'dns_failed');
    }
  });

  it('accepts a valid certificate, and says what is wrong with an invalid one', async () => {
    const now = Date.now();
    const yesterday = new Date(now - 86_400_000);
    const tomorrow = new Date(now + 86_400_000);
    const host = 'receiver.example.com';
    const attemptWith = async (certificate: Certificate, isTrusted = true) => {
      await using one = await tlsReceiver(certificate);
      const authorities = isTrusted ? [certificate.cert] : [];
      const send = senderOf({ resolve: async () => ['127.0.0.1'], authorities });
      const attempt = await send({ url: `https://${host}:${one.port}/`, ...message });
      return attempt.kind === 'failed' ? attempt.why : attempt.kind;
    };
    const good = await certificateFor(host, yesterday, tomorrow);
    assert.equal(await attemptWith(good), 'delivered');
    assert.equal(await attemptWith(good, false), 'tls_failed');
    const past = await certificateFor(host, new Date(now - 2 * 86_400_000), yesterday);
    assert.equal(await attemptWith(past), 'tls_expired');
    const foreign = await certificateFor('other.example.com', yesterday, tomorrow);
    assert.equal(await attemptWith(foreign), 'tls_wrong_host');
  });

  it('refuses https to a server that speaks no TLS', async () => {
    await using one = await receiver((_, response) => response.end());
    const attempt = await senderOf()({ url: `https://127.0.0.1:${one.port}/`, ...message });
    assert.ok(attempt.kind === 'failed');
    assert.equal(attempt.why, 'tls_failed');
  });
});
