import fc from 'fast-check';

const character = fc
  .nat(0x10_ffff - 0x800)
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

/** Text of any characters. That of fast-check (`unit: 'binary'`) makes a map of all million of them first, for a second. */
export const anyText = (constraints: fc.StringConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: character });
