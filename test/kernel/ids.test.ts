import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId, uuidOf } from '#src/kernel/ids.ts';

describe('ids', () => {
  // They stand in logs: a program that derived others would store again what has happened once.
  const derived = {
    '': 'e2f381b6-694d-5654-8a0c-d9b0ac291c56',
    'charge|1': 'bcbd82b1-1bbc-5c13-b7a8-00c2c9764330',
    'acc_7|grant|é😀': 'd624b535-3179-5194-a88c-571fe3c9d2e3',
  };
  for (const [name, id] of Object.entries(derived)) {
    it(`always derives ${id} from "${name}"`, () => assert.equal(uuidOf(name), id));
  }

  it('derives version 5 UUIDs (RFC 9562)', () => {
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (let i = 0; i < 64; i += 1) assert.match(uuidOf(`name ${i}`), form);
  });

  // S80: guessing ids
  it('makes ids that sort by their time and contain 74 random bits', () => {
    const before = Date.now();
    const ids = Array.from({ length: 200 }, () => newId('req'));
    const random = (0xfffn << 64n) | ((1n << 62n) - 1n);
    let ones = 0n;
    let zeros = 0n;
    for (const id of ids) {
      assert.match(id, /^req_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
      const at = Number.parseInt(id.slice(4, 16), 16);
      assert.ok(at >= before && at <= Date.now());
      const bits = BigInt(`0x${id.slice(4)}`);
      ones |= bits;
      zeros |= ~bits;
    }
    // Each of the 74 has been both.
    assert.equal(ones & zeros & random, random);
  });
});
