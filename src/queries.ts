import type { Sql } from 'postgres';
import type { AccountEventRow } from '#projections/accounts.ts';
import { type KeyRow, keysOf } from '#projections/keys.ts';
import {
  entriesAfter,
  entriesAt,
  entriesBefore,
  entryById,
  headPosition,
  lastPositionOf,
  type StoredEntry,
} from '#projections/ledger-entries.ts';
import { readPage } from '#projections/list-order.ts';
import {
  anyEntry,
  balancesAt,
  byInstant,
  type EntryFilter,
  type EntryOrder,
  filteredPositions,
  newestFirst,
  standingAt,
} from '#projections/receipts.ts';
import { type UsageEvent, type UsageRow, usageOf as usageOfEvents, usageSince } from '#projections/usage.ts';
import { firstDayOf, summed, summedByKey, type UsageByKey, type UsageSums } from '#projections/usage-report.ts';
import type { AuthorizationStore, StoredAuthorization } from './authorizations/authorization-store.ts';
import type { KeyScope } from './contract/key-scopes.ts';
import { type PlanKey, planKey } from './contract/plan-keys.ts';
import { spentOn } from './credits/authorization-spend.ts';
import { type CreditStatus, creditStatus } from './credits/credit-status.ts';
import { dayOf, spentInWindow } from './credits/key-spend.ts';
import type { ExportSource } from './credits/ledger/export-source.ts';
import type { Balance, Freshness } from './credits/ledger/ledger-service.ts';
import { type Plan, planOf } from './credits/plans/plans.ts';
import type { ReceiptSigning } from './credits/receipt-signing.ts';
import { isUuid } from './eventlog/append/serialize-appends.ts';
import type { Engine, ExtractionHealth, Probe } from './extraction/captions/caption-track.ts';
import type { AiStatus } from './insights/insight-commands.ts';
import type { Clock } from './kernel/clock.ts';
import type { DatabaseFigures } from './kernel/metrics.ts';
import { invalidRequest, Refusal } from './kernel/refusal.ts';
import type { KeyCredentials } from './keys/key-credentials.ts';
import type { FollowQueries, JobQueries, WebhookQueries } from './queries/job-queries.ts';
import { findKeyHolder, isScope } from './queries/key-holder.ts';
import { exportLedger } from './queries/ledger-export.ts';
import type { ProvedEntry } from './queries/ledger-proof.ts';
import type { LongReads } from './queries/long-reads.ts';
import { receiptsOf } from './queries/receipts.ts';
import { statementOf, statementPeriods } from './queries/statements.ts';
import { findTokenHolder } from './queries/token-holder.ts';
import type { AuditState } from './status/audit-state.ts';
import type { InclusionProof, TransparencyLog } from './tlog/transparency-log.ts';

// Edges reach the features and the read models only through the application queries.
export type { Page } from '#projections/list-order.ts';
export type { Bill } from './credits/ledger/bill.ts';
export { availableChangeOf } from './credits/ledger/postings.ts';
export { type PriceBook, priceBookSchema, type Rebilling } from './credits/ledger/price-book.ts';
export { isTerminal, maxGroups } from './jobs/job.ts';
export type * from './queries/job-queries.ts';
export type { KeyHolder } from './queries/key-holder.ts';
export { brokenEntry } from './queries/ledger-proof.ts';
export { type StatementPeriod, statementText } from './queries/statements.ts';
export type { TokenHolder } from './queries/token-holder.ts';
export { measuredOf, type ObjectiveMeasurements } from './status/objective-measurements.ts';
export { failureAlertThreshold, objectivesJson } from './status/objectives.ts';
export type {
  HourOfResponses,
  MinuteOfResponses,
  ServiceRecordStore,
  ServiceRecords,
  Work,
} from './status/service-records.ts';
export type { StatusHistory, StatusNote } from './status/status-history.ts';
export { tlogProofText } from './tlog/transparency-log.ts';
export type { CreditStatus, EntryOrder, ExtractionHealth, Plan, Probe };
export { isScope };

export type UsageReport = UsageSums & {
  readonly plan: PlanKey;
  readonly creditsRemaining: number;
  readonly creditsReserved: number;
  readonly limitPerMinute: number | null;
  /** By contract: nothing is refused for want of credits. */
  readonly isUnlimited: boolean;
  readonly periodDays: number;
};

/** One event of an account's books as its owner may see it, with what proves it. */
export type LedgerEntry = ProvedEntry & {
  readonly position: string;
  readonly occurredAt: string;
  readonly requestId: string | null;
};

/** An entry with the proof that it is in the transparency log. */
export type LedgerProof = InclusionProof & { readonly entry: LedgerEntry };

/** A key as its owner sees it: never its secret, nor a hash of it. Times are RFC 3339. */
export type KeyView = Omit<KeyRow, 'scopes'> & {
  readonly scopes: readonly KeyScope[];
  /** Spent by this key in the present billing period, with what its jobs have set aside. */
  readonly creditsUsed: number;
  /** The same in the window of its cap; null: it has none. */
  readonly capUsed: number | null;
};

export type AccountUsage = UsageReport & {
  readonly credits: CreditStatus;
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly byKey: UsageByKey;
};

/** An authorized application as the owner of the account sees it. Times are RFC 3339. */
export type GrantView = StoredAuthorization & {
  /** Spent and reserved, in all and on this UTC day. */
  readonly creditsUsed: number;
  readonly creditsUsedToday: number;
};

/** Something that was done to an account, by whom. */
export type AccountEventView = Omit<AccountEventRow, 'schemaVersion'>;

/** How the relay of events to a KurrentDB does. Null: it has never run. */
export type RelayReport = {
  /**
   * `behind`: an event waits for a minute or longer. `failing`: the store does not take the next events; they are tried again.
   * `unknown`: the database cannot be asked.
   */
  readonly state: 'not_configured' | 'not_started' | 'ok' | 'behind' | 'failing' | 'unknown';
  /** Every event up to it is acknowledged; decimal. */
  readonly position: string | null;
  readonly lagPositions: number | null;
  readonly lagSeconds: number | null;
  /** For operators: it may name hosts. */
  readonly failure: string | null;
};

/** How the service does. */
type ServiceQueries = {
  /** Each part that readiness depends on; never throws, answers within two seconds. */
  readiness(): Promise<{
    readonly database: 'ok' | 'failed';
    readonly writes: 'ok' | 'failed';
    /** Whole, and written to. */
    readonly eventStore: 'ok' | 'failed';
    /** `no_worker`: what is asked for waits until a worker runs. `failed`: a worker runs and has nothing to take work from. */
    readonly queue: 'ok' | 'no_worker' | 'failed';
    readonly redis: 'ok' | 'failed' | 'not_configured';
  }>;
  /** Whether the database takes writes; callers within some seconds share one probe. */
  isWritable(): Promise<boolean>;
  /** Since when the oldest transaction stands idle that an operator should end; null: none, or it cannot be asked. */
  idleTransactionSince(): Promise<string | null>;
  /** How far each reader of the log is behind, by name; none while the database cannot be asked. */
  lags(): Promise<readonly Omit<DatabaseFigures['lags'][number], 'parkedStreams'>[]>;
  /** What the audit of the ledgers last found; null: it cannot be asked. */
  auditState(): Promise<AuditState | null>;
  /** Of the relay, which is none of the readers above. */
  relay(): Promise<RelayReport>;
};

/** What the queries stand on. */
type QueryParts = ServiceQueries & {
  readonly sql: Sql;
  readonly longRead: LongReads;
  readonly clock: Clock;
  readonly receipts: ReceiptSigning;
  /** The data of an event in today's shape. */
  readonly upcast: (type: string, schemaVersion: number, data: StoredEntry['data']) => StoredEntry['data'];
  readonly engine: Pick<Engine, 'probe' | 'health'>;
  readonly aiStatus: () => AiStatus;
  readonly credentials: KeyCredentials;
  readonly authorizations: AuthorizationStore;
  /** Reads the open book; a little old where `fresh` is false. */
  readonly balanceOf: (accountId: string, options: Freshness) => Promise<Balance>;
  /** Waits until a read model has everything up to a position, at most a second: a reader sees its own writes. */
  readonly caughtUp: (model: 'usage' | 'receipts' | 'keys', position: bigint) => Promise<unknown>;
  readonly accountEvents: (
    accountId: string,
    page: Pick<LedgerPage, 'limit' | 'before'>,
  ) => Promise<{ readonly events: readonly AccountEventView[]; readonly nextBefore: string | null }>;
  readonly isBillingConfigured: boolean;
  /** As the operator describes them. */
  readonly plans: readonly Plan[];
  /** Active keys that an account may have. */
  readonly maxKeys: number;
  /** The transparency log of this service. */
  readonly transparencyLog: () => Promise<TransparencyLog>;
  readonly exportSource: ExportSource;
  readonly jobs: JobQueries & WebhookQueries;
  readonly follows: FollowQueries;
};

/** The application queries. */
export type Queries = ReturnType<typeof wireQueries>;

const maxKeysListed = 500;

/** Every question, wired once. */
export const wireQueries = (parts: QueryParts) => {
  const { engine, isBillingConfigured, plans, maxKeys } = parts;
  const { readiness, isWritable, idleTransactionSince, lags, auditState, relay, aiStatus, accountEvents } = parts;
  const status = ({ plan, remaining }: Balance) => creditStatus(plan, remaining, { isBillingConfigured, plans });

  return {
    ...parts.jobs,
    ...parts.follows,
    ...{ readiness, isWritable, idleTransactionSince, lags, auditState, relay, aiStatus },
    /** Newest first; `before` is the position to go on from. */
    accountEvents,
    plans: () => ({ plans, maxKeys, isBillingConfigured }),
    planOfAccount: async (accountId: string): Promise<Plan> =>
      planOf((await parts.balanceOf(accountId, { fresh: false })).plan, plans),
    accountOverview: async (accountId: string) => {
      const balance = await parts.balanceOf(accountId, { fresh: true });
      const keysActive = (await parts.credentials.activeKeyIds(accountId)).length;
      const webhooks = await parts.jobs.webhooks(accountId);
      return {
        plan: planOf(balance.plan, plans),
        credits: status(balance),
        /** The plan waits for a proof of the mailbox. */
        isProvisional: balance.isProvisional,
        keysActive,
        /** Those that get deliveries. */
        webhooksActive: webhooks.filter(({ isActive }) => isActive).length,
      };
    },
    accountUsage: async (accountId: string, days: number): Promise<AccountUsage> => {
      const { report, balance, rows } = await usageOf(parts, accountId, days);
      return {
        ...report,
        credits: status(balance),
        periodStart: balance.opensAt,
        periodEnd: balance.closesAt,
        byKey: summedByKey(rows),
      };
    },
    /** The newest first, those that are over too; at most 500. */
    keys: keysFor(parts),
    /** The holder of this secret, or null. A secret whose checksum is wrong is refused without a query. */
    findKeyHolder: findKeyHolder(parts),
    /** The application behind this access token, or null. */
    findTokenHolder: findTokenHolder(parts),
    /** The applications that an account has authorized, the newest first; those that are over too; at most 500. */
    grants: async (accountId: string): Promise<readonly GrantView[]> => {
      const { spentByAuthorization } = await parts.balanceOf(accountId, { fresh: true });
      const today = dayOf(parts.clock().toISOString());
      return (await parts.authorizations.listed(accountId)).map((one) => {
        const spent = spentOn(spentByAuthorization, one.authorizationId, today);
        return { ...one, creditsUsed: spent.total, creditsUsedToday: spent.today };
      });
    },
    /** Credits that are left, as this process knows it: what it has charged is counted. Null: without a limit. */
    creditsRemaining: async (accountId: string): Promise<number | null> => {
      const { plan, remaining } = await parts.balanceOf(accountId, { fresh: false });
      return planOf(plan).isUnlimited ? null : Math.max(0, remaining);
    },
    ...auditQueries(parts),
    probe: (): Promise<Probe> => engine.probe(),
    extractionHealth: (): ExtractionHealth => engine.health(),
  };
};

/** What was charged, and what proves it. */
const auditQueries = (parts: QueryParts) => {
  const { sql } = parts;
  const ledgerEntry = async (accountId: string, eventId: string): Promise<LedgerEntry> => {
    const stored = isUuid(eventId) ? await entryById(sql, accountId, eventId) : null;
    if (stored !== null) return toLedgerEntry(stored);
    throw new Refusal('NOT_FOUND', 'This account has no such ledger entry.');
  };
  return {
    /** `asOf` (RFC 3339): what was true then; refuses the future and what was before the account. Null: now. */
    usage: async (accountId: string, days: number, asOf: string | null = null): Promise<UsageReport> =>
      asOf === null
        ? (await usageOf(parts, accountId, days)).report
        : await usageAsOf(parts, accountId, { days, asOf }),
    ledger: ledgerPage(parts),
    /** Credits of an account after these entries, those that are set aside included, by position. */
    balancesAfter: async (accountId: string, positions: readonly string[]): Promise<ReadonlyMap<string, number>> => {
      await parts.caughtUp('receipts', await lastPositionOf(sql, accountId));
      const found = await balancesAt(sql, { accountId, positions });
      return new Map([...found].map(([position, { available, reserved }]) => [position, available + reserved]));
    },
    /** Throws NOT_FOUND. */
    ledgerEntry,
    ledgerProof: ledgerProof(parts, ledgerEntry),
    transparencyLog: parts.transparencyLog,
    exportLedger: exportLedger(parts.exportSource),
    ledgerFeed: ledgerFeed(sql),
    /** The signed receipts of an event, a request or a job. Throws NOT_FOUND. */
    receipts: receiptsOf(parts),
    receiptKeys: parts.receipts.publicKeys,
    /** The billing periods, the newest first. */
    statementPeriods: statementPeriods(parts),
    /** Throws NOT_FOUND. */
    statement: statementOf(parts),
  };
};

/** Refuses a time that is still to come. */
const requirePast = (time: string, now: Date): void => {
  if (time <= now.toISOString()) return;
  throw invalidRequest('as_of is in the future.', { path: 'as_of', code: 'future' });
};

/** Entries that one query reads. */
const entriesPage = 1_000;

/** The usage of an account as it was at a time. A renewal that was due by then counts as written. */
const usageAsOf = async (
  parts: QueryParts,
  accountId: string,
  { days, asOf }: { readonly days: number; readonly asOf: string },
): Promise<UsageReport> => {
  const { sql, clock, balanceOf, caughtUp, longRead } = parts;
  requirePast(asOf, clock());
  await balanceOf(accountId, { fresh: true });
  const newest = await lastPositionOf(sql, accountId);
  await caughtUp('receipts', newest);
  await caughtUp('usage', newest);
  const standing = await standingAt(sql, accountId, asOf);
  if (standing === null) {
    throw invalidRequest('The account was created after as_of.', { path: 'as_of', code: 'before_account' });
  }
  const firstDay = firstDayOf(new Date(asOf), days);
  const rows = await longRead(accountId, () => usageRowsUntil(parts, accountId, { firstDay, asOf }));
  const plan = planKey.options.find((key) => key === standing.plan) ?? 'free';
  return reportOf({ plan, remaining: standing.available, reserved: standing.reserved }, rows, { firstDay, days });
};

/** The rows of usage of whole days, and what the entries of the last day up to `asOf` come to. */
const usageRowsUntil = async (
  { sql, upcast }: Pick<QueryParts, 'sql' | 'upcast'>,
  accountId: string,
  { firstDay, asOf }: { readonly firstDay: string; readonly asOf: string },
): Promise<readonly UsageRow[]> => {
  const day = asOf.slice(0, 10);
  const rows = (await usageSince(sql, accountId, firstDay)).filter((row) => row.day < day);
  for (let last: string | null = null; ; ) {
    const range = { day, asOf, usedSince: day, before: last, limit: entriesPage, order: byInstant };
    const positions: string[] = await filteredPositions(sql, { ...anyEntry, ...range, accountId });
    const entries = await entriesAt(sql, { accountId, positions });
    const events = entries.map(
      ({ type, schemaVersion, data }) =>
        ({ type, data: upcast(type, schemaVersion, data) }) as { type: string } as UsageEvent,
    );
    rows.push(...usageOfEvents(events));
    if (positions.length < entriesPage) return rows;
    last = positions.at(-1) ?? null;
  }
};

const usageOf = async ({ sql, clock, balanceOf, caughtUp, longRead }: QueryParts, accountId: string, days: number) => {
  const balance = await balanceOf(accountId, { fresh: true });
  await caughtUp('usage', await lastPositionOf(sql, accountId));
  const firstDay = firstDayOf(clock(), days);
  const rows = await longRead(accountId, () => usageSince(sql, accountId, firstDay));
  return { report: reportOf(balance, rows, { firstDay, days }), balance, rows };
};

const reportOf = (
  { plan, remaining, reserved }: Pick<Balance, 'plan' | 'remaining' | 'reserved'>,
  rows: readonly UsageRow[],
  { firstDay, days }: { readonly firstDay: string; readonly days: number },
): UsageReport => ({
  plan,
  creditsRemaining: Math.max(0, remaining),
  creditsReserved: reserved,
  limitPerMinute: planOf(plan).limitPerMinute,
  isUnlimited: planOf(plan).isUnlimited,
  periodDays: days,
  ...summed(rows, firstDay, days),
});

const keysFor =
  ({ sql, clock, balanceOf, caughtUp }: QueryParts) =>
  async (accountId: string): Promise<readonly KeyView[]> => {
    await caughtUp('keys', await headPosition(sql));
    const balance = await balanceOf(accountId, { fresh: true });
    const at = clock().toISOString();
    const rows = await keysOf(sql, accountId, maxKeysListed);
    return rows.map((row) => ({
      ...row,
      scopes: row.scopes.filter(isScope),
      creditsUsed: balance.spentByKey.get(row.keyId) ?? 0,
      capUsed: row.capCredits === null ? null : spentInWindow(balance, row.keyId, row.capPeriod, at).spent,
    }));
  };

/** A page of the ledger, which follows the entry at `before`; the newest first unless `order` says otherwise. */
type LedgerPage = Partial<EntryFilter> & {
  readonly limit: number;
  readonly before: string | null;
  readonly order?: EntryOrder;
};

const ledgerPage =
  ({ sql, clock, caughtUp, longRead }: QueryParts) =>
  async (
    accountId: string,
    { limit, before, order = newestFirst, ...filter }: LedgerPage,
  ): Promise<{ readonly entries: readonly LedgerEntry[]; readonly nextBefore: string | null }> => {
    const wanted = { ...anyEntry, ...filter };
    const isWhole = Object.values(wanted).every((one) => one === null);
    if (wanted.asOf !== null) requirePast(wanted.asOf, clock());
    const read = async (limit: number): Promise<StoredEntry[]> => {
      if (isWhole && order.by === 'time' && order.isDescending) return entriesBefore(sql, { accountId, before, limit });
      await caughtUp('receipts', await lastPositionOf(sql, accountId));
      const find = () => filteredPositions(sql, { accountId, before, limit, order, ...wanted });
      // The entries of a request are few, and have an index.
      const positions = wanted.requestId === null ? await longRead(accountId, find) : await find();
      const found = await entriesAt(sql, { accountId, positions });
      const byPosition = new Map(found.map((entry) => [String(entry.position), entry]));
      return positions.flatMap((position) => byPosition.get(position) ?? []);
    };
    const { rows: entries, nextBefore } = await readPage(limit, async (most) => (await read(most)).map(toLedgerEntry));
    return { entries, nextBefore };
  };

/** An entry with the proof that it is in the log. Throws NOT_FOUND, and PROOF_PENDING until it is in a checkpoint. */
const ledgerProof =
  (
    { transparencyLog }: Pick<QueryParts, 'transparencyLog'>,
    ledgerEntry: (accountId: string, eventId: string) => Promise<LedgerEntry>,
  ) =>
  async (accountId: string, eventId: string): Promise<LedgerProof> => {
    const entry = await ledgerEntry(accountId, eventId);
    const log = await transparencyLog();
    return { entry, ...(await log.prove(accountId, BigInt(entry.position))) };
  };

/** Entries after a position, oldest first. Throws INVALID_REQUEST where the account has no entry there. */
const ledgerFeed =
  (sql: Sql) =>
  async (
    accountId: string,
    { after, limit }: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly LedgerEntry[]> => {
    const stored = await entriesAfter(sql, { accountId, after, limit });
    if (stored !== null) return stored.map(toLedgerEntry);
    throw invalidRequest('The cursor does not belong to this feed.', { path: 'cursor', code: 'invalid_value' });
  };

/** An entry as its owner sees it. */
export const toLedgerEntry = (stored: StoredEntry): LedgerEntry => {
  const { chain, ...meta } = stored.meta;
  const { occurred_at: occurredAt, request_id: requestId } = meta;
  const link = chain as { prev_hash: string; hash: string };
  return {
    id: stored.id,
    type: stored.type,
    stream: stored.stream,
    version: String(stored.version),
    position: String(stored.position),
    occurredAt: String(occurredAt),
    requestId: typeof requestId === 'string' ? requestId : null,
    schemaVersion: stored.schemaVersion,
    data: stored.data,
    meta,
    prevHash: link.prev_hash,
    hash: link.hash,
  };
};
