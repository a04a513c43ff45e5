import type { AccountCommands } from './accounts/account-commands.ts';
import type { PlanKey } from './credits/plans.ts';
import type { Operation } from './credits/prices.ts';
import type { Extraction, Track } from './extraction/extraction.ts';
import type { Call } from './kernel/call.ts';
import type { RefusalCode, RefusalDetails } from './kernel/refusal.ts';
import type { KeyView } from './queries.ts';
import type { Transcript, TranscriptFormat } from './transcripts/transcript.ts';

// The edges know the features by their doors only.
export type { Extraction, Operation, Track, Transcript, TranscriptFormat };

/** What a charged answer can prove: the amount, the ledger event behind it, and what is left. */
export type Receipt = {
  readonly creditsCharged: number;
  /** Id of the (first) ledger event, null when nothing was posted. */
  readonly eventId: string | null;
};

export type BatchItem = {
  /** As the caller sent it. */
  readonly reference: string;
  readonly videoId: string | null;
  readonly creditsCharged: number;
  readonly chargeId: string | null;
} & (
  | { readonly status: 'complete'; readonly transcript: Transcript }
  | {
      readonly status: 'failed';
      readonly code: RefusalCode;
      readonly message: string;
      readonly details: RefusalDetails | null;
    }
);

/** `fullKey` is given out here and nowhere else. */
export type CreatedKey = {
  readonly keyId: string;
  readonly fullKey: string;
  readonly prefix: string;
  readonly key: KeyView;
};

/** The door in. Every command throws `Refusal` for what the product refuses; anything else is a fault. */
export type Commands = AccountCommands & {
  /** Charges one transcript. `text` is the body in the wanted format, null for json. */
  readTranscript(
    call: Call,
    input: {
      readonly reference: string;
      readonly language: string | null;
      readonly format: TranscriptFormat;
      readonly timestamps: boolean;
      readonly clean: boolean;
    },
  ): Promise<
    Receipt & {
      readonly transcript: Transcript;
      readonly text: string | null;
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
    }
  >;
  readBatch(
    call: Call,
    input: {
      readonly references: readonly string[];
      readonly language: string | null;
      readonly timestamps: boolean;
      readonly clean: boolean;
    },
  ): Promise<Receipt & { readonly items: readonly BatchItem[] }>;
  /** Usage counts an authenticated request that failed; nothing is charged. */
  recordFailure(
    call: Call,
    input: { readonly operation: Operation; readonly code: string },
  ): Promise<void>;
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
      readonly capCredits?: number | null;
      /** RFC 3339; null: never. */
      readonly expiresAt?: string | null;
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
    input: { readonly grantId: string; readonly amount: number; readonly expiresAt: string | null },
  ): Promise<Receipt>;
  assignPlan(call: Call, input: { readonly plan: PlanKey }): Promise<void>;
  refundCharge(
    call: Call,
    input: { readonly chargeId: string; readonly amount: number; readonly why: string },
  ): Promise<Receipt>;
};
