import type { Sql } from 'postgres';
import { entriesAt, entryById, lastPositionOf, type StoredEntry } from '#projections/ledger-entries.ts';
import { anyEntry, balancesAt, chargedPositionsOfJob, filteredPositions } from '#projections/receipts.ts';
import type { CreditsCharged, ReservationSettled } from '../credits/credits.ts';
import type { ReceiptSigning } from '../credits/receipt-signing.ts';
import { isUuid } from '../eventlog/append/serialize-appends.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { Refusal } from '../kernel/refusal.ts';
import { rowsUpTo } from '../kernel/rows-up-to.ts';

/** What a receipt says; credits of the balance include those that are set aside for jobs. */
export type ReceiptPayload = ReturnType<typeof payloadOf>;

export type SignedReceipt = { readonly payload: ReceiptPayload; readonly jws: string };

export type ReceiptsPage = { readonly receipts: readonly SignedReceipt[]; readonly nextCursor: string | null };

type Parts = {
  readonly sql: Sql;
  readonly caughtUp: (model: 'receipts', position: bigint) => Promise<unknown>;
  readonly receipts: ReceiptSigning;
  readonly upcast: (type: string, schemaVersion: number, data: StoredEntry['data']) => StoredEntry['data'];
};

const isJobId = (text: string): boolean => /^job_[0-9a-f]{32}$/.test(text);

/** Receipts of one request at most: a batch has fifty charges. */
const maxPerRequest = 1_000;

/**
 * The signed receipts of an event, a request or a job of the account, in the order of the charges. Throws NOT_FOUND for what
 * was not charged and for what is of another account, INVALID_REQUEST for a cursor that is none.
 */
export const receiptsOf =
  (parts: Parts) =>
  async (
    accountId: string,
    { id, cursor, limit }: { readonly id: string; readonly cursor: string | null; readonly limit: number },
  ): Promise<ReceiptsPage> => {
    const { sql, receipts } = parts;
    const { rows: page, hasMore } = await rowsUpTo(limit, async (most) =>
      (await entriesNamed(parts, accountId, { id, cursor, limit: most })).filter(isCharge),
    );
    if (page.length === 0 && cursor === null)
      throw new Refusal('NOT_FOUND', 'This account has no charge with this id.');
    const positions = page.map(({ position }) => String(position));
    const balances = await balancesAt(sql, { accountId, positions });
    const signed = page.map(async (entry): Promise<SignedReceipt> => {
      const balance = balances.get(String(entry.position));
      if (balance === undefined) {
        throw new Refusal('SERVICE_UNAVAILABLE', 'The receipt is not ready yet. Try again.', null, 1);
      }
      const data = parts.upcast(entry.type, entry.schemaVersion, entry.data) as ChargeData;
      const payload = payloadOf(entry, data, balance.available + balance.reserved);
      return { payload, jws: await receipts.sign(canonicalJson(payload)) };
    });
    const nextCursor = hasMore ? (positions.at(-1) ?? null) : null;
    return { receipts: await Promise.all(signed), nextCursor };
  };

type ChargeData = CreditsCharged['data'] | ReservationSettled['data'];

const isCharge = ({ type }: StoredEntry): boolean => type === 'CreditsCharged' || type === 'ReservationSettled';

const entriesNamed = async (
  { sql, caughtUp }: Parts,
  accountId: string,
  { id, cursor, limit }: { readonly id: string; readonly cursor: string | null; readonly limit: number },
): Promise<readonly StoredEntry[]> => {
  await caughtUp('receipts', await lastPositionOf(sql, accountId));
  const known = isUuid(id) ? await entryById(sql, accountId, id) : null;
  if (known !== null) return [known];
  const positions = isJobId(id)
    ? await chargedPositionsOfJob(sql, { accountId, jobId: id, after: cursor, limit })
    : await filteredPositions(sql, { ...anyEntry, accountId, requestId: id, before: null, limit: maxPerRequest });
  const entries = (await entriesAt(sql, { accountId, positions })).toReversed();
  return cursor === null ? entries : entries.filter(({ position }) => position > BigInt(cursor));
};

/** Every member is there; null: there is nothing to say. `after`: the balance after the charge. */
const payloadOf = ({ id, meta }: StoredEntry, data: ChargeData, after: number) => ({
  account_id: data.accountId,
  key_id: data.keyId,
  grant_id: data.authorizationId ?? null,
  operation: data.operation,
  video_id: data.videoId,
  format: data.format ?? null,
  options: data.options ?? null,
  content_sha256: data.contentSha256 ?? null,
  price_book: data.priceBook,
  credits: data.amount,
  balance_before: after + data.amount,
  balance_after: after,
  event_id: id,
  event_hash: hashIn(meta),
  charged_at: data.at,
  request_id: data.requestId,
  cost_tag: data.costTag ?? null,
});

const hashIn = ({ chain }: StoredEntry['meta']): string => (chain as { readonly hash: string }).hash;
