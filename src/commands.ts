import type { AccountCommands } from './accounts/account-commands.ts';
import type { RequestDefaultsStore } from './accounts/request-defaults.ts';
import type { Authorizations } from './authorizations/manage-authorizations.ts';
import type { OperationCall } from './contract/operations.ts';
import type { PlanKey } from './contract/plan-keys.ts';
import type { AdmitWork } from './credits/admit-work.ts';
import type { Receipt } from './credits/charge-on-success.ts';
import type { FailedRequest, FailureCounter } from './credits/failure-counter.ts';
import type { LedgerResult } from './credits/ledger/ledger-result.ts';
import type { Ledger } from './credits/ledger/ledger-service.ts';
import type { Engine } from './extraction/captions/caption-track.ts';
import { requireVideoId } from './extraction/video-id.ts';
import type { FollowChanges, FollowCommands } from './follows/follow-commands.ts';
import type { WantedFollow } from './follows/start-follow.ts';
import type { InsightCommands } from './insights/insight-commands.ts';
import { type Chunker, type ChunkOptions, readChunks } from './insights/read-chunks.ts';
import { storedCalls } from './insights/stored-operations.ts';
import type { JobCommands } from './jobs/job-commands.ts';
import { type listSource, quoteListing } from './jobs/list-source.ts';
import type { JobPlan, JobRequest, PlanOptions, StartedJob } from './jobs/start-job.ts';
import { type Call, callerOf, readerOf } from './kernel/call.ts';
import type { Clock } from './kernel/clock.ts';
import { Refusal } from './kernel/refusal.ts';
import type { KeyCap } from './keys/key.ts';
import type { Keys, NewKey, WantedKey } from './keys/manage-keys.ts';
import type { LibraryCommands } from './library/library-commands.ts';
import type { KeyView } from './queries.ts';
import type { Cosigned, Witness } from './tlog/witness-logs.ts';
import type { CaptionKeeper } from './transcripts/keep-captions.ts';
import type { PaidCaptions, PaidCaptionsStore } from './transcripts/paid-captions.ts';
import { quoteBatch, quoteReading } from './transcripts/quote-reading.ts';
import { readBatch } from './transcripts/read-batch.ts';
import { listLanguages, readRaw, readTranscript } from './transcripts/read-transcript.ts';
import { readVideo } from './transcripts/read-video.ts';
import { type ShowInput, showTranscript } from './transcripts/show-transcript.ts';
import type { WordCounter } from './transcripts/tokens.ts';
import type { manageWebhooks } from './webhooks/register-webhook.ts';
import type { replayDeliveries } from './webhooks/request-delivery.ts';

// Edges reach the features only through the application commands. They show the same transcripts, name the same pages of the
// platform and tell the same limits.
export type { AccountRecord } from './accounts/suspend-account.ts';
export type { FetchDocument, FetchedDocument } from './authorizations/fetch-document.ts';
export type { OAuthState } from './authorizations/oauth-state.ts';
export { priceOf, type UsageKind } from './credits/prices.ts';
export type { Extraction, Track } from './extraction/captions/caption-track.ts';
export { type LinkTarget, nameLink, targetName } from './extraction/link-kind.ts';
export { channelLink, listLink, playlistLink, videoLink } from './extraction/platform-links.ts';
export type { AiStatus, InsightQuote } from './insights/insight-commands.ts';
export type { JobOperationResult } from './insights/run-operation.ts';
export type { PaidListing } from './jobs/list-source.ts';
export type { JobRetry } from './jobs/retry-job.ts';
export { answerResult } from './library/ask-library.ts';
export { searchResult } from './library/library-commands.ts';
export { toJson } from './transcripts/formats/json.ts';
export { toMarkdown } from './transcripts/formats/markdown.ts';
export { listedVideoJson, trackJson } from './transcripts/formats/video-json.ts';
export type { BatchItem } from './transcripts/read-batch.ts';
export { renderTranscript, type ShapedTranscript } from './transcripts/shape-transcript.ts';
export { lineAt, type QuotedLine, type TranscriptOffer } from './transcripts/show-transcript.ts';
export { timestampOf } from './transcripts/timestamp.ts';
export type { Transcript } from './transcripts/transcript.ts';
export type { ShownWebhook } from './webhooks/register-webhook.ts';
export type { JobRequest, Receipt, StartedJob };

/** What an id of the operator made happen: sent again under it, it is told and not done again. */
export type OnceReceipt = Receipt & { readonly isRepeat: boolean };

/** `fullKey` is given out here and nowhere else. */
type CreatedKey = NewKey & { readonly key: KeyView };

/** A job with operations on each item after its transcript. */
export type JobWithOperations = JobRequest & { readonly following?: readonly OperationCall[] };

/** What a caller wants followed. `following`: operations on each video after its transcript. */
type FollowRequest = Omit<WantedFollow, 'operations'> & { readonly following: readonly OperationCall[] };

type FollowEdit = {
  readonly followId: string;
  readonly changes: Omit<FollowChanges, 'operations'> & { readonly following?: FollowRequest['following'] | undefined };
};

/** Jobs, listings and webhooks. */
export type JobApplicationCommands = Omit<JobCommands, 'planJob' | 'startJob'> & {
  /** What a job would be made of and cost; nothing is written, reserved, charged or extracted. */
  planJob(call: Call, wanted: JobWithOperations, options?: PlanOptions): Promise<JobPlan>;
  startJob(call: Call, wanted: JobWithOperations): Promise<StartedJob>;
  readonly listSource: ReturnType<typeof listSource>;
} & ReturnType<typeof manageWebhooks> &
  ReturnType<typeof replayDeliveries>;

/** The application commands. Each throws `Refusal` for what the product refuses; anything else is a fault. */
export type Commands = ReturnType<typeof wireCommands>;

/** What the commands stand on. */
type CommandParts = {
  readonly accounts: AccountCommands;
  readonly jobs: JobApplicationCommands;
  readonly follows: FollowCommands & {
    /** For operators: looks at the source of a follow now; resolves to the number of new videos, null where it is refused. */
    readonly lookAtFollow: (follow: { readonly followId: string }) => Promise<{ readonly found: number | null }>;
  };
  readonly insights: InsightCommands;
  readonly library: LibraryCommands;
  readonly defaults: RequestDefaultsStore;
  readonly engine: Engine;
  readonly admit: AdmitWork;
  readonly ledger: Ledger & { readonly countFailure: FailureCounter['count'] };
  readonly keys: Keys;
  readonly authorizations: Authorizations;
  readonly paid: PaidCaptionsStore;
  readonly keeper: CaptionKeeper;
  readonly tokens: WordCounter;
  readonly chunksOf: Chunker;
  readonly clock: Clock;
  /** Of the transparency logs of others. */
  readonly witness: () => Promise<Witness>;
  /** A new key as its owner sees it. */
  readonly viewKey: (keyId: string) => Promise<KeyView>;
  readonly newOperatorCall: (accountId: string) => Call;
  /** Told of what went wrong in one item of a batch. */
  readonly onFault: (fault: unknown) => void;
};

/** What reads captions, for callers and for readers of pages. */
const readingCommands = (parts: CommandParts) => {
  const { engine, ledger, admit, onFault, paid, keeper, tokens, chunksOf, insights, clock } = parts;
  const show = showTranscript({ engine, ledger, admit, paid, keeper, clock });
  return {
    readTranscript: readTranscript({ engine, ledger, admit, paid, keeper, tokens }),
    readChunks: readChunks({ engine, ledger, admit, paid, keeper, tokens, chunksOf }),
    /** A transcript on a page, with an operation on it where one is asked for: charged as a whole. */
    showTranscript: async (
      call: Call,
      { further, ...input }: ShowInput & { readonly further: OperationCall | null },
    ) => {
      const videoId = requireVideoId(input.reference);
      const part = further === null ? null : await insights.prepareInsight(call, videoId, further);
      return await show(call, input, part);
    },
    /** A transcript in chunks, for the reader of a page: paid for as the transcript is. */
    showChunks: async (call: Call, input: ShowInput, options: ChunkOptions) => {
      const extracting = { caller: callerOf(call), signal: call.signal };
      return await show(call, input, {
        quote: [],
        run: async (extraction) => ({ made: await chunksOf(extraction, options, extracting), charges: [] }),
      });
    },
    /** Videos of these with captions that the reader can see again free of charge, with their languages. */
    paidCaptions: (call: Call, videoIds: readonly string[]): Promise<readonly PaidCaptions[]> =>
      paid.of(readerOf(call), videoIds),
    readRaw: readRaw({ engine, ledger, admit, paid, keeper }),
    listLanguages: listLanguages({ engine, ledger }),
    readVideo: readVideo({ engine, ledger }),
    readBatch: readBatch({ engine, ledger, admit, paid, keeper, tokens, onFault }),
  };
};

/** Every command, wired once. */
export const wireCommands = (parts: CommandParts) => {
  const { accounts, ledger, keys, newOperatorCall } = parts;
  const shown = async (made: NewKey): Promise<CreatedKey> => ({ ...made, key: await parts.viewKey(made.keyId) });

  return {
    ...accounts,
    ...parts.jobs,
    ...followingCommands(parts.follows),
    ...parts.insights,
    ...readingCommands(parts),
    quoteReading,
    quoteBatch,
    quoteListing,
    /** Cosigns a checkpoint that another log submits; see `witnessLogs`. */
    addCheckpoint: async (body: string): Promise<Cosigned> => (await parts.witness()).addCheckpoint(body),
    ...parts.library,
    requestDefaults: parts.defaults.read,
    chooseRequestDefaults: parts.defaults.choose,
    /** Usage counts an authenticated request that failed; nothing is charged. */
    recordFailure: (call: Call, failed: FailedRequest): Promise<void> => ledger.countFailure(call, failed),
    /** An account with its first key. Sent again, it makes the key where the account was left without. */
    createAccount: async (
      wanted: Omit<Parameters<AccountCommands['openAccount']>[0], 'cause' | 'isUnfinished'>,
    ): Promise<{ readonly accountId: string; readonly apiKey: string }> => {
      const { accountId } = await accounts.openAccount({
        ...wanted,
        cause: newOperatorCall(''),
        isUnfinished: async (begunId) =>
          (await keys.hasNone(begunId)) &&
          (await ledger.balance(newOperatorCall(begunId), { fresh: true })).plan === wanted.plan,
      });
      const key = { name: 'API key', scopes: [], capCredits: null, expiresAt: null };
      const { fullKey } = await keys.create(newOperatorCall(accountId), key);
      return { accountId, apiKey: fullKey };
    },
    createKey: async (call: Call, wanted: WantedKey): Promise<CreatedKey> => {
      const { actor, accountId } = call;
      // An operator names any account; everybody else has proved the own one.
      if (actor.type === 'operator' && !(await accounts.isOwned(accountId))) {
        throw new Refusal('NOT_FOUND', `There is no account ${accountId}.`);
      }
      return shown(await keys.create(call, wanted));
    },
    /** Makes a key like this one, which itself stays good for `overlapMs` more. */
    rollKey: async (
      call: Call,
      { keyId, overlapMs }: { readonly keyId: string; readonly overlapMs: number },
    ): Promise<CreatedKey> => shown(await keys.roll(call, keyId, overlapMs)),
    /** Changes the cap of a key; members that are left out stay as they are. */
    setKeyCap: (call: Call, { keyId, ...change }: { readonly keyId: string } & Partial<KeyCap>): Promise<void> =>
      keys.setCap(call, keyId, change),
    revokeKey: (call: Call, { keyId }: { readonly keyId: string }): Promise<void> => keys.revoke(call, keyId),
    ...authorizationCommands(parts.authorizations),
    grantCredits: async (
      call: Call,
      { grantId, ...grant }: ById<'grantId', Parameters<Ledger['grant']>[1]>,
    ): Promise<OnceReceipt> => onceReceiptOf(await ledger.grant(call, { reference: grantId, ...grant })),
    correctBalance: async (
      call: Call,
      { correctionId, ...correction }: ById<'correctionId', Parameters<Ledger['correct']>[1]>,
    ): Promise<OnceReceipt> => onceReceiptOf(await ledger.correct(call, { reference: correctionId, ...correction })),
    assignPlan: async (call: Call, { plan }: { readonly plan: PlanKey }): Promise<void> => {
      await ledger.assignPlan(call, plan);
    },
    refundCharge: async (
      call: Call,
      { refundId, ...refund }: ById<'refundId', Parameters<Ledger['refund']>[1]>,
    ): Promise<OnceReceipt> => onceReceiptOf(await ledger.refund(call, { reference: refundId, ...refund })),
  };
};

/** The operations on each video as they are stored; null: there are none. */
const operationsOf = (following: readonly OperationCall[]): string | null =>
  following.length === 0 ? null : storedCalls(following);

/** The commands on follows, with operations as callers name them. */
const followingCommands = ({ startFollow, editFollow, ...others }: CommandParts['follows']) => ({
  ...others,
  startFollow: (call: Call, { following, ...wanted }: FollowRequest) =>
    startFollow(call, { ...wanted, operations: operationsOf(following) }),
  editFollow: (call: Call, { followId, changes: { following, ...changes } }: FollowEdit): Promise<void> => {
    const operations = following === undefined ? {} : { operations: operationsOf(following) };
    return editFollow(call, { followId, changes: { ...changes, ...operations } });
  },
});

/** Applications that act for an account. */
const authorizationCommands = (authorizations: Authorizations) => ({
  /** Allows an application to act for an account; resolves to the id of the authorization. */
  grantAuthorization: authorizations.grant,
  /** Ends an authorization of the account. Throws NOT_FOUND. */
  endAuthorization: (call: Call, { authorizationId }: { readonly authorizationId: string }): Promise<void> =>
    authorizations.end(call, authorizationId, 'owner'),
  /** Ends an authorization whose application gave it back, or whose code or refresh token came twice. */
  revokeAuthorization: (
    call: Pick<Call, 'requestId' | 'traceparent'>,
    { authorizationId, why }: { readonly authorizationId: string; readonly why: 'client' | 'replay' },
  ): Promise<void> => authorizations.revoke(call, authorizationId, why),
  /** Throws UNAUTHENTICATED when the authorization has ended. */
  requireAuthorization: authorizations.requireActive,
});

/** What the ledger takes, with its reference under the name that operators know. */
type ById<Name extends string, Input> = Readonly<Record<Name, string>> & Omit<Input, 'reference'>;

const onceReceiptOf = ({ credits, eventId, isRepeat }: LedgerResult): OnceReceipt => ({
  creditsCharged: credits,
  eventId,
  isRepeat,
});
