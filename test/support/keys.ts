import type { KeyRing } from '#src/kernel/key-ring.ts';

/** A ring with one key, of 32 equal bytes. */
export const onlyKey = (byte: number, id = `key ${byte}`): KeyRing => {
  const current = { id, bytes: Buffer.alloc(32, byte) };
  return { current, all: [current], unmarkedId: id };
};
