/*
 * Loaded with `--import`: shifts the clock of the process by CLOCK_SHIFT_MS (negative: into the past).
 */
const shiftMs = Number(process.env['CLOCK_SHIFT_MS'] ?? 0);
const now = Date.now;

Date.now = () => now() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (real, given) => (given.length === 0 ? new real(real.now()) : Reflect.construct(real, given)),
});
