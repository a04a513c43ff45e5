import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { clientAddress, countedAddress, trustedProxies } from '#src/edges/http/middleware/client-address.ts';

const addressOf = (peer: string, forwarded: string, proxies = ['10.0.0.0/8', 'fd00::1']): string => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new IncomingMessage(socket);
  request.headers['x-forwarded-for'] = forwarded;
  return clientAddress(request, trustedProxies(proxies));
};

describe('the address of a client', () => {
  for (const [peer, forwarded, expected] of [
    ['10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['10.0.0.1', '203.0.113.7:50123', '203.0.113.7'],
    ['10.0.0.1', '[2001:db8::7]:50123', '2001:db8::7'],
    ['10.0.0.1', '[2001:db8::7]', '2001:db8::7'],
    ['10.0.0.1', '2001:db8::7', '2001:db8::7'],
    ['10.0.0.1', 'fe80::7%eth0.1', 'fe80::7'],
    ['fe80::7%enp0s3.100', '', 'fe80::7'],
    ['::ffff:10.0.0.1', '203.0.113.7, 10.0.0.2:443', '203.0.113.7'],
    ['fd00::1', '203.0.113.7', '203.0.113.7'],
    ['10.0.0.1', '198.51.100.1, 203.0.113.7:1, 10.0.0.2', '203.0.113.7'],
    ['10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ] as const) {
    it(`is ${expected} for ${peer} with "${forwarded}"`, () => assert.equal(addressOf(peer, forwarded), expected));
  }

  it('is that of the socket without trusted proxies', () =>
    assert.equal(addressOf('10.0.0.1', '203.0.113.7', []), '10.0.0.1'));

  it('is counted by /64 where it is IPv6', () => {
    assert.equal(countedAddress('2001:db8::7'), '2001:db8:0:0::/64');
    assert.equal(countedAddress('2001:0db8:1:2:3::7'), '2001:db8:1:2::/64');
    assert.equal(countedAddress('203.0.113.7'), '203.0.113.7');
  });

  it('is not read with a proxy that is no address', () =>
    assert.throws(() => trustedProxies(['proxy.example']), /is neither an address nor a network/));
});
