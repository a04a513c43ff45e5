import type { CreditStatus } from './credits/credit-status.ts';
import type { Plan, PlanKey } from './credits/plans.ts';
import type { Operation } from './credits/prices.ts';
import type { ExtractionHealth, Probe } from './extraction/extraction.ts';

export type { CreditStatus, ExtractionHealth, Plan, Probe };

/** What a key may do; a key without any scope in its list may do everything that keys can. */
export type KeyScope = 'transcripts' | 'ai' | 'jobs' | 'usage' | 'webhooks';

/** The holder of a key that is good now. */
export type KeyHolder = {
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly KeyScope[];
  /** The most credits that the key may spend in a billing period, null: as many as the account has. */
  readonly capCredits: number | null;
  readonly plan: PlanKey;
  readonly limitPerMinute: number;
};

export type UsageReport = {
  readonly plan: PlanKey;
  readonly creditsRemaining: number;
  readonly creditsReserved: number;
  readonly limitPerMinute: number | null;
  readonly periodDays: number;
  readonly requests: number;
  readonly successful: number;
  readonly failed: number;
  readonly creditsUsed: number;
  readonly byKind: readonly {
    readonly kind: Operation;
    readonly count: number;
    readonly credits: number;
  }[];
  /** One row a UTC day, oldest first, days without requests included. */
  readonly daily: readonly { readonly day: string; readonly count: number }[];
};

/** One event of an account's books as its owner may see it, with what proves it. */
export type LedgerEntry = {
  readonly eventId: string;
  readonly type: string;
  readonly stream: string;
  readonly version: string;
  readonly position: string;
  readonly occurredAt: string;
  readonly requestId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly prevHash: string;
  readonly hash: string;
};

/** A key as its owner sees it: never its secret, nor a hash of it. Times are RFC 3339. */
export type KeyView = {
  readonly keyId: string;
  readonly name: string;
  /** First signs of the secret. */
  readonly prefix: string;
  readonly scopes: readonly KeyScope[];
  readonly capCredits: number | null;
  readonly expiresAt: string | null;
  /** The key that took over from this one. */
  readonly rolledTo: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  /** Spent by this key in the present billing period. */
  readonly creditsUsed: number;
};

export type AccountUsage = UsageReport & {
  readonly credits: CreditStatus;
  readonly periodStart: string;
  readonly periodEnd: string;
  /** Most credits first; `keyId` null: without a key, from the website. */
  readonly byKey: readonly {
    readonly keyId: string | null;
    readonly count: number;
    readonly credits: number;
  }[];
};

/** Something that was done to an account, by whom. */
export type AccountEventView = {
  readonly eventId: string;
  readonly position: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly actor: { readonly type: string; readonly id: string } | null;
  readonly channel: string | null;
  readonly requestId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
};

/** What a signed-in owner may ask. */
export type AccountQueries = {
  plans(): { readonly plans: readonly Plan[]; readonly isBillingConfigured: boolean };
  planOfAccount(accountId: string): Promise<Plan>;
  accountOverview(accountId: string): Promise<{
    readonly plan: Plan;
    readonly credits: CreditStatus;
    readonly keysActive: number;
    readonly webhooksActive: number;
  }>;
  accountUsage(accountId: string, days: number): Promise<AccountUsage>;
  /** The newest first, those that are over too; at most 500. */
  keys(accountId: string): Promise<readonly KeyView[]>;
  /** Newest first; `before` is the position to go on from. */
  accountEvents(
    accountId: string,
    page: { readonly limit: number; readonly before: string | null },
  ): Promise<{ readonly events: readonly AccountEventView[]; readonly nextBefore: string | null }>;
};

/** The door out. */
export type Queries = AccountQueries & {
  /** The holder of this secret, or null. A secret whose checksum is wrong is refused without a query. */
  findKeyHolder(secret: string): Promise<KeyHolder | null>;
  usage(accountId: string, days: number): Promise<UsageReport>;
  /** Newest first; `before` is the position to go on from. */
  ledger(
    accountId: string,
    page: {
      readonly limit: number;
      readonly before: string | null;
      readonly requestId: string | null;
      /** Only entries that usage counts on this UTC day, under this kind, for this key. */
      readonly day?: string | null;
      readonly kind?: string | null;
      readonly keyId?: string | null;
    },
  ): Promise<{ readonly entries: readonly LedgerEntry[]; readonly nextBefore: string | null }>;
  ledgerEntry(accountId: string, eventId: string): Promise<LedgerEntry | null>;
  probe(): Promise<Probe>;
  extractionHealth(): ExtractionHealth;
  /** Each part that readiness depends on; never throws, answers within two seconds. */
  readiness(): Promise<{
    readonly database: 'ok' | 'failed';
    readonly eventStore: 'ok' | 'failed';
    readonly queue: 'ok' | 'failed';
    readonly redis: 'ok' | 'failed' | 'not_configured';
  }>;
};
