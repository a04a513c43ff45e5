import type { Pool } from 'pg';
import {
  type IdempotencyOutcome,
  type IdempotencyScope,
  type IdempotencyStore,
  idempotencyHours,
  placeOfAnswer,
  type StoredAnswer,
} from '../../edges/http/middleware/idempotency-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newUuid } from '../../kernel/ids.ts';
import { type KeyRing, keyBehind } from '../../kernel/key-ring.ts';
import { every } from '../../kernel/repeat.ts';
import { seal, unseal } from '../../kernel/sealed-box.ts';

/** Retention of a key. */
const keptFor = `${idempotencyHours} hours`;
/** A process that has not renewed its lease for this long counts as dead. */
const leaseMs = 5_000;
const heartbeatMs = 1_500;
const sweepMs = 600_000;
const sweepRows = 1_000;
/** Stored bytes per account, UTC day and process; beyond it, a repeat does the work again. */
const keptBytesPerDay = 256 * 1024 * 1024;

/**
 * Idempotency keys in Postgres, whose clock decides for all processes. While a process works under a key it renews its
 * lease; when it dies, the next attempt may begin after 5 s and gets the same deduplication key. Expired keys are deleted
 * every ten minutes, 1,000 rows at a time. Disposing it stops both timers.
 *
 * Responses are stored encrypted, because one may hold a secret that is shown once. A response that no key does
 * decrypt (it is lost) is discarded, and the work is done again under the same deduplication key.
 */
export const postgresIdempotency = ({
  pool,
  answerKeys,
  clock,
  keptBytesPerAccount = keptBytesPerDay,
  onFailure,
}: {
  readonly pool: Pool;
  readonly answerKeys: KeyRing;
  readonly clock: Clock;
  /** Per day. Above it a response is not stored; a repeat does the work again but is charged once all the same. */
  readonly keptBytesPerAccount?: number;
  /** Called for the first of several failures of the heartbeat or the sweep; both retry. */
  readonly onFailure: (error: unknown) => void;
}): IdempotencyStore & AsyncDisposable & { sweep(): Promise<number> } => {
  const owner = newUuid();
  /**
   * The running operations by key. The lease of an operation that has ended is not renewed, whether its response was
   * stored or not.
   */
  const running = new Set<string>();
  const isWithinDay = dailyAllowance(clock, keptBytesPerAccount);
  const sweep = async () => (await pool.query(removeExpired, [sweepRows])).rowCount ?? 0;
  const background = [
    every(heartbeatMs, onFailure, async () => {
      if (running.size > 0) await pool.query(renewLeases, [owner, leaseMs, [...running]]);
    }),
    every(sweepMs, onFailure, sweep),
  ];

  return {
    async begin(scope, fingerprint) {
      const outcome = await begin({ pool, answerKeys, owner }, scope, fingerprint);
      if (outcome.outcome === 'begun') running.add(outcome.deduplicationKey);
      return outcome;
    },
    async complete(scope, deduplicationKey, answer) {
      running.delete(deduplicationKey);
      if (answer === null || !isWithinDay(scope.accountId, answer.body.length)) {
        await pool.query(markSent, [...valuesOf(scope), deduplicationKey]);
        return;
      }
      const { status, headers, body } = answer;
      await pool.query(storeAnswer, [
        ...valuesOf(scope),
        deduplicationKey,
        status,
        JSON.stringify(headers),
        seal(body, answerKeys.current.bytes, placeOfAnswer(scope, deduplicationKey)),
        answerKeys.current.id,
      ]);
    },
    async release(scope, deduplicationKey) {
      running.delete(deduplicationKey);
      await pool.query(endLease, [...valuesOf(scope), deduplicationKey, owner]);
    },
    async forget(scope, deduplicationKey) {
      running.delete(deduplicationKey);
      const values = [...valuesOf(scope), deduplicationKey, owner];
      const { rowCount } = await pool.query(forgetAttempt, values);
      const isForgotten = rowCount === 1;
      if (!isForgotten) await pool.query(endLease, values);
      return isForgotten;
    },
    sweep,
    async [Symbol.asyncDispose]() {
      await Promise.all(background.map((work) => work[Symbol.asyncDispose]()));
    },
  };
};

/** Counts bytes per account and UTC day in this process; returns whether these are still allowed. */
const dailyAllowance = (clock: Clock, limit: number) => {
  const spent = new Map<string, number>();
  let day = '';
  return (accountId: string, bytes: number): boolean => {
    const today = clock().toISOString().slice(0, 10);
    if (today !== day) spent.clear();
    day = today;
    const total = (spent.get(accountId) ?? 0) + bytes;
    if (total > limit) return false;
    spent.set(accountId, total);
    return true;
  };
};

const valuesOf = ({ accountId, route, key }: IdempotencyScope): string[] => [accountId, route, key];

type IdempotencyRow = {
  fingerprint: string;
  deduplicationKey: string;
  waitS: number;
  status: number | null;
  headers: Record<string, string> | null;
  body: Buffer | null;
  keyId: string | null;
};

const begin = async (
  { pool, answerKeys, owner }: { readonly pool: Pool; readonly answerKeys: KeyRing; readonly owner: string },
  scope: IdempotencyScope,
  fingerprint: string,
): Promise<IdempotencyOutcome> => {
  const values = valuesOf(scope);
  // Between the two statements the row may expire and be deleted; then the first one succeeds.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const taken = await pool.query<{ deduplicationKey: string; wasAnswered: boolean }>(takeLease, [
      ...values,
      fingerprint,
      newUuid(),
      owner,
      leaseMs,
      keptFor,
    ]);
    const [mine] = taken.rows;
    if (mine !== undefined) return { outcome: 'begun', ...mine };
    const [held] = (await pool.query<IdempotencyRow>(readHeld, values)).rows;
    if (held === undefined) continue;
    const place = placeOfAnswer(scope, held.deduplicationKey);
    const key = keyBehind(answerKeys, held.keyId);
    const outcome = outcomeOf(held, fingerprint, (body) => (key === null ? null : unseal(body, key.bytes, place)));
    if (outcome !== 'unreadable') return outcome;
    await pool.query(forgetAnswer, [...values, held.deduplicationKey, held.body]);
  }
  return { outcome: 'in_progress', retryAfterS: 1 };
};

const outcomeOf = (
  { fingerprint: held, waitS, status, headers, body }: IdempotencyRow,
  fingerprint: string,
  open: (body: Buffer) => StoredAnswer['body'] | null,
): IdempotencyOutcome | 'unreadable' => {
  if (held !== fingerprint) return { outcome: 'reused' };
  if (status === null || headers === null || body === null) {
    return { outcome: 'in_progress', retryAfterS: Math.max(Math.ceil(waitS), 1) };
  }
  const shown = open(body);
  if (shown === null) return 'unreadable';
  return { outcome: 'answered', answer: { status, headers, body: shown } };
};

/** Takes the lease of a key that is new or expired, or whose process is dead or released it. */
const takeLease = `
  INSERT INTO idempotency_keys AS held
    (account_id, route, key, fingerprint, operation_key, owner, leased_until, expires_at)
  VALUES
    ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 ms', now() + $8::interval)
  ON CONFLICT ON CONSTRAINT idempotency_keys_pkey DO UPDATE
  SET
    fingerprint = excluded.fingerprint,
    operation_key =
      CASE WHEN held.expires_at <= now() THEN excluded.operation_key ELSE held.operation_key END,
    owner = excluded.owner,
    leased_until = excluded.leased_until,
    expires_at = CASE WHEN held.expires_at <= now() THEN excluded.expires_at ELSE held.expires_at END,
    status = NULL,
    was_answered = held.was_answered AND held.expires_at > now(),
    attempts = CASE WHEN held.expires_at <= now() THEN 1 ELSE held.attempts + 1 END,
    headers = NULL,
    body = NULL
  WHERE held.expires_at <= now()
    OR (
      held.status IS NULL
      AND held.leased_until <= now()
      AND held.fingerprint = excluded.fingerprint
    )
  RETURNING operation_key AS "deduplicationKey", was_answered AS "wasAnswered"`;

const readHeld = `
  SELECT fingerprint, operation_key AS "deduplicationKey", status, headers, body, secret_id AS "keyId",
    extract(epoch FROM leased_until - now())::float8 AS "waitS"
  FROM idempotency_keys
  WHERE account_id = $1 AND route = $2 AND key = $3 AND expires_at > now()`;

/** The first stored response stays, even if a process that counted as dead stores a second one. */
const storeAnswer = `
  UPDATE idempotency_keys
  SET status = $5, headers = $6, body = $7, secret_id = $8, owner = ''
  WHERE account_id = $1 AND route = $2 AND key = $3 AND operation_key = $4 AND status IS NULL`;

const markSent = `
  UPDATE idempotency_keys
  SET was_answered = true, leased_until = now(), owner = ''
  WHERE account_id = $1 AND route = $2 AND key = $3 AND operation_key = $4 AND status IS NULL`;

const forgetAnswer = `
  UPDATE idempotency_keys
  SET
    was_answered = true,
    status = NULL,
    headers = NULL,
    body = NULL,
    leased_until = now(),
    owner = ''
  WHERE account_id = $1 AND route = $2 AND key = $3 AND operation_key = $4 AND body = $5`;

const endLease = `
  UPDATE idempotency_keys
  SET leased_until = now(), owner = ''
  WHERE account_id = $1 AND route = $2 AND key = $3 AND operation_key = $4
    AND owner = $5 AND status IS NULL`;

const forgetAttempt = `
  DELETE FROM idempotency_keys
  WHERE account_id = $1 AND route = $2 AND key = $3 AND operation_key = $4
    AND owner = $5 AND status IS NULL AND attempts = 1`;

const renewLeases = `
  UPDATE idempotency_keys
  SET leased_until = now() + $2 * interval '1 ms'
  WHERE owner = $1 AND operation_key = ANY ($3) AND status IS NULL`;

const removeExpired = `
  DELETE FROM idempotency_keys
  WHERE (account_id, route, key) IN (
    SELECT account_id, route, key
    FROM idempotency_keys
    WHERE expires_at <= now()
    ORDER BY expires_at
    LIMIT $1
    FOR UPDATE SKIP LOCKED
  )`;
