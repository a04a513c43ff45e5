/** How long an Idempotency-Key, and the form of a page, stand for one request. */
export const idempotencyHours = 24;

/** An answer as it is kept for a repeated request: bytes, and the headers that belong to them. */
export type StoredAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** One Idempotency-Key where it counts: the same key of another account or on another route is another one. */
export type IdempotencyScope = {
  readonly accountId: string;
  /** Method and path template. */
  readonly route: string;
  readonly key: string;
};

export type IdempotencyOutcome =
  /**
   * The caller does the work now; `deduplicationKey` is the same on every attempt under this key. `wasAnswered`: an earlier
   * attempt sent an answer that was not kept.
   */
  | { readonly outcome: 'begun'; readonly deduplicationKey: string; readonly wasAnswered: boolean }
  | { readonly outcome: 'answered'; readonly answer: StoredAnswer }
  | { readonly outcome: 'in_progress'; readonly retryAfterS: number }
  /** The key stands for another request. */
  | { readonly outcome: 'reused' };

/** The port of the idempotency adapter. It throws when its store does not answer. */
export type IdempotencyStore = {
  /** `fingerprint`: a digest of everything that makes the request what it is. */
  begin(scope: IdempotencyScope, fingerprint: string): Promise<IdempotencyOutcome>;
  /**
   * To be called before the answer is sent. Keeps it, and it is given again until the key expires; null: it is too
   * large, and only that it was sent is kept.
   */
  complete(scope: IdempotencyScope, deduplicationKey: string, answer: StoredAnswer | null): Promise<void>;
  /** The attempt ended without an answer: the next one may begin at once, under the same deduplication key. */
  release(scope: IdempotencyScope, deduplicationKey: string): Promise<void>;
  /** The attempt changed nothing. True: it was the first, and the key stands for no request any more. */
  forget(scope: IdempotencyScope, deduplicationKey: string): Promise<boolean>;
};

/** Where a stored response belongs: encrypted for another place, it cannot be decrypted. */
export const placeOfAnswer = ({ accountId, route, key }: IdempotencyScope, deduplicationKey: string): string =>
  JSON.stringify([accountId, route, key, deduplicationKey]);
