/** A seeded pseudorandom generator of numbers in [0, 1) (mulberry32). */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** The seed of this run of the tests, which is printed. It is new in each run, unless `SEED` repeats one. */
export const freshSeed = (): number => {
  const seed = Number(process.env['SEED']);
  process.stdout.write(`SEED=${seed}\n`);
  return seed;
};
