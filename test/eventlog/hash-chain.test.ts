import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { chainedFromStart, genesisHash, type Link, sealed, verifyChain } from '#src/eventlog/hash-chain.ts';
import { canonicalJson } from '#src/kernel/canonical-json.ts';
import { event, logOnPostgres } from '#test/support/eventlog.ts';

describe('canonical JSON', () => {
  // RFC 8785, 3.2.2: serialization of literals, numbers and strings; the sample of the RFC itself.
  it('writes the sample of RFC 8785 as the RFC does', () => {
    const sample = {
      numbers: JSON.parse('[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001]'),
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    assert.equal(
      canonicalJson(sample),
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  // RFC 8785, 3.2.3: the order of names is that of UTF-16 code units, so the emoji comes before U+FB33.
  it('sorts names by UTF-16 code units', () => {
    const sample = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    const order = [...canonicalJson(sample).matchAll(/:"([^"]*)"/g)].map(([, text]) => text);
    assert.deepEqual(order, [
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  // RFC 8785, appendix B: IEEE 754 bits and what they are written as.
  const numbers: readonly (readonly [string, string])[] = [
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ];
  for (const [bits, written] of numbers) {
    it(`writes the number ${bits} as ${written}`, () => {
      assert.equal(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE()), written);
    });
  }

  it('refuses values that JSON cannot express', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1n, undefined, () => 1, Symbol('x')]) {
      assert.throws(() => canonicalJson({ inside: [value] }), TypeError);
    }
    assert.throws(() => canonicalJson(new Date(0)), TypeError);
    assert.throws(() => canonicalJson(new Map()), TypeError);
  });

  it('is the same after a round trip through JSON, in any order of names', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = canonicalJson(JSON.parse(JSON.stringify(value)));
        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
        assert.equal(canonicalJson(JSON.parse(text)), text);
        assert.equal(canonicalJson(reversed(JSON.parse(text))), text);
      }),
      { seed: 8785, numRuns: 200 },
    );
  });
});

/** The same value with all members in the other order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, one]) => [name, reversed(one)]));
};

const stream = 'ledger-acc_1-2026-11';

/** A chain of so many events, as an export would hold it. */
const chainOf = (count: number): Link[] => {
  const events = Array.from({ length: count }, (_, n) => event(`e${n}`, { name: `e${n}`, amount: n }));
  return chainedFromStart(stream, events).events.map((one, n) => ({ ...one, stream, version: BigInt(n + 1) }));
};

const start = { hash: genesisHash, version: 0n };
const faultOf = (links: readonly Link[]) => verifyChain(links, start).fault;

/** Somebody who can write what he wants, but does not compute hashes anew. */
type Change =
  | { do: 'data' | 'meta' | 'type' | 'id' | 'schema' | 'remove' | 'unlink'; at: number }
  | { do: 'move' | 'swap' | 'add'; at: number; to: number };

const changed = (links: readonly Link[], { do: what, at, ...rest }: Change): Link[] => {
  const list = [...links];
  const link = list[at];
  const to = 'to' in rest ? rest.to : at;
  const other = list[to];
  if (link === undefined || other === undefined || (what === 'swap' && at === to)) return list;
  const put = (edit: Partial<Link>): Link[] => list.with(at, { ...link, ...edit });
  switch (what) {
    case 'data':
      return put({ data: { ...(link.data as object), amount: -1 } });
    case 'meta':
      return put({ meta: { ...link.meta, channel: 'elsewhere' } });
    case 'type':
      return put({ type: 'Other' });
    case 'id':
      return put({ id: '00000000-0000-4000-8000-000000000000' });
    case 'schema':
      return put({ schemaVersion: 2 });
    case 'unlink': {
      const { chain: _, ...meta } = link.meta;
      return put({ meta });
    }
    case 'remove':
      return list.toSpliced(at, 1);
    case 'move':
      return list.toSpliced(at, 1).toSpliced(to, 0, link);
    case 'swap':
      return list.with(at, { ...other, version: link.version }).with(to, { ...link, version: other.version });
    case 'add':
      return list.toSpliced(to, 0, link);
  }
};

const at = fc.integer({ min: 0, max: 11 });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ do: fc.constantFrom('data', 'meta', 'type', 'id', 'schema', 'remove', 'unlink'), at }),
  fc.record({ do: fc.constantFrom('move', 'swap', 'add'), at, to: at }),
);

describe('a hash chain', () => {
  it('covers the previous hash and every member of an event', () => {
    const [first, second] = chainOf(2);
    assert.ok(first && second);
    const { chain, ...meta } = second.meta;
    const body = canonicalJson({
      id: second.id,
      type: 'Noted',
      schema_version: 1,
      stream,
      version: '2',
      data: { name: 'e1', amount: 1 },
      meta,
    });
    const hash = createHash('sha256').update(`${first.meta.chain?.hash}${body}`).digest('hex');
    assert.deepEqual(chain, { prev_hash: first.meta.chain?.hash, hash });
    assert.equal(first.meta.chain?.prev_hash, '0'.repeat(64));
  });

  it('is valid as it was written, and can be continued', () => {
    const links = chainOf(12);
    const half = verifyChain(links.slice(0, 5), start);
    assert.deepEqual([half.fault, half.version], [null, 5n]);
    const whole = verifyChain(links.slice(5), half);
    assert.deepEqual(whole, { fault: null, hash: links[11]?.meta.chain?.hash, version: 12n });
  });

  it('detects and locates an event that was changed, removed, added or moved', () => {
    fc.assert(
      fc.property(change, (made) => {
        const links = chainOf(12);
        const after = changed(links, made);
        const firstChanged = after.findIndex((link, n) => link !== links[n]);
        // What is cut off at the end leaves a shorter chain that holds: only its last hash tells.
        const isSame = firstChanged === -1;
        const { fault, hash } = verifyChain(after, start);
        if (isSame) {
          assert.equal(fault, null);
          assert.equal(hash === links[11]?.meta.chain?.hash, after.length === 12);
          return;
        }
        assert.deepEqual([fault?.id, fault?.version], [after[firstChanged]?.id, after[firstChanged]?.version]);
      }),
      { seed: 17, numRuns: 400 },
    );
  });

  it('detects any changed byte of the text', () => {
    const links = chainOf(4);
    const texts = links.map((link) => JSON.stringify({ ...link, version: String(link.version) }));
    fc.assert(
      fc.property(fc.nat({ max: 3 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (n, seed, flip) => {
        const bytes = Buffer.from(texts[n] ?? '');
        const place = seed % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ flip;
        const read = parsed(bytes.toString('latin1'));
        // A byte may also make the line unreadable: that is found by whoever reads it.
        if (read === null || canonicalText(read) === canonicalText(links[n])) return;
        const { fault } = verifyChain(links.with(n, read), start);
        assert.notEqual(fault, null);
        const known = [links[n]?.version, links[n + 1]?.version, read.version];
        assert.ok(known.includes(fault?.version));
      }),
      { seed: 17, numRuns: 600 },
    );
  });

  it('is valid after a round trip through the database, for any content', async () => {
    await using opened = await logOnPostgres();
    const { log } = opened;
    const values = fc.sample(fc.jsonValue({ maxDepth: 3 }), { seed: 9, numRuns: 60 });
    // What the database cannot hold is refused before it is stored.
    const storable = values.filter((value) => !/\\u0000|\\ud[89a-f]/.test(JSON.stringify(value)));
    const events = storable.map((value, n) => event(`v${n}`, { value: JSON.parse(JSON.stringify(value)) }));
    await log.append([chainedFromStart(stream, events)]);
    const stored = await log.read(stream);
    assert.equal(stored.length, events.length);
    assert.equal(faultOf(stored), null);
    const [third] = stored.slice(2, 3);
    assert.ok(third);
    const forged = sealed(
      { ...third, data: { value: 'forged' } },
      { stream, version: 3n, prevHash: third.meta.chain?.prev_hash ?? '' },
    );
    // A forger who hashes anew is found at the next event, which names the old hash.
    const fault = faultOf(stored.with(2, { ...third, ...forged.event }));
    assert.deepEqual([fault?.version, fault?.what], [4n, 'prev_hash']);
  });
});

const parsed = (text: string): Link | null => {
  try {
    const read = JSON.parse(text);
    return typeof read?.meta === 'object' && read.meta !== null && /^\d+$/.test(String(read.version))
      ? { ...read, version: BigInt(read.version) }
      : null;
  } catch {
    return null;
  }
};

const canonicalText = (link: Link | undefined): string =>
  link === undefined ? '' : JSON.stringify({ ...link, version: String(link.version) });
