/*
 * Loaded before a program (`--import`): the process believes that it is CLOCK_SHIFT_MS later (or, below zero, earlier)
 * than it is.
 */
const shiftMs = Number(process.env['CLOCK_SHIFT_MS'] ?? 0);
const now = Date.now;

Date.now = () => now() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (real, given) =>
    given.length === 0 ? new real(real.now()) : Reflect.construct(real, given),
});
