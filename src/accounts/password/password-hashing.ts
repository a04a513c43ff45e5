import type { StoredPassword } from '../account-store.ts';

/** A slot for hashing. */
export type HashingSlot = {
  hash(password: string): Promise<string>;
  /**
   * Compares with a stored hash, or with a dummy hash when it is null, so that both take the same time. `rehashed`: the
   * hash to store when the password is right and the stored hash is weaker than the present settings.
   */
  verify(
    password: string,
    stored: StoredPassword | null,
  ): Promise<{ readonly isRight: boolean; readonly rehashed: string | null }>;
};

/** Password hashing is expensive, so it has a limited number of slots, with a bounded queue. */
export type Passwords = {
  /** Runs `work` with a slot. Throws SERVICE_UNAVAILABLE (503) at once when the queue is full. */
  withHashingSlot<Result>(work: (slot: HashingSlot) => Promise<Result>): Promise<Result>;
};
