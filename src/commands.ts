import type { AccountCommands } from './accounts/account-commands.ts';
import type { OperatedAccount } from './accounts/operate-account.ts';
import type { AccountMail } from './accounts/send-account-mail.ts';
import type { Receipt } from './credits/charge-on-success.ts';
import type { FailedRequest, FailureCounter } from './credits/failure-counter.ts';
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
import type { listSource, PaidListing } from './jobs/list-source.ts';
import { maxListingsPerJob } from './jobs/list-videos.ts';
import type { Call } from './kernel/call.ts';
import { Refusal } from './kernel/refusal.ts';
import type { Keys, NewKey, WantedKey } from './keys/manage-keys.ts';
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
  Receipt,
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

/** What an id of the operator made happen: sent again under it, it is told and not done again. */
export type OnceReceipt = Receipt & { readonly isRepeat: boolean };

/** `fullKey` is given out here and nowhere else. */
type CreatedKey = NewKey & { readonly key: KeyView };

/** A job with operations on each item after its transcript. */
export type JobWithOperations = JobWanted & { readonly following?: readonly OperationWanted[] };

/** Jobs, listings and webhooks. */
export type JobApplicationCommands = Omit<JobCommands, 'planJob' | 'startJob'> & {
  /** What a job would be made of and cost; nothing is written, reserved, charged or extracted. */
  planJob(call: Call, wanted: JobWithOperations, options?: PlanOptions): Promise<JobPlan>;
  startJob(call: Call, wanted: JobWithOperations): Promise<JobStarted>;
  readonly listSource: ReturnType<typeof listSource>;
} & WebhookCommands;

/** The application commands. Each throws `Refusal` for what the product refuses; anything else is a fault. */
export type Commands = ReturnType<typeof wireCommands>;

/** What the commands stand on. */
type CommandParts = {
  readonly accounts: AccountCommands;
  readonly jobs: JobApplicationCommands;
  readonly insights: InsightCommands;
  readonly engine: Engine;
  readonly ledger: Ledger & { readonly countFailure: FailureCounter['count'] };
  readonly keys: Keys;
  /** A new key as its owner sees it. */
  readonly viewKey: (keyId: string) => Promise<KeyView>;
  readonly newOperatorCall: (accountId: string) => Call;
  /** Told of what went wrong in one item of a batch. */
  readonly onFault: (fault: unknown) => void;
};

/** Every command, wired once. */
export const wireCommands = (parts: CommandParts) => {
  const { accounts, engine, ledger, keys, newOperatorCall, onFault } = parts;
  const shown = async (made: NewKey): Promise<CreatedKey> => ({
    ...made,
    key: await parts.viewKey(made.keyId),
  });

  return {
    ...accounts,
    ...parts.jobs,
    ...parts.insights,
    readTranscript: readTranscript({ engine, ledger }),
    readRaw: readRaw({ engine, ledger }),
    listLanguages: listLanguages({ engine, ledger }),
    readBatch: readBatch({ engine, ledger, onFault }),
    /** Usage counts an authenticated request that failed; nothing is charged. */
    recordFailure: (call: Call, failed: FailedRequest): Promise<void> =>
      ledger.countFailure(call, failed),
    /** An account with its first key. Sent again, it makes the key where the account was left without. */
    createAccount: async (wanted: {
      readonly email: string;
      readonly password: string;
      readonly name: string | null;
      readonly plan: PlanKey;
    }): Promise<{ readonly accountId: string; readonly apiKey: string }> => {
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
    revokeKey: (call: Call, { keyId }: { readonly keyId: string }): Promise<void> =>
      keys.revoke(call, keyId),
    grantCredits: async (
      call: Call,
      { grantId, ...grant }: ById<'grantId', Parameters<Ledger['grant']>[1]>,
    ): Promise<OnceReceipt> =>
      onceReceiptOf(await ledger.grant(call, { reference: grantId, ...grant })),
    assignPlan: async (call: Call, { plan }: { readonly plan: PlanKey }): Promise<void> => {
      await ledger.assignPlan(call, plan);
    },
    refundCharge: async (
      call: Call,
      { refundId, ...refund }: ById<'refundId', Parameters<Ledger['refund']>[1]>,
    ): Promise<OnceReceipt> =>
      onceReceiptOf(await ledger.refund(call, { reference: refundId, ...refund })),
  };
};

/** What the ledger takes, with its reference under the name that operators know. */
type ById<Name extends string, Input> = Readonly<Record<Name, string>> & Omit<Input, 'reference'>;

const onceReceiptOf = ({ credits, eventId, isRepeat }: LedgerResult): OnceReceipt => ({
  creditsCharged: credits,
  eventId,
  isRepeat,
});
