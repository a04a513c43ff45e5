import fc from 'fast-check';

const character = fc.nat(0x10_ffff - 0x800).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

/** Text of any characters. `unit: 'binary'` of fast-check spends a second on a table of all code points first. */
export const anyText = (constraints: fc.StringConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: character });
