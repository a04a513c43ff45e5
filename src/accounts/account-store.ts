import type { Transaction } from '../eventlog/event-log.ts';

/** The address of a request. Personal data: stored beside the log for a limited time, never in it. */
export type Origin = { readonly ip: string; readonly userAgent: string | null };

/** The person behind an account. */
export type Profile = {
  readonly accountId: string;
  readonly userId: string;
  /** As typed. */
  readonly email: string;
  readonly name: string | null;
  readonly registeredAt: Date;
};

/** A stored password. */
export type StoredPassword = {
  /** Argon2id in PHC form. */
  readonly hash: string;
  /** The secret beside the salt; null: it is lost, and no password is the right one. */
  readonly pepper: Uint8Array | null;
};

export type Credential = Profile & {
  readonly password: StoredPassword;
  /** Null: the account is not suspended. */
  readonly suspendedAt: Date | null;
  /** Null: the owner has not proved to read the mailbox. */
  readonly mailboxProvedAt: Date | null;
};

/** One page of the accounts that an operator looks for. */
export type AccountSearch = {
  /** A part of the mail address; null: all accounts. */
  readonly email: string | null;
  /** Null: suspended or not. */
  readonly isSuspended: boolean | null;
  /** The last account of the page before; null: the first page. */
  readonly after: string | null;
  readonly limit: number;
};

export type Session = Origin & {
  readonly sessionId: string;
  readonly accountId: string;
  readonly startedAt: Date;
  readonly renewedAt: Date;
  readonly idleEndsAt: Date;
  readonly endsAt: Date;
};

/** What a link is good for: setting a new password, or proving that its owner reads the mailbox. */
export type LinkPurpose = 'password' | 'mailbox';

/** A link of an account. The token is in its address only; the SHA-256 of it is stored. */
export type AccountLink = {
  readonly tokenSha256: Buffer;
  readonly accountId: string;
  readonly purpose: LinkPurpose;
  readonly expiresAt: Date;
};

/** Attempts counted in a bucket; times in Unix milliseconds. */
export type Tally = { readonly count: number; readonly startedAt: number; readonly blockedUntil: number };

/**
 * Personal data, password hashes, sessions and counters: everything about accounts that must be erasable. Tokens are
 * stored as SHA-256. Rows change in the transaction of the event that causes it.
 */
export type AccountStore = {
  /** The account of a mailbox by any of its hashes. */
  findByMailbox(mailboxHashes: readonly string[]): Promise<Credential | null>;
  find(accountId: string): Promise<Credential | null>;
  /** By account id. */
  list(search: AccountSearch): Promise<readonly Credential[]>;
  /** The session of this token when it is neither idle nor over at `now`. */
  findSession(tokenSha256: Buffer, now: Date): Promise<(Session & { readonly userId: string }) | null>;
  /** Sessions that are open at `now`, the newest first; bounded by the maximum per account. */
  openSessions(accountId: string, now: Date): Promise<readonly Session[]>;
  /** The account of this link when it is valid at `now`. */
  findLink(tokenSha256: Buffer, purpose: LinkPurpose, now: Date): Promise<string | null>;
  /** Stores a link of an account. Throws when it is erased. */
  addLink(link: AccountLink): Promise<void>;
  prolongSession(sessionId: string, now: Date, idleEndsAt: Date): Promise<void>;
  /** True for the first caller with this nonce until `expiresAt`, in any process. */
  useNonce(nonce: string, expiresAt: Date): Promise<boolean>;
  /** The present tallies; null for an unknown bucket. At most 8 buckets. */
  tallies(buckets: readonly string[]): Promise<readonly (Tally | null)[]>;
  /**
   * Counts `credits` in a bucket that never holds more than `limit`: null, or what is left where they are too many. What
   * is given back is negative. A crash of the database may forget what was counted within the last second.
   */
  countWithin(
    bucket: string,
    counted: { readonly credits: number; readonly limit: number; readonly now: Date },
  ): Promise<number | null>;
  /** Locks these buckets, reads them and stores the result of `change`. At most 8 buckets. */
  changeTallies<Result>(
    buckets: readonly string[],
    change: (tallies: readonly (Tally | null)[]) => { readonly tallies: readonly Tally[]; readonly result: Result },
  ): Promise<Result>;
  /** Stores the address of a request; a repeat changes nothing. */
  noteOrigin(origin: RequestOrigin): Promise<void>;
  /** The stored addresses of these requests, newest first; null: of all requests. */
  originsOf(accountId: string, requestIds: readonly string[] | null): Promise<readonly RequestOrigin[]>;
  /** The writes that take part in the transaction of an append. */
  writesIn(transaction: Transaction): AccountWrites;
  /** Deletes expired sessions, links, nonces and counters, and origins older than `originsBefore`. */
  sweep(now: Date, originsBefore: Date): Promise<void>;
};

export type RequestOrigin = Origin & { readonly accountId: string; readonly requestId: string; readonly at: Date };

export type AccountWrites = {
  insertProfile(profile: Profile & { readonly passwordHash: string; readonly mailboxHash: string }): Promise<void>;
  /** Takes the row of the account until the end of the transaction; null when it is erased. */
  lock(accountId: string): Promise<Credential | null>;
  setPassword(accountId: string, passwordHash: string): Promise<void>;
  setSuspended(accountId: string, at: Date | null): Promise<void>;
  insertSession(session: Session & { readonly tokenSha256: Buffer }): Promise<void>;
  openSessionIds(accountId: string, now: Date): Promise<readonly string[]>;
  deleteSessions(sessionIds: readonly string[]): Promise<void>;
  setMailboxProved(accountId: string, at: Date): Promise<void>;
  insertLink(link: AccountLink): Promise<void>;
  /** Deletes a link; false when it is not good at `now`, or used meanwhile. */
  useLink(link: Omit<AccountLink, 'expiresAt'>, now: Date): Promise<boolean>;
  deleteLinks(accountId: string, purpose: LinkPurpose): Promise<void>;
  noteOrigin(origin: RequestOrigin): Promise<void>;
  /** Deletes the profile, its password, sessions, links and origins. */
  erase(accountId: string): Promise<void>;
};
