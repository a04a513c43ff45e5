import { entriesOf, headPosition } from '#projections/ledger-entries.ts';
import { type AuditFinding, type AuditSubject, postgresAudit } from '../adapters/postgres/audit-postgres.ts';
import { postgresTransparencyLog } from '../adapters/postgres/transparency-log-postgres.ts';
import type { EventLink } from '../eventlog/read/read-events.ts';
import { elapsedMs } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { pacer } from '../kernel/pacer.ts';
import { every } from '../kernel/repeat.ts';
import { leafProblem } from '../tlog/leaf-audit.ts';
import type { LogStore } from '../tlog/transparency-log.ts';
import type { ApplicationCore } from './application-core.ts';
import { leafOf, ledgerLinks } from './open-transparency-log.ts';
import { verifyAccount } from './verify-account.ts';

type Parts = Pick<ApplicationCore, 'sql' | 'log' | 'pool'>;

/** Entries that one look follows, and those that it compares again. */
const entriesAtOnce = 2_000;
/** Subjects that did not match and are compared again in one look. */
const againAtOnce = 100;

/** Entries of ledgers up to `upTo`, which are in the transparency log; `end`: up to where they were read. */
type Batch = { readonly after: bigint; readonly end: bigint; readonly events: readonly EventLink[] };

const batchAfter = async ({ log }: Parts, after: bigint, upTo: bigint): Promise<Batch> => {
  if (after >= upTo) return { after, end: after, events: [] };
  const { events, safeUpTo } = await log.readLinks({ after, limit: entriesAtOnce, ...ledgerLinks });
  const end = safeUpTo < upTo ? safeUpTo : upTo;
  return { after, end, events: events.filter(({ position }) => position <= end) };
};

const leavesOf = async (store: LogStore, { after, end, events }: Batch): Promise<AuditFinding> => {
  const first = (await store.bundleAround(after))?.index ?? 0;
  const bundles = await store.bundlesUpTo(first, end);
  const tiles = await store.tiles(bundles.map(({ index }) => ({ level: 0, index })));
  const entries = events.flatMap(leafOf);
  const salts = await store.salts([...new Set(entries.map(({ accountId }) => accountId))]);
  const message = leafProblem(entries, { bundles, tiles, salts, range: { after, upTo: end } });
  return { what: 'leaves', subject: String(after), message };
};

const accountsIn = (events: readonly EventLink[]): readonly string[] => [
  ...new Set(events.flatMap(leafOf).map(({ accountId }) => accountId)),
];

/** Lets an audit rest. */
type Pacer = ReturnType<typeof pacer>;

const booksOf = async (
  parts: Parts,
  accountId: string,
  { signal, pace }: { readonly signal: AbortSignal; readonly pace: Pacer },
): Promise<AuditFinding> => {
  const entries = pace.paced(entriesOf(parts.sql, accountId));
  const { events, problems } = await verifyAccount(parts, accountId, signal, entries);
  const [first] = problems;
  const message = events === 0 ? 'it has no entries' : (first?.message ?? null);
  return { what: 'books', subject: accountId, message };
};

/**
 * Compares, for every account with new entries, the fold of its ledger with its balances, its usage and its statement, and the
 * entries with the leaves of the transparency log; then what did not match before, and a further part of all entries. Null:
 * another worker is at it. Answers what did match until now.
 */
export const audit = async (
  parts: Parts,
  { apartMs, signal, pace }: { readonly apartMs: number; readonly signal: AbortSignal; readonly pace: Pacer },
): Promise<readonly AuditSubject[] | null> => {
  const [store, states] = [postgresTransparencyLog(parts), postgresAudit(parts)];
  const progress = await states.begin(apartMs);
  if (progress === null) return null;
  // Another worker that begins meanwhile does the same again, and no harm.
  await using _ = every(apartMs / 2, () => {}, states.renew);
  // What is not in the transparency log yet is compared when it is.
  const logged = (await store.head())?.position ?? 0n;
  const touched = await batchAfter(parts, progress.position, logged);
  const isSwept = progress.sweptPosition >= touched.end;
  const swept = await batchAfter(parts, isSwept ? 0n : progress.sweptPosition, touched.end);
  const newest = touched.events.at(-1)?.position ?? 0n;
  if ((await headPosition(parts.sql)) < newest) throw new Error('the database that is read from is behind');
  const before = await states.mismatched(againAtOnce);
  const againAfter = before.flatMap(({ what, subject }) => (what === 'leaves' ? [BigInt(subject)] : []));
  const again = await Promise.all(againAfter.map((after) => batchAfter(parts, after, logged)));

  const accounts = new Set([
    ...accountsIn(touched.events),
    // Once for each book, however many entries it has.
    ...accountsIn(swept.events.filter(({ type }) => type === 'BookOpened')),
    ...before.flatMap(({ what, subject }) => (what === 'books' ? [subject] : [])),
  ]);
  const batches = new Map([touched, swept, ...again].map((batch) => [batch.after, batch]));
  const findings: AuditFinding[] = [];
  for (const batch of batches.values()) findings.push(await leavesOf(store, batch));
  for (const accountId of accounts) findings.push(await booksOf(parts, accountId, { signal, pace }));
  return await states.end(findings, { position: touched.end, sweptPosition: swept.end });
};

/** Shares of the time of one core that the auditor takes at most: in all, and while it walks through ledgers. */
const [share, shareAtOnce] = [0.1, 0.25];

/** Audits every `everyMs`, one worker at a time, and says in the log what does not match. */
export const auditRegularly = (
  parts: Parts,
  { everyMs, logger }: { readonly everyMs: number; readonly logger: Pick<Logger, 'warn' | 'error'> },
): AsyncDisposable => {
  let restsUntilMs = 0;
  const failed = (error: unknown, signal: AbortSignal): void => {
    if (!signal.aborted) logger.warn('the ledgers were not audited', { error });
  };
  const regular = every(everyMs, failed, async (signal) => {
    const begunMs = elapsedMs();
    if (begunMs < restsUntilMs) return;
    const pace = pacer({ share: shareAtOnce, signal });
    for (const { what, subject } of (await audit(parts, { apartMs: everyMs / 2, signal, pace })) ?? []) {
      logger.error('the audit found a mismatch: see steno verify', { what, subject });
    }
    const workedMs = elapsedMs() - begunMs - pace.restedMs();
    restsUntilMs = begunMs + workedMs / share;
  });
  regular.run();
  return regular;
};
