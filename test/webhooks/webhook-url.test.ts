import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { reachability } from '#src/adapters/webhooks/webhook-http.ts';
import { isPublicAddress, outboundCheck } from '#src/webhooks/webhook-url.ts';

const rules = {
  allow: [],
  isHttpAllowed: false,
  ports: [
    [80, 80],
    [443, 443],
    [8000, 9999],
  ],
} as const;

const hosts: Readonly<Record<string, readonly string[]>> = {
  'hooks.example.com': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
  'mixed.example.com': ['93.184.216.34', '10.0.0.7'],
  'inside.example.com': ['fd00::1'],
  localhost: ['127.0.0.1', '::1'],
};
const resolve = async (host: string) => {
  const found = hosts[host];
  if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  return found;
};
const strict = reachability({ check: outboundCheck(rules), resolve });

const refused = [
  'http://127.0.0.1/',
  'https://127.0.0.1/',
  'https://localhost/',
  'https://0/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://127.1/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fd00::1]/',
  'https://[fe80::1%25eth0]/',
  'https://169.254.169.254/latest/meta-data',
  'https://metadata.google.internal/',
  'https://100.64.0.1/',
  'https://198.18.0.1/',
  'https://10.1.2.3/',
  'https://172.16.0.1/',
  'https://192.168.0.1/',
  'http://hooks.example.com/',
  'file:///etc/passwd',
  'gopher://hooks.example.com/',
  'javascript:alert(1)',
  'ftp://hooks.example.com/',
  'https://user:pw@hooks.example.com/',
  'https://hooks.example.com:22/',
  'https://hooks.example.com:6379/',
  'https://hooks.example.com:5432/',
  'https://hooks.example.com/a\r\nHost: x',
  `https://hooks.example.com/${'a'.repeat(3_000)}`,
  'hooks.example.com',
  '',
];

describe('the URL of a webhook', () => {
  for (const url of refused) {
    // S39: receivers on this machine, in every notation
    // S43: other schemes, credentials, ports and lengths
    it(`is refused as ${JSON.stringify(url.slice(0, 60))}`, async () => {
      await assert.rejects(strict(url), { code: 'INVALID_REQUEST' });
    });
  }

  it('is accepted if every address of its host is public', async () => {
    const kept = await strict('https://hooks.example.com:8443/in?x=1#part');
    assert.equal(kept, 'https://hooks.example.com:8443/in?x=1');
  });

  it('is accepted whatever its name resolves to, so that private names cannot be distinguished from unknown ones', async () => {
    const looked: string[] = [];
    const check = outboundCheck(rules);
    const resolveCounting = async (host: string) => {
      looked.push(host);
      return await resolve(host);
    };
    const register = reachability({ check, resolve: resolveCounting });
    for (const name of ['inside', 'mixed', 'unknown']) {
      const url = `https://${name}.example.com/`;
      assert.equal(await register(url), url);
    }
    assert.deepEqual(looked, []);
  });

  it('may be in an allowed network, use http and any port', async () => {
    const allow = ['127.0.0.0/8', '::1/128'];
    const relaxed = reachability({ check: outboundCheck({ ...rules, allow }), resolve });
    assert.equal(await relaxed('http://127.0.0.1:34567/in'), 'http://127.0.0.1:34567/in');
    assert.equal(await relaxed('http://localhost:34567/in'), 'http://localhost:34567/in');
    await assert.rejects(relaxed('http://10.0.0.1/'), { code: 'INVALID_REQUEST' });
  });

  it('is accepted up to 2,048 characters, and a refusal names the field', async () => {
    const long = 'https://hooks.example.com/'.padEnd(2_048, 'a');
    assert.equal(await strict(long), long);
    const objections = [
      [`${long}a`, 'too_long', 'at most 2048 characters'],
      ['https://hooks.example.com/ä', 'bad_sign', 'only visible ASCII characters'],
      ['ftp://hooks.example.com/', 'bad_scheme', 'the scheme https'],
      ['https://u@hooks.example.com/', 'has_userinfo', 'no user name or password'],
      ['https://:pw@hooks.example.com/', 'has_userinfo', 'no user name or password'],
    ] as const;
    for (const [url, code, wanted] of objections) {
      await assert.rejects(strict(url), {
        message: `The webhook URL must have ${wanted}.`,
        details: { fields: [{ path: 'url', code, message: `must have ${wanted}` }] },
      });
    }
  });
});

describe('the resolved target of a delivery', () => {
  const url = new URL('https://hooks.example.com/');
  const allowing = outboundCheck({ ...rules, allow: ['127.0.0.0/8'] });

  it('has an address', () => assert.equal(outboundCheck(rules)(url, []), 'blocked_address'));

  it('has only allowed or public addresses', () => {
    const objectionTo = (...addresses: string[]) => allowing(url, addresses);
    assert.equal(objectionTo('127.0.0.1', '93.184.216.34'), null);
    assert.equal(objectionTo('127.0.0.1', '10.0.0.1'), 'blocked_address');
    assert.equal(objectionTo('93.184.216.34', '10.0.0.1'), 'blocked_address');
    assert.equal(objectionTo('93.184.216.34', 'nonsense'), 'blocked_address');
    assert.equal(objectionTo('::ffff:127.0.0.1'), null);
    assert.equal(objectionTo('127.0.0.1%lo'), 'blocked_address');
  });

  it('uses an allowed port, even if the URL names none', () => {
    const addresses = ['93.184.216.34'];
    const only443 = outboundCheck({ allow: [], isHttpAllowed: true, ports: [[443, 443]] });
    assert.equal(only443(url, addresses), null);
    const plain = new URL('http://hooks.example.com/');
    assert.equal(only443(plain, addresses), 'port_not_allowed');
    const only80 = outboundCheck({ allow: [], isHttpAllowed: true, ports: [[80, 80]] });
    assert.equal(only80(plain, addresses), null);
    assert.equal(only80(url, addresses), 'port_not_allowed');
  });

  it('has no private name, but may have a name that only begins or ends like one', () => {
    const objectionTo = (host: string) => outboundCheck(rules)(new URL(`https://${host}/`), ['93.184.216.34']);
    for (const host of ['a.local', 'LOCALHOST', 'db.internal.', 'router.home.arpa']) {
      assert.equal(objectionTo(host), 'blocked_address', host);
    }
    for (const host of ['local.example.com', 'notlocal.example', 'mylan', 'arpa.example']) {
      assert.equal(objectionTo(host), null, host);
    }
  });
});

describe('public addresses', () => {
  // S40: receivers on private networks
  it('are those that are globally reachable', () => {
    for (const address of ['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '::ffff:1.1.1.1']) {
      assert.ok(isPublicAddress(address), address);
    }
    const others = '0.0.0.0 255.255.255.255 224.0.0.1 192.0.2.1 :: ::1 ff02::1 2001:db8::1 fec0::1 x';
    for (const address of others.split(' ')) assert.ok(!isPublicAddress(address), address);
  });

  it('are the same in IPv4 and embedded in IPv6', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const first = fc.oneof(octet, fc.constantFrom(10, 100, 127, 169, 172, 192, 198, 203));
    fc.assert(
      fc.property(fc.tuple(first, octet, octet, octet), (octets) => {
        const address = octets.join('.');
        assert.equal(isPublicAddress(`::ffff:${address}`), isPublicAddress(address), address);
      }),
      { seed: 6890, numRuns: 300 },
    );
    for (const address of ['192.0.2.1', '198.51.100.7', '203.0.113.255', '172.31.0.1']) {
      assert.ok(!isPublicAddress(`::ffff:${address}`), address);
    }
    for (const address of ['192.0.3.1', '198.51.101.7', '203.0.114.0', '172.32.0.1', '1.10.0.0']) {
      assert.ok(isPublicAddress(`::ffff:${address}`), address);
    }
  });

  it('have no zone identifier', () => assert.ok(!isPublicAddress('2606:4700:4700::1111%eth0')));
});
