import { randomBytes } from 'node:crypto';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import type { HashingSlot, Passwords } from '../accounts/passwords.ts';
import { Refusal } from '../kernel/refusal.ts';

/** Argon2id; memory in KiB. The defaults are the second recommendation of OWASP, 19 MiB per hash. */
export type HashingSettings = {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
  /** Concurrent hashes. Each occupies one of the four threads of the libuv pool, which file access and DNS use too. */
  readonly maxAtOnce: number;
  /** Length of the queue; further callers get 503. */
  readonly maxWaiting: number;
};

export const defaultHashing: HashingSettings = {
  memoryKiB: 19_456,
  passes: 2,
  lanes: 1,
  maxAtOnce: 4,
  maxWaiting: 400,
};

const busyRetryS = 2;

/**
 * Password hashing with argon2id: 16 bytes of salt, a pepper (32 bytes, not in the database), PHC strings. Passwords
 * are normalized to NFKC, so that keyboards with different composition agree.
 */
export const openCredentials = async (options: {
  readonly pepper: Uint8Array;
  readonly hashing?: HashingSettings;
}): Promise<Passwords> => {
  const { pepper, hashing = defaultHashing } = options;
  const cost = {
    memoryCost: hashing.memoryKiB,
    timeCost: hashing.passes,
    parallelism: hashing.lanes,
    secret: pepper,
  };
  const hashOf = (password: string): Promise<string> => hash(password.normalize('NFKC'), cost);
  const nobodys = await hashOf(randomBytes(16).toString('hex'));

  const turn: HashingSlot = {
    hash: hashOf,
    verify: async (password, stored) => {
      const isRight = await verify(stored ?? nobodys, password.normalize('NFKC'), {
        secret: pepper,
      });
      if (!isRight || stored === null) return { isRight: false, rehashed: null };
      return { isRight, rehashed: isWeaker(stored, hashing) ? await hashOf(password) : null };
    },
  };
  const take = boundedSemaphore(hashing);
  return {
    withHashingSlot: async (work) => {
      using _ = await take();
      return await work(turn);
    },
  };
};

const isWeaker = (stored: string, { memoryKiB, passes, lanes }: HashingSettings): boolean => {
  const { memoryCost, timeCost, parallelism } = parseOptions(stored);
  return memoryCost < memoryKiB || timeCost < passes || parallelism < lanes;
};

/** A semaphore with a bounded FIFO queue; disposing the result passes the slot on. */
const boundedSemaphore = ({
  maxAtOnce,
  maxWaiting,
}: Pick<HashingSettings, 'maxAtOnce' | 'maxWaiting'>): (() => Promise<Disposable>) => {
  const waiting: (() => void)[] = [];
  let taken = 0;
  const place: Disposable = {
    [Symbol.dispose]: () => {
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next();
    },
  };
  return async () => {
    if (taken < maxAtOnce) {
      taken += 1;
      return place;
    }
    if (waiting.length >= maxWaiting) {
      const message = 'Too many people are signing in right now. Please try again in a moment.';
      throw new Refusal('SERVICE_UNAVAILABLE', message, null, busyRetryS);
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
    return place;
  };
};
