/** Calls per second of some sequential callers (a closed loop), after a short warm-up. */
export const rate = async (
  callers: number,
  seconds: number,
  call: (caller: number) => Promise<unknown>,
): Promise<number> => {
  const drive = async (until: number): Promise<number> => {
    const calls = await Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        let made = 0;
        for (; performance.now() < until; made += 1) await call(caller);
        return made;
      }),
    );
    return calls.reduce((sum, made) => sum + made, 0);
  };
  await drive(performance.now() + 300);
  const started = performance.now();
  const made = await drive(started + seconds * 1_000);
  return made / ((performance.now() - started) / 1_000);
};
