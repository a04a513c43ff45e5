/** One place among the few that may compute a password hash at the same time. */
export type HashingTurn = {
  hash(password: string): Promise<string>;
  /**
   * Compares with a stored hash, or with one of nobody's when there is none: both take the same time.
   * `rehashed`: the hash to store instead, when the password is right and the stored one is weaker than today's.
   */
  verify(
    password: string,
    stored: string | null,
  ): Promise<{ readonly isRight: boolean; readonly rehashed: string | null }>;
};

/** Password hashing: costly by intent, so turns are few and those who wait stand in a bounded line. */
export type Passwords = {
  /** Runs `work` when a turn is free. Throws SERVICE_UNAVAILABLE (503) at once when the line is full. */
  inTurn<Result>(work: (turn: HashingTurn) => Promise<Result>): Promise<Result>;
};
