import type { AccountCommands } from './accounts/account-commands.ts';
import type { OperatedAccount } from './accounts/operate-account.ts';
import type { AccountMail } from './accounts/send-account-mail.ts';
import type { FailureCounter } from './credits/failure-counter.ts';
import type { LedgerResult } from './credits/ledger-result.ts';
import type { Ledger } from './credits/ledger-service.ts';
import type { PlanKey } from './credits/plans.ts';
import { type Operation, recognitionPrice } from './credits/prices.ts';
import { type Named, nameLink } from './extraction/link-kind.ts';
import { channelLink, listLink, playlistLink, videoLink } from './extraction/links.ts';
import type { Engine, Extraction, Track } from './extraction/types.ts';
import type { InsightOperation } from './insights/insight.ts';
import type { AiStatus, InsightCommands, InsightQuote } from './insights/insight-commands.ts';
import { languageName } from './insights/output-language.ts';
import { repurposeFormats } from './insights/repurpose.ts';
import type { OperationResult, OperationWanted } from './insights/run-operation.ts';
import { summaryLengths } from './insights/summarize.ts';
import { translateModes } from './insights/translate.ts';
import { maxItemsPerJob } from './jobs/job.ts';
import type {
  JobCommands,
  JobPlan,
  JobStarted,
  JobWanted,
  PlanOptions,
  Retried,
} from './jobs/job-commands.ts';
import type { PaidListing } from './jobs/list-source.ts';
import { maxListingsPerJob } from './jobs/list-videos.ts';
import type { Call } from './kernel/call.ts';
import { Refusal } from './kernel/refusal.ts';
import type { Keys, NewKey } from './keys/manage-keys.ts';
import type { KeyView } from './queries.ts';
import { toJson } from './transcripts/formats/json.ts';
import { toMarkdown } from './transcripts/formats/markdown.ts';
import { type BatchItem, maxBatchVideos, readBatch } from './transcripts/read-batch.ts';
import { listLanguages, readRaw, readTranscript } from './transcripts/read-transcript.ts';
import { renderTranscript } from './transcripts/shape-transcript.ts';
import { timestampOf } from './transcripts/timestamp.ts';
import type { Transcript, TranscriptFormat } from './transcripts/transcript.ts';
import type { ShownWebhook, WebhookCommands, WebhookKind } from './webhooks/webhook-commands.ts';

// Edges reach the features only through the application commands.
export type {
  AccountMail,
  AiStatus,
  BatchItem,
  Extraction,
  InsightOperation,
  InsightQuote,
  JobWanted,
  Named,
  OperatedAccount,
  Operation,
  OperationResult,
  OperationWanted,
  PaidListing,
  Retried,
  ShownWebhook,
  Track,
  Transcript,
  TranscriptFormat,
  WebhookKind,
};

// The edges show the same transcripts, name the same pages of the platform and tell the same limits.
export {
  channelLink,
  languageName,
  listLink,
  maxBatchVideos,
  maxItemsPerJob,
  maxListingsPerJob,
  nameLink,
  playlistLink,
  recognitionPrice,
  renderTranscript,
  repurposeFormats,
  summaryLengths,
  timestampOf,
  toJson,
  toMarkdown,
  translateModes,
  videoLink,
};

/** What a charged answer can prove: the amount, and the ledger event behind it. */
export type Receipt = {
  readonly creditsCharged: number;
  /** Id of the (first) ledger event, null when nothing was posted. */
  readonly eventId: string | null;
};

/** What an id of the operator made happen: sent again under it, it is told and not done again. */
export type OnceReceipt = Receipt & { readonly isRepeat: boolean };

/** `fullKey` is given out here and nowhere else. */
export type CreatedKey = {
  readonly keyId: string;
  readonly fullKey: string;
  readonly prefix: string;
  readonly key: KeyView;
};

/** Jobs, listings and webhooks. */
/** A job with operations on each item after its transcript. */
export type JobWithOperations = JobWanted & { readonly following?: readonly OperationWanted[] };

export type JobApplicationCommands = Omit<JobCommands, 'planJob' | 'startJob'> & {
  /** What a job would be made of and cost; nothing is written, reserved, charged or extracted. */
  planJob(call: Call, wanted: JobWithOperations, options?: PlanOptions): Promise<JobPlan>;
  startJob(call: Call, wanted: JobWithOperations): Promise<JobStarted>;
} & WebhookCommands & {
    /** Lists a playlist or channel: one credit for each started hundred of videos. */
    listSource(
      call: Call,
      input: {
        readonly kind: 'playlist' | 'channel';
        readonly reference: string;
        readonly limit: number;
      },
    ): Promise<PaidListing>;
  };

/** The application commands. Each throws `Refusal` for what the product refuses; anything else is a fault. */
export type Commands = AccountCommands &
  InsightCommands &
  JobApplicationCommands & {
    /** Charges one transcript. `text` is the body in the wanted format, null for json. */
    readTranscript(
      call: Call,
      input: {
        readonly reference: string;
        readonly language: string | null;
        readonly format: TranscriptFormat;
        readonly timestamps: boolean;
        readonly clean: boolean;
        /** The platform may translate captions into the language. */
        readonly mayTranslate?: boolean;
        /** The speech of a video without captions is recognized. */
        readonly recognizesSpeech?: boolean;
      },
    ): Promise<
      Receipt & {
        readonly transcript: Transcript;
        readonly text: string | null;
        /** Languages that the video has captions in. */
        readonly available?: readonly string[];
        /** Whether the captions came from what is kept; status measures the two apart. */
        readonly isCacheHit?: boolean;
      }
    >;
    readRaw(
      call: Call,
      input: { readonly reference: string; readonly language: string | null },
    ): Promise<Receipt & { readonly extraction: Extraction }>;
    listLanguages(
      call: Call,
      input: { readonly reference: string },
    ): Promise<
      Receipt & {
        readonly videoId: string;
        readonly available: readonly string[];
        readonly defaultLanguage: string | null;
        readonly hasCaptions: boolean;
        readonly tracks: readonly Track[];
      }
    >;
    readBatch(
      call: Call,
      input: {
        readonly references: readonly string[];
        readonly language: string | null;
        readonly format: TranscriptFormat;
        readonly timestamps: boolean;
        readonly clean: boolean;
        readonly recognizesSpeech?: boolean;
      },
    ): Promise<Receipt & { readonly items: readonly BatchItem[] }>;
    /** Usage counts an authenticated request that failed; nothing is charged. */
    recordFailure(
      call: Call,
      input: { readonly operation: Operation; readonly code: string },
    ): Promise<void>;
    /** An account with its first key. Sent again, it makes the key where the account was left without. */
    createAccount(input: {
      readonly email: string;
      readonly password: string;
      readonly name: string | null;
      readonly plan: PlanKey;
    }): Promise<{ readonly accountId: string; readonly apiKey: string }>;
    createKey(
      call: Call,
      input: {
        readonly name: string;
        readonly scopes: readonly string[];
        /** The most that the key may spend in a billing period; null: as much as the account has. */
        readonly capCredits: number | null;
        /** RFC 3339; null: never. */
        readonly expiresAt: string | null;
      },
    ): Promise<CreatedKey>;
    /** Makes a key like this one, which itself stays good for `overlapMs` more. */
    rollKey(
      call: Call,
      input: { readonly keyId: string; readonly overlapMs: number },
    ): Promise<CreatedKey>;
    revokeKey(call: Call, input: { readonly keyId: string }): Promise<void>;
    grantCredits(
      call: Call,
      input: {
        readonly grantId: string;
        readonly amount: number;
        readonly expiresAt: string | null;
      },
    ): Promise<OnceReceipt>;
    assignPlan(call: Call, input: { readonly plan: PlanKey }): Promise<void>;
    refundCharge(
      call: Call,
      input: {
        readonly refundId: string;
        readonly chargeId: string;
        readonly amount: number;
        readonly why: string;
      },
    ): Promise<OnceReceipt>;
  };

/** What the commands stand on. */
export type CommandParts = {
  readonly accounts: AccountCommands;
  readonly jobs: JobApplicationCommands;
  readonly insights: InsightCommands;
  readonly engine: Engine;
  readonly ledger: Ledger & { readonly countFailure: FailureCounter['count'] };
  readonly keys: Keys;
  /** The key as its owner sees it, once the read model has it. */
  readonly viewKey: (accountId: string, keyId: string) => Promise<KeyView>;
  readonly newOperatorCall: (accountId: string) => Call;
  /** Told of what went wrong in one item of a batch. */
  readonly onFault: (fault: unknown) => void;
};

/** Every command, wired once. */
export const wireCommands = (parts: CommandParts): Commands => {
  const { accounts, engine, ledger, keys, newOperatorCall, onFault } = parts;
  const shown = async (call: Call, made: NewKey): Promise<CreatedKey> => ({
    ...made,
    key: await parts.viewKey(call.accountId, made.keyId),
  });

  return {
    ...accounts,
    ...parts.jobs,
    ...parts.insights,
    readTranscript: readTranscript({ engine, ledger }),
    readRaw: readRaw({ engine, ledger }),
    listLanguages: listLanguages({ engine, ledger }),
    readBatch: readBatch({ engine, ledger, onFault }),
    recordFailure: (call, failed) => ledger.countFailure(call, failed),
    createAccount: async ({ email, password, name, plan }) => {
      const cause = newOperatorCall('');
      const { accountId } = await accounts.openAccount({
        ...{ email, password, name, plan, cause },
        isUnfinished: async (begunId) =>
          (await keys.hasNone(begunId)) &&
          (await ledger.balance(newOperatorCall(begunId), { fresh: true })).plan === plan,
      });
      const wanted = { name: 'API key', scopes: [], capCredits: null, expiresAt: null };
      const { fullKey } = await keys.create(newOperatorCall(accountId), wanted);
      return { accountId, apiKey: fullKey };
    },
    createKey: async (call, wanted) => {
      const { actor, accountId } = call;
      // An operator names any account; everybody else has proved the own one.
      if (actor.type === 'operator' && !(await accounts.isOwned(accountId))) {
        throw new Refusal('NOT_FOUND', `There is no account ${accountId}.`);
      }
      return shown(call, await keys.create(call, wanted));
    },
    rollKey: async (call, { keyId, overlapMs }) =>
      shown(call, await keys.roll(call, keyId, overlapMs)),
    revokeKey: (call, { keyId }) => keys.revoke(call, keyId),
    grantCredits: async (call, { grantId, ...grant }) =>
      onceReceiptOf(await ledger.grant(call, { reference: grantId, ...grant })),
    assignPlan: async (call, { plan }) => {
      await ledger.assignPlan(call, plan);
    },
    refundCharge: async (call, { refundId, ...refund }) =>
      onceReceiptOf(await ledger.refund(call, { reference: refundId, ...refund })),
  };
};

const onceReceiptOf = ({ credits, eventId, isRepeat }: LedgerResult): OnceReceipt => ({
  creditsCharged: credits,
  eventId,
  isRepeat,
});
