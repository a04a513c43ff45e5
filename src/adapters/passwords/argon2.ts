import { randomBytes } from 'node:crypto';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import type { HashingSlot, Passwords } from '../../accounts/password/password-hashing.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { semaphore } from '../../kernel/semaphore.ts';

/** Argon2id; memory in KiB. */
export type HashingSettings = {
  readonly memoryKiB: number;
  readonly passes: number;
  /** Concurrent hashes. Each occupies one of the four threads of the libuv pool, which file access and DNS use too. */
  readonly maxAtOnce: number;
  /** Length of the queue; further callers get 503. */
  readonly maxWaiting: number;
};

/** Lanes of one hash. */
const parallelism = 1;
const busyRetryS = 2;

/**
 * Password hashing with argon2id: 16 bytes of salt, a pepper (32 bytes, not in the database), PHC strings. Passwords
 * are normalized to NFKC, so that keyboards with different composition agree.
 */
export const openCredentials = async ({
  pepper,
  hashing,
}: {
  readonly pepper: Uint8Array;
  readonly hashing: HashingSettings;
}): Promise<Passwords> => {
  const { memoryKiB: memoryCost, passes: timeCost, maxAtOnce, maxWaiting } = hashing;
  const cost = { memoryCost, timeCost, parallelism, secret: pepper };
  const hashOf = (password: string): Promise<string> => hash(password.normalize('NFKC'), cost);
  const nobodys = await hashOf(randomBytes(16).toString('hex'));

  const slot: HashingSlot = {
    hash: hashOf,
    verify: async (password, stored) => {
      const { hash: phc = nobodys, pepper: secret = pepper } = stored ?? {};
      const isRight = await verify(secret === null ? nobodys : phc, password.normalize('NFKC'), {
        secret: secret ?? pepper,
      });
      if (!isRight || stored === null || secret === null) return { isRight: false, rehashed: null };
      const isDue = !Buffer.from(pepper).equals(secret) || isWeaker(phc, hashing);
      return { isRight, rehashed: isDue ? await hashOf(password) : null };
    },
  };
  const hashes = semaphore({ total: maxAtOnce });
  return {
    withHashingSlot: async (work) => {
      if (hashes.load() >= maxAtOnce + maxWaiting) {
        const message = 'Too many people are signing in right now. Please try again in a moment.';
        throw new Refusal('SERVICE_UNAVAILABLE', message, null, busyRetryS);
      }
      using _ = await hashes.acquire();
      return await work(slot);
    },
  };
};

const isWeaker = (stored: string, { memoryKiB, passes }: HashingSettings): boolean => {
  const { memoryCost, timeCost } = parseOptions(stored);
  return memoryCost < memoryKiB || timeCost < passes;
};
