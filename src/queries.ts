import type { PlanKey } from './credits/plans.ts';
import type { Operation } from './credits/prices.ts';
import type { ExtractionHealth, Probe } from './extraction/extraction.ts';

export type { ExtractionHealth, Probe };

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

/** The door out. */
export type Queries = {
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
