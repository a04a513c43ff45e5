import assert from 'node:assert/strict';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { appendsOf, kurrentStore } from '#src/adapters/kurrentdb/kurrent-store.ts';
import { certificateFor } from '#test/support/certificates.ts';
import { keepsEvents, never, newStream, storedEvent } from '#test/support/kurrent-contract.ts';
import { kurrentServer } from '#test/support/kurrent-server.ts';

type Server = Awaited<ReturnType<typeof kurrentServer>>;

for (const [hasBatches, name] of [
  [true, 'a KurrentDB'],
  [false, 'an EventStoreDB without appends in batches'],
] as const) {
  describe(name, () => {
    let server: Server;
    before(async () => {
      server = await kurrentServer({ hasBatches });
    });
    after(() => server[Symbol.asyncDispose]());

    keepsEvents(() => server.url);

    it('has events once after a lost response, and after a partially stored append', async () => {
      await using store = kurrentStore(server.url);
      const stream = newStream();
      const events = [1, 2, 3].map((version) => storedEvent(stream, version));

      server.state.lostAnswers = 1;
      server.state.storedOfNext = 2;
      await assert.rejects(store.deliver(events, never), /the connection is lost/);
      await store.deliver(events, never);

      const kept = server.streams.get(stream) ?? [];
      assert.deepEqual(
        kept.map(({ id }) => id),
        events.map(({ id }) => id),
      );
    });
  });
}

describe('the store of the relay', () => {
  it('continues with a server that was unavailable', async () => {
    await using server = await kurrentServer();
    await using store = kurrentStore(server.url);
    const stream = newStream();
    const [first, second] = [storedEvent(stream, 1), storedEvent(stream, 2)];
    await store.deliver([first], never);

    server.stop();
    await assert.rejects(store.deliver([second], never), /UNAVAILABLE|CANCELLED/);
    await server.start();
    await store.deliver([first, second], never);

    assert.equal(server.streams.get(stream)?.length, 2);
  });

  it('gives up on a silent server, and immediately when aborted', async () => {
    await using server = await kurrentServer();
    server.state.isSilent = true;
    await using store = kurrentStore(server.url, { timeoutMs: 50 });
    await assert.rejects(store.deliver([storedEvent(newStream(), 1)], never), { name: 'TimeoutError' });

    await using patient = kurrentStore(server.url);
    const ending = AbortSignal.timeout(20);
    await assert.rejects(patient.deliver([storedEvent(newStream(), 1)], ending), { name: 'TimeoutError' });
  });

  it('connects with TLS and with the credentials of the connection string', async () => {
    const certificate = await certificateFor(
      '127.0.0.1',
      new Date(Date.now() - 60_000),
      new Date(Date.now() + 600_000),
    );
    using folder = mkdtempDisposableSync(join(tmpdir(), 'steno-kurrent-'));
    const file = join(folder.path, 'ca.pem');
    writeFileSync(file, certificate.cert);
    await using server = await kurrentServer({ certificate, login: 'relay:planted-password' });
    const at = (login: string, options = `?tlsCAFile=${file}`) => `esdb://${login}127.0.0.1:${server.port}${options}`;
    const stream = newStream();

    await using store = kurrentStore(at('relay:planted-password@').replace('esdb:', 'kurrentdb:'));
    await store.deliver([storedEvent(stream, 1)], never);
    await store.probe();
    assert.equal(server.streams.get(stream)?.length, 1);

    for (const url of [at('relay:another@'), at(''), at('relay:planted-password@', '')]) {
      await using refused = kurrentStore(url);
      await assert.rejects(refused.probe(), ({ message }: Error) => !/another|planted/.test(message));
      await assert.rejects(refused.deliver([storedEvent(newStream(), 1)], never));
    }
    assert.equal(server.streams.size, 1);
  });

  it('never shows the password of an invalid connection string', async () => {
    for (const url of ['esdb://relay:planted@a:b:c', 'esdb://relay:planted@host:1?tlsCAFile=/nowhere/ca.pem']) {
      await using store = kurrentStore(url);
      await assert.rejects(store.probe(), ({ message }: Error) => !message.includes('planted'));
    }
  });

  it('appends consecutive events of one stream together, up to half a mebibyte', () => {
    const sizes = (events: Parameters<typeof appendsOf>[0]) => appendsOf(events).map((part) => part.length);
    const [a, b] = ['a', 'b'].map((stream) => [1, 2, 3].map((version) => storedEvent(stream, version)));
    assert.deepEqual(sizes([]), []);
    assert.deepEqual(sizes([...(a ?? []), ...(b ?? [])]), [3, 3]);
    const [one, two] = [storedEvent('a', 1), storedEvent('b', 1)];
    assert.deepEqual(sizes([one, two, storedEvent('a', 2)]), [1, 1, 1]);
    const long = [1, 2, 3, 4].map((version) => ({ ...storedEvent('a', version), data: { text: 'x'.repeat(200_000) } }));
    assert.deepEqual(sizes(long), [2, 2]);
  });
});
