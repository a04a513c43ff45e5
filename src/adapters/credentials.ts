import { randomBytes } from 'node:crypto';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import type { HashingTurn, Passwords } from '../accounts/passwords.ts';
import { Refusal } from '../kernel/refusal.ts';

/** Argon2id; memory in KiB. The defaults are OWASP's second choice, for 19 MiB a turn. */
export type HashingSettings = {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
  /** Turns at the same time. Each occupies a thread of the pool of four that files and name look-ups use too. */
  readonly maxAtOnce: number;
  /** Those who may wait for a turn; whoever comes then is told to come back. */
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
 * Password hashing with argon2id: 16 bytes of salt, a pepper (32 bytes, not in the database), PHC strings.
 * Passwords are compared after NFKC, so that keyboards that compose differently agree.
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

  const turn: HashingTurn = {
    hash: hashOf,
    verify: async (password, stored) => {
      const isRight = await verify(stored ?? nobodys, password.normalize('NFKC'), {
        secret: pepper,
      });
      if (!isRight || stored === null) return { isRight: false, rehashed: null };
      return { isRight, rehashed: isWeaker(stored, hashing) ? await hashOf(password) : null };
    },
  };
  const take = turnstile(hashing);
  return {
    inTurn: async (work) => {
      using _ = await take();
      return await work(turn);
    },
  };
};

const isWeaker = (stored: string, { memoryKiB, passes, lanes }: HashingSettings): boolean => {
  const { memoryCost, timeCost, parallelism } = parseOptions(stored);
  return memoryCost < memoryKiB || timeCost < passes || parallelism < lanes;
};

/** First come, first served; the returned resource gives the place to the next one. */
const turnstile = ({
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
