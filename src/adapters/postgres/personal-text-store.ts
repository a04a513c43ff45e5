import { createHmac } from 'node:crypto';
import type { Event } from '@event-driven-io/emmett';
import type { Pool } from 'pg';
import type {
  Append,
  EventLog,
  LockedOptions,
  NewEvent,
  ReadOptions,
  RecordedEvent,
  Transaction,
} from '../../eventlog/event-log.ts';
import { Refusal } from '../../kernel/refusal.ts';

/**
 * Event types that an erased account refuses. For each, the fields that hold text typed by the owner, and the value
 * that replaces the text after an erasure. The account is `accountId` in the data, or else `account_id` in the meta.
 */
export type PersonalTextFields = Readonly<Record<string, Readonly<Record<string, string | null>>>>;

type Deps = {
  readonly pool: Pool;
  /** 32 bytes: without it, a guess at a text cannot be compared with its reference. */
  readonly key: Uint8Array;
  readonly personalTextFields: PersonalTextFields;
};

const reference = /^wrd_[0-9a-f]{32}$/;

/**
 * An event log that stores text typed by owners in a table of its own, in the transaction of the append, so that it can
 * be erased. Events hold references, which reading a stream resolves; `readAll` and subscriptions return references.
 * An event that holds the text itself is read as it is.
 *
 * Appending `personalTextFields` of an erased account throws UNAUTHENTICATED, or INVALID_API_KEY for a key.
 */
export const withPersonalTexts = <Log extends EventLog>(log: Log, deps: Deps): Log => ({
  ...log,
  append: (appends, options) => {
    const typed = extractTexts(deps, appends);
    if (typed.owners.size === 0) return log.append(appends, options);
    return log.append(typed.appends, {
      ...options,
      within: async (transaction) => {
        await keep(transaction, typed);
        await options?.within?.(transaction);
      },
    });
  },
  appendLocked: <E extends Event = Event>(
    stream: string,
    from: bigint,
    decide: (tail: readonly RecordedEvent<E>[]) => readonly Append[],
    { reading = async (_, tail) => tail, within }: LockedOptions<E> = {},
  ) => {
    let typed: ExtractedTexts = nothing;
    const decideOnTexts = (tail: readonly RecordedEvent<E>[]): readonly Append[] => {
      typed = extractTexts(deps, decide(tail));
      return typed.appends;
    };
    return log.appendLocked<E>(stream, from, decideOnTexts, {
      reading: async (transaction, tail) => await reading(transaction, await readable(transaction, deps, tail)),
      within: async (transaction) => {
        await keep(transaction, typed);
        await within?.(transaction);
      },
    });
  },
  read: async <E extends Event = Event>(stream: string, options?: ReadOptions) =>
    readable(deps.pool, deps, await log.read<E>(stream, options)),
});

type ExtractedTexts = {
  readonly appends: readonly Append[];
  /** The actor by account, for accounts whose erasure makes the append fail. */
  readonly owners: ReadonlyMap<string, NewEvent['meta']['actor']>;
  readonly words: ReadonlyMap<string, { readonly accountId: string; readonly text: string }>;
};

const nothing: ExtractedTexts = { appends: [], owners: new Map(), words: new Map() };

const extractTexts = ({ personalTextFields, key }: Deps, appends: readonly Append[]): ExtractedTexts => {
  const owners = new Map<string, NewEvent['meta']['actor']>();
  const words = new Map<string, { accountId: string; text: string }>();
  const referring = (event: NewEvent): NewEvent => {
    const fields = personalTextFields[event.type];
    const accountId = event.data['accountId'] ?? event.meta.account_id;
    if (fields === undefined || typeof accountId !== 'string') return event;
    const typed = Object.keys(fields).flatMap((field) => {
      const text = event.data[field];
      if (typeof text !== 'string' || text === '') return [];
      const hash = createHmac('sha256', key).update(`${accountId}\0${text}`).digest('hex');
      const wordId = `wrd_${hash.slice(0, 32)}`;
      words.set(wordId, { accountId, text });
      return [[field, wordId] as const];
    });
    owners.set(accountId, event.meta.actor);
    return { ...event, data: { ...event.data, ...Object.fromEntries(typed) } };
  };
  const kept = appends.map((append) => ({ ...append, events: append.events.map(referring) }));
  return { appends: kept, owners, words };
};

/** Two statements, because the second must see an erasure that committed while the first waited for its lock. */
const keep = async (transaction: Transaction, { owners, words }: ExtractedTexts): Promise<void> => {
  for (const [accountId, actor] of owners) {
    await transaction.query(lockShared, [accountId]);
    const own = [...words].filter(([, word]) => word.accountId === accountId);
    const { rows } = await transaction.query<{ is_erased: boolean }>(keepUnlessErased, [
      accountId,
      own.map(([wordId]) => wordId),
      own.map(([, { text }]) => text),
    ]);
    if (rows[0]?.is_erased !== false) throw erasedAccount(actor?.type);
  }
};

const erasedAccount = (actor: string | undefined): Refusal =>
  actor === 'key'
    ? new Refusal('INVALID_API_KEY', 'The API key is missing or not valid.')
    : new Refusal('UNAUTHENTICATED', 'Sign in required.');

/** The events with the texts in place of the references. */
export const readable = async <Shown extends Pick<RecordedEvent, 'type' | 'data'>>(
  by: Transaction,
  { personalTextFields }: Pick<Deps, 'personalTextFields'>,
  events: readonly Shown[],
): Promise<readonly Shown[]> => {
  const wordIds = events.flatMap(({ type, data }) =>
    Object.keys(personalTextFields[type] ?? {})
      .map((field) => data[field])
      .filter(isReference),
  );
  if (wordIds.length === 0) return events;
  const { rows } = await by.query<{ word_id: string; text: string }>(
    'SELECT word_id, text FROM account_words WHERE word_id = ANY ($1)',
    [wordIds],
  );
  const texts = new Map(rows.map(({ word_id, text }) => [word_id, text]));
  return events.map((event) => {
    const data: Record<string, unknown> = { ...event.data };
    for (const [field, erased] of Object.entries(personalTextFields[event.type] ?? {})) {
      const kept = data[field];
      if (isReference(kept)) data[field] = texts.get(kept) ?? erased;
    }
    return { ...event, data };
  });
};

const isReference = (kept: unknown): kept is string => typeof kept === 'string' && reference.test(kept);

/**
 * Refuses `personalTextFields` of an account from now on. When this resolves, those appended before are committed, so an
 * erasure that reads them afterwards sees all of them and nothing is added to them.
 */
export const blockAppends = async (pool: Pool, accountId: string): Promise<void> => {
  await pool.query(
    `INSERT INTO erased_accounts (account_id)
     SELECT $1 FROM pg_advisory_xact_lock(20261122, hashtext($1))
     ON CONFLICT DO NOTHING`,
    [accountId],
  );
};

/** Reverts `blockAppends`, unless the account was erased meanwhile. */
export const unblockAppends = async (pool: Pool, accountId: string): Promise<void> => {
  await pool.query(
    `DELETE FROM erased_accounts
     WHERE account_id = $1 AND EXISTS (SELECT FROM account_profiles WHERE account_id = $1)`,
    [accountId],
  );
};

/** Erases the texts of an account, in the transaction of the erasure. */
export const erasePersonalTextsIn = async (transaction: Transaction, accountId: string): Promise<void> => {
  await transaction.query('DELETE FROM account_words WHERE account_id = $1', [accountId]);
  await transaction.query('INSERT INTO erased_accounts (account_id) VALUES ($1) ON CONFLICT DO NOTHING', [accountId]);
};

const lockShared = 'SELECT pg_advisory_xact_lock_shared(20261122, hashtext($1))';

const keepUnlessErased = `
  WITH erased AS (
    SELECT EXISTS (SELECT FROM erased_accounts WHERE account_id = $1) AS is_erased
  ), kept AS (
    INSERT INTO account_words (word_id, account_id, text)
    SELECT word.id, $1, word.text
    FROM unnest($2::text[], $3::text[]) AS word (id, text), erased
    WHERE NOT is_erased
    ON CONFLICT DO NOTHING
  )
  SELECT is_erased FROM erased`;
