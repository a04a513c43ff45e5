/** One thing that the authorization server keeps, such as a token or a registered client. */
export type OAuthRecord = {
  /** What it is, as its library names it. */
  readonly kind: string;
  /** The secret, or the id of a client or an authorization. It is stored as a hash. */
  readonly id: string;
};

export type KeptRecord = { readonly payload: Readonly<Record<string, unknown>>; readonly consumedAt: Date | null };

/** What the authorization server keeps. The port of `adapters/postgres/oauth-state-postgres.ts`. */
export type OAuthState = {
  /** Inserts or replaces one. `expiresAt` null: it stays until it is deleted. */
  keep(
    record: OAuthRecord,
    kept: {
      readonly payload: Readonly<Record<string, unknown>>;
      readonly uid: string | null;
      readonly authorizationId: string | null;
      readonly accountId: string | null;
      readonly expiresAt: Date | null;
    },
  ): Promise<void>;
  /** Undefined for one that is unknown or over. */
  find(record: OAuthRecord): Promise<KeptRecord | undefined>;
  findByUid(kind: string, uid: string): Promise<KeptRecord | undefined>;
  /** Marks it as used; false when it was used before, whoever was first. */
  consume(record: OAuthRecord): Promise<boolean>;
  destroy(record: OAuthRecord): Promise<void>;
  /** Deletes those of one kind that belong to an authorization. */
  revoke(kind: string, authorizationId: string): Promise<void>;
  /** From now on it is kept until it is deleted. */
  keepForGood(record: OAuthRecord): Promise<void>;
  /** Deletes what is over, at most 5,000 at a time. */
  sweep(now: Date): Promise<void>;
};
