import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkSet, parseNetwork } from '#src/kernel/ip-networks.ts';

describe('a set of networks', () => {
  const networks = networkSet(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);

  it('contains the addresses of its networks, in every notation', () => {
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203', '192.0.2.7', '2001:db8::1']) {
      assert.ok(networks.has(address), address);
    }
  });

  it('does not contain other addresses, zones or other texts', () => {
    for (const address of ['11.0.0.1', '192.0.2.8', '2001:db9::', '2001:db8::1%eth0', '10.1', '']) {
      assert.ok(!networks.has(address), address);
    }
  });

  it('refuses texts that are not networks', () => {
    for (const text of ['', 'localhost', '10.0.0.0/33', '10.0.0.0/8/8', '10.1/8', '::/129', '0x7f.1']) {
      assert.equal(parseNetwork(text), null, text);
    }
  });
});
