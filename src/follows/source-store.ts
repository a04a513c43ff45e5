import type { Transaction } from '../eventlog/event-log.ts';

/** A video as a look at a source shows it. */
export type SeenVideo = { readonly videoId: string; readonly title: string | null; readonly isShort: boolean };

/** What is known of a source. Times are RFC 3339. */
export type KnownSource = {
  /** Another one once everybody had ended following it and somebody began again. */
  readonly id: string;
  readonly title: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Not all videos that were there at the first look are known. */
  readonly isPartial: boolean;
  /** Seconds since the last look. */
  readonly ageS: number;
  readonly lastLookAt: string;
  /** Null: nobody who is not paused follows it. */
  readonly nextLookAt: string | null;
  /** Since when the platform refuses it; null: it does not. */
  readonly refusedForMs: number | null;
};

/** What a look has found. `fresh` are new, the oldest first; `old` were there before the first look. */
export type Look = Pick<KnownSource, 'title' | 'etag' | 'lastModified'> & {
  readonly source: string;
  readonly fresh: readonly SeenVideo[];
  readonly old: readonly SeenVideo[];
};

/** The number up to which a source is known, and its id. */
export type SeenUpTo = { readonly id: string; readonly number: string };

/** A follow as the looks know it. */
export type Subscription = {
  readonly followId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly authorizationId: string | null;
  readonly source: string;
  readonly intervalS: number;
  readonly kinds: readonly string[];
};

/** A follow with what is new to it. */
export type Unread = Pick<Subscription, 'followId' | 'accountId'> & {
  readonly videos: readonly { readonly videoId: string; readonly isShort: boolean }[];
  readonly readTo: string;
};

/**
 * What was seen in followed sources, and who follows them. Writes with a transaction are made in that of the events which
 * decide them.
 */
export type SourceStore = {
  find(source: string): Promise<KnownSource | null>;
  /** Those of these videos that were seen in the source before. */
  seenAmong(source: string, videoIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** The first look at a source; where another one was faster, what that one knows. `videos`: the oldest first. */
  begin(
    first: Omit<Look, 'fresh' | 'old'> & {
      readonly videos: readonly SeenVideo[];
      readonly isPartial: boolean;
      readonly intervalS: number;
    },
  ): Promise<SeenUpTo>;
  /** Stores a look, and queues that its follows are told of what is new, in one transaction; null: nobody follows it any more. */
  saveLook(look: Look): Promise<(SeenUpTo & { readonly found: number }) | null>;
  /** The platform has refused the source; resolves to since when it has, in milliseconds. */
  saveRefusal(source: string, code: string): Promise<number>;
  /** The number up to which a source is known; null: nobody follows it. */
  seenUpTo(source: string): Promise<SeenUpTo | null>;
  /** Claims sources whose look is due, and queues it; resolves to their number. */
  queueDue(limit: number): Promise<number>;
  /** Some active follows of a source that something is new to. */
  unread(source: string, limit: number): Promise<readonly Unread[]>;
  markReadIn(transaction: Transaction, unread: Pick<Unread, 'followId' | 'readTo'>): Promise<void>;
  markRead(unread: Pick<Unread, 'followId' | 'readTo'>): Promise<void>;
  /** Throws FOLLOW_EXISTS, and INVALID_REQUEST above the limit. False: the source was forgotten meanwhile. */
  subscribeIn(
    transaction: Transaction,
    subscription: Subscription & { readonly readTo: SeenUpTo; readonly limit: number },
  ): Promise<boolean>;
  /** Writes how the follow stands; one that has ended is removed, with its source where it was the last. */
  changeIn(
    transaction: Transaction,
    follow: Subscription & { readonly status: 'active' | 'paused' | 'ended'; readonly isDueNow: boolean },
  ): Promise<void>;
  /** Follows that are not over: of a key, of an authorization, of an account, or of a source. */
  followsOf(
    of: Readonly<Partial<Record<'keyId' | 'authorizationId' | 'accountId' | 'source', string>>>,
  ): Promise<readonly Pick<Subscription, 'followId' | 'accountId'>[]>;
};
