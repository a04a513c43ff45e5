import type { Transaction } from '../eventlog/event-log.ts';
import type { PassageIndex } from '../insights/extractive/passage-index.ts';
import type { TranscriptSource } from '../transcripts/transcript.ts';
import type { StoredPostings } from './postings.ts';

/** A video of a library, with the captions that were kept of it last. Times are RFC 3339. */
export type KeptVideo = {
  readonly videoId: string;
  readonly title: string | null;
  readonly channel: string | null;
  readonly channelId: string | null;
  readonly language: string;
  readonly source: TranscriptSource;
  readonly contentSha256: string;
  readonly keptAt: string;
};

/** Captions that are kept, and of each line where it starts and where it ends: milliseconds, one after the other. */
export type KeptCaptions = { readonly lines: readonly string[]; readonly times: readonly number[] };

/** Captions on their way into a library. */
export type NewVersion = KeptVideo &
  KeptCaptions & {
    readonly accountId: string;
    readonly version: number;
    readonly durationS: number | null;
    readonly index: PassageIndex;
  };

/** Captions of a video by their content, as they were first seen. */
export type Version = Pick<KeptVideo, 'contentSha256' | 'language' | 'source'> & {
  readonly version: number;
  readonly firstSeenAt: string;
};

/** Captions that are to be kept once their charge is in the log; `extraction`: as JSON. */
export type OutboxEntry = Pick<KeptVideo, 'videoId' | 'language' | 'contentSha256'> & {
  readonly accountId: string;
  readonly chargeId: string;
  readonly extraction: string;
};

/** Which videos a search is about; null: all. Times mean when a video was kept. */
export type LibraryFilter = {
  readonly language: string | null;
  /** Its id or its name. */
  readonly channel: string | null;
  readonly from: string | null;
  readonly to: string | null;
};

/** Everything that is kept. */
export const noFilter: LibraryFilter = { language: null, channel: null, from: null, to: null };

/** How much is searched in the texts of one language. */
export type SearchedLanguage = { readonly stems: string; readonly passages: number };

/** A word whose relatives and corrections are looked for: as it is written, and its stem. */
export type SoughtWord = { readonly stems: string; readonly term: string; readonly word: string };

/** A passage with its words. Seconds. */
export type FoundPassage = Pick<KeptVideo, 'videoId' | 'title' | 'channel' | 'language' | 'contentSha256'> & {
  readonly passage: number;
  readonly version: number;
  readonly stems: string;
  readonly from: number;
  readonly length: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
};

/* A limit that adapters keep, which do not see the contract. */
export { mostVersions } from '../contract/library.ts';

/** The port of the libraries of all accounts. Nothing of one account is seen by another: every method names the account. */
export type LibraryStore = {
  /** Writes a version in the transaction of its event; `false`: the video is new and the library holds `quota` videos. */
  readonly keepIn: (transaction: Transaction, version: NewVersion, quota: number) => Promise<boolean>;
  /** Writes what is to be kept; the first entry of a charge counts. */
  readonly addToOutbox: (entry: OutboxEntry) => Promise<void>;
  /** Entries whose charge is in the log since so many milliseconds at least, the oldest first. Drops those that stayed without a charge. */
  readonly chargedInOutbox: (page: {
    readonly olderThanMs: number;
    readonly limit: number;
  }) => Promise<readonly OutboxEntry[]>;
  /** Drops the entries that are kept with this content, or replaced by it; of a video (null: of all) where no content is given. */
  readonly removeFromOutbox: (
    accountId: string,
    of: { readonly videoId: string | null } | Pick<OutboxEntry, 'videoId' | 'language' | 'contentSha256'>,
  ) => Promise<void>;
  /** Removes a video with all that was made of it; false: it was not kept. */
  readonly removeIn: (transaction: Transaction, accountId: string, videoId: string) => Promise<boolean>;
  /** Removes what searches read of all videos that are kept now: none of them is found afterwards. */
  readonly dropIndex: (accountId: string) => Promise<void>;
  /** Libraries of which runs of the index are being merged. */
  readonly merging: (page: {
    readonly limit: number;
    readonly except: readonly number[];
  }) => Promise<readonly number[]>;
  /** Moves some postings of a merge, in a short transaction of its own; false: no merge of this library is under way. */
  readonly mergeSome: (libraryId: number) => Promise<boolean>;
  /** How many videos are kept, and whether this one is. */
  readonly room: (accountId: string, videoId: string | null) => Promise<{ videos: number; isKept: boolean }>;
  /** In the order in which they were kept, the newest first; `before`: those after a video of an earlier page. */
  readonly list: (
    accountId: string,
    page: { readonly limit: number; readonly before: { readonly keptAt: string; readonly videoId: string } | null },
  ) => Promise<readonly KeptVideo[]>;
  readonly find: (accountId: string, videoId: string) => Promise<KeptVideo | null>;
  readonly versions: (accountId: string, videoId: string) => Promise<readonly Version[]>;
  readonly captions: (
    accountId: string,
    videoId: string,
    version: number,
  ) => Promise<(Version & KeptCaptions & KeptVideo & { readonly durationS: number | null }) | null>;
  readonly languages: (accountId: string) => Promise<readonly SearchedLanguage[]>;
  /**
   * Terms of the library that words may stand for: the same, with the same beginning, within them or around them, or spelt
   * nearly so; of `asWritten` the same alone.
   */
  readonly resembling: (
    accountId: string,
    words: readonly SoughtWord[],
    asWritten: readonly SoughtWord[],
  ) => Promise<readonly string[]>;
  /** Terms are those of `termOf`. Of `whole` with every posting, else with those that add most to a score. */
  readonly postings: (
    accountId: string,
    terms: readonly string[],
    whole: readonly string[],
  ) => Promise<readonly StoredPostings[]>;
  /** Passages from the first to before the second that a filter admits, in their order. */
  readonly admitted: (accountId: string, filter: LibraryFilter) => Promise<readonly (readonly [number, number])[]>;
  readonly passages: (accountId: string, passages: readonly number[]) => Promise<readonly FoundPassage[]>;
  /** Vectors of passages that this model made; those of other models are no longer known. */
  readonly vectors: (
    accountId: string,
    model: string,
    passages: readonly number[],
  ) => Promise<ReadonlyMap<number, readonly number[]>>;
  readonly saveVectors: (
    accountId: string,
    model: string,
    vectors: ReadonlyMap<number, readonly number[]>,
  ) => Promise<void>;
};

/** A stem as the index of a library names it: the same letters in two languages are two terms. */
export const termOf = (stems: string, stem: string): string => `${stems} ${stem}`;
