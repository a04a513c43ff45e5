import type { z } from 'zod';
import type { Commands, ShapedTranscript } from '../../commands.ts';
import type { Chunks } from '../../contract/chunks.ts';
import type { listedVideo } from '../../contract/listings.ts';
import type { trackSchema } from '../../contract/schemas.ts';
import type { Statement } from '../../contract/statements.ts';
import type { VideoDetails } from '../../contract/video-details.ts';
import type { Bill, JobRow, LedgerEntry, PriceBook, Queries, Rebilling, StatusNote } from '../../queries.ts';

/** How far a part of some work has come. */
export type PartProgress = {
  readonly what: string;
  readonly done: number;
  /** Null: not known. */
  readonly total: number | null;
};

type Stop = { readonly signal: AbortSignal };

/** What work of more than a moment is given: it ends when the signal aborts, and says how far it has come. */
export type LongWork = Stop & { readonly onProgress?: (reached: PartProgress) => void };

/** The result of a verification; `problems` in the order of the log. */
export type Verification = {
  readonly streams: number;
  readonly events: number;
  readonly problems: readonly {
    readonly stream: string;
    /** Decimal position in the log, null when the problem is not at one event. */
    readonly position: string | null;
    readonly message: string;
  }[];
};

/** The result of a rebuild of one read model. `differences` counts rows; `message` explains them. */
export type Rebuild = {
  readonly name: string;
  readonly events: number;
  readonly elapsedMs: number;
  readonly differences: number;
  readonly isSwitched: boolean;
  readonly message: string | null;
};

/** How far the live table of a read model has come. `version`: `older` and `newer` than that of this program are not folded by it. */
export type ReadModel = {
  readonly name: string;
  readonly version: 'live' | 'older' | 'newer' | 'missing';
  /** Decimal; null: it was never folded. */
  readonly position: string | null;
  readonly lagPositions: number;
  readonly lagSeconds: number;
  /** Why it has stopped. */
  readonly failure: string | null;
};

export type TranscriptRequest = Parameters<Commands['readTranscript']>[1];

export type ChunksRequest = Parameters<Commands['readChunks']>[1];

/** A caption track, as the API shows it. */
export type CaptionTrack = Pick<z.output<typeof trackSchema>, 'language' | 'name' | 'kind'> & {
  readonly default: boolean;
};

/** A video of a list, as the API shows it. */
export type ListedVideo = z.output<typeof listedVideo>;

export type List = { readonly kind: 'playlist' | 'channel'; readonly reference: string };

/** The source of transcripts: a server, or the engine in this process. */
export type TranscriptSource = {
  readTranscript(wanted: TranscriptRequest): Promise<ShapedTranscript>;
  /** Captions in chunks. */
  readChunks(wanted: ChunksRequest): Promise<Chunks>;
  /** The caption tracks of a video. */
  listTracks(reference: string): Promise<readonly CaptionTrack[]>;
  /** What is known of a video. */
  readVideo(reference: string): Promise<VideoDetails>;
  /** The videos of a list; `limit` null: as many as the source gives. `hasMore`: the list goes on behind them. */
  listVideos(
    wanted: List & { readonly limit: number | null },
  ): Promise<{ readonly videos: readonly ListedVideo[]; readonly hasMore: boolean }>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The transparency log of this service, and the logs of others that it witnesses. */
export type TlogStatus = {
  /** Null: the log is not begun. */
  readonly origin: string | null;
  readonly size: number;
  /** Decimal; everything up to it in the event log is in a checkpoint. */
  readonly position: string;
  /** Positions of the event log after it. */
  readonly behind: string;
  readonly signedAt: string | null;
  readonly vkeys: readonly string[];
  /** The verifier key of the witness. */
  readonly witness: string;
  readonly witnessed: readonly {
    readonly origin: string;
    readonly url: string;
    readonly size: number;
    readonly cosignedAt: string;
  }[];
};

/** The operator commands, which no API exposes. They throw `Refusal` as the application commands do. */
export type OperatorActions = {
  /** Plan, credits, keys and webhooks of an account. */
  overview(account: { readonly accountId: string }): ReturnType<Queries['accountOverview']>;
  /** All entries of the books of one account, oldest first, read in bounded pages. Throws after the last where one does not hold. */
  exportLedger(input: { readonly accountId: string }, options: LongWork): AsyncIterable<LedgerEntry>;
  /** Hash chain and balances of one account; of all, and every read model row by row, without one. */
  verify(input: { readonly accountId: string | null }, options: LongWork): Promise<Verification>;
  /** Rebuilds one read model, or all. `isSideBySide`: the live one answers until the new one is equal and switched to. */
  rebuildProjections(
    input: { readonly name: string | null; readonly isSideBySide: boolean },
    options: LongWork,
  ): AsyncIterable<Rebuild>;
  readModels(): Promise<readonly ReadModel[]>;
  /** Repairs tables of the log that contradict the events; returns the contradictions. */
  adoptLog(): Promise<readonly string[]>;
  /** Yields the job now, after each change, and at its end. Refuses an unknown id. */
  watchJob(input: { readonly jobId: string }, until: Stop): AsyncIterable<JobRow>;
  /**
   * Entries of the ledgers of all accounts, or of one, in the order of positions. `after`: a decimal position. `isFollowing`: it
   * goes on with what comes until the signal aborts.
   */
  tailLedgers(
    input: { readonly accountId: string | null; readonly after: string; readonly isFollowing: boolean },
    until: Stop,
  ): AsyncIterable<LedgerEntry>;
  tlogStatus(): Promise<TlogStatus>;
  /**
   * Cosigns the newest checkpoint of the log of another server, by its base address, and answers the note. Throws where it
   * does not only grow, and for a key that is not that of before; `vkey` pins another.
   */
  witnessLog(input: {
    readonly url: string;
    readonly vkey: string | null;
  }): Promise<{ readonly note: string; readonly witness: string }>;
  /** Shows a note on the status page of every process. */
  addStatusNote(note: Omit<StatusNote, 'noteId' | 'startedAt'>): Promise<StatusNote>;
  /** Ends a note now. Refuses an id that no note has. */
  endStatusNote(noteId: string): Promise<StatusNote>;
  /** Newest first, those that are over too. */
  statusNotes(): Promise<readonly StatusNote[]>;
  /** The statement of a period, from the events alone. Throws NOT_FOUND. */
  replayStatement(input: { readonly accountId: string; readonly period: string }): Promise<Statement>;
  /** The number of the credit note of a correction, by the id of its entry. Throws NOT_FOUND. */
  creditNoteNumber(input: { readonly accountId: string; readonly eventId: string }): Promise<string>;
  replayBill(
    input: {
      readonly accountId: string;
      readonly from: string;
      readonly to: string;
      /** Computes the bill under these prices besides. */
      readonly priceBook?: PriceBook;
    },
    options: LongWork,
  ): Promise<Bill & Partial<Rebilling>>;
};

/** The application as the command line uses it. Disposing it closes what opening it opened. */
export type OperatorInterface = {
  readonly commands: Pick<
    Commands,
    | 'createAccount'
    | 'listAccounts'
    | 'findAccount'
    | 'openSessions'
    | 'requestDefaults'
    | 'chooseRequestDefaults'
    | 'suspendAccount'
    | 'resumeAccount'
    | 'setPassword'
    | 'issuePasswordLink'
    | 'eraseAccountOf'
    | 'createKey'
    | 'setKeyCap'
    | 'revokeKey'
    | 'assignPlan'
    | 'grantCredits'
    | 'correctBalance'
    | 'refundCharge'
    | 'lookAtFollow'
    | 'readTranscript'
  >;
  readonly queries: Pick<Queries, 'keys' | 'planOfAccount' | 'relay'>;
  readonly actions: OperatorActions;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The content of a written or imported archive, as its last line says it. Positions are decimal. */
export type ArchiveSummary = {
  readonly events: number;
  readonly streams: number;
  readonly last_position: string;
  /** Rows by table, of all tables that are not derived from events. */
  readonly tables: Readonly<Record<string, number>>;
  /** Pending tasks of the queue. */
  readonly tasks: number;
  readonly sha256: string;
};

/** Archives of the database: `events` alone, or with `backup` everything that cannot be made from them. */
export type Archives = {
  /** The text in pieces of whole lines, of one moment; `until`: the last position of `events`, null: all. */
  write(
    input: { readonly content: 'events' | 'backup'; readonly until: string | null },
    options: LongWork,
  ): AsyncIterable<string>;
  /** Imports into a database without data in one transaction, then builds the read models. */
  restore(
    bytes: AsyncIterable<Uint8Array>,
    input: { readonly content: 'events' | 'backup'; readonly isSecretLost: boolean },
    options: LongWork,
  ): Promise<ArchiveSummary>;
};

/** What cannot be saved without the former SECRET_KEY. */
export type Loss = 'passwords' | 'webhook-secrets' | 'answers';

/** The result of making SECRET_KEY that of the database. */
export type Adoption = {
  /** False: more would be lost than was accepted, and nothing was changed. */
  readonly isDone: boolean;
  /** Accounts whose mailbox is indexed anew by its stored address. */
  readonly accounts: number;
  /** Accounts without an index: an older account has the same mailbox. */
  readonly displaced: readonly string[];
  readonly losses: readonly { readonly loss: Loss; readonly count: number }[];
  /** Whether this installation sends mails. */
  readonly isMailing: boolean;
};

/** One check of `doctor`. `fix`: the command or setting that helps; null if the check passed. */
export type Check = {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  readonly fix: string | null;
};
