import type { Pool } from 'pg';
import { canonicalOf, mailboxHash } from '../../../accounts/email-address.ts';
import { lostPassword, type PasswordKeys, sealPassword } from '../../../accounts/password/stored-password.ts';
import { placeOfAnswer } from '../../../edges/http/middleware/idempotency-store.ts';
import { columnsOf, inTransaction } from '../../../eventlog/connection.ts';
import type { Transaction } from '../../../eventlog/event-log.ts';
import { type KeyRing, keyBehind } from '../../../kernel/key-ring.ts';
import { seal, unseal } from '../../../kernel/sealed-box.ts';
import {
  derivedSecret,
  type KeptSecret,
  keepSecrets,
  openSecret,
  type SealedSecret,
  type WebhookSecretKeys,
} from './webhook-secrets.ts';

/** The keys of everything that is stored. */
export type StoredKeys = {
  readonly mailboxes: KeyRing;
  readonly passwords: PasswordKeys;
  readonly webhookSecrets: WebhookSecretKeys;
  readonly answers: KeyRing;
};

/** An account as far as keys are concerned. */
export type KeyedAccount = {
  readonly accountId: string;
  readonly email: string;
  readonly mailboxHash: string;
  readonly password: string;
  readonly keyId: string | null;
  readonly passwordKeyId: string | null;
};

export const keyedAccountColumns = `account_id AS "accountId", email, mailbox_hash AS "mailboxHash",
  password_hash AS password, secret_id AS "keyId", password_secret_id AS "passwordKeyId"`;

/** Rows that are not made with the current key. */
export type FormerRows = { readonly accounts: number; readonly secrets: number; readonly answers: number };

/** Counts the rows that are not made with the key `keyId`; expired responses do not count. */
export const formerRows = async (by: Transaction, keyId: string): Promise<FormerRows> => {
  const { rows } = await by.query<FormerRows>(
    `SELECT
       (SELECT count(*)::int FROM account_profiles
         WHERE secret_id IS DISTINCT FROM $1 OR password_secret_id IS DISTINCT FROM $1) AS accounts,
       (SELECT count(*)::int FROM webhook_secrets WHERE secret_id <> $1) AS secrets,
       (SELECT count(*)::int FROM idempotency_keys
         WHERE body IS NOT NULL AND expires_at > now() AND secret_id IS DISTINCT FROM $1) AS answers`,
    [keyId],
  );
  return rows[0] ?? { accounts: 0, secrets: 0, answers: 0 };
};

/** The number of rows of a batch, and where the next one begins; null: there is none. */
type Batch<Place> = { readonly count: number; readonly last: Place | null };

const accountsPerBatch = 100;
const rowsPerBatch = 50;

/**
 * Makes accounts anew with the current key, in one transaction: hashes of mailboxes, passwords, and the signing secrets of
 * the generations that `generationsOf` names. Rows that another process holds are left to the next run.
 */
export const replaceAccountKeys = (
  pool: Pool,
  keys: StoredKeys,
  generationsOf: (accountId: string) => Promise<readonly Pick<KeptSecret, 'ownerId' | 'generation'>[]>,
  after: string,
): Promise<Batch<string>> =>
  inTransaction(pool, async (client) => {
    const { id } = keys.mailboxes.current;
    const { rows } = await client.query<KeyedAccount>(
      `SELECT ${keyedAccountColumns}
         FROM account_profiles
        WHERE account_id > $1 AND (secret_id IS DISTINCT FROM $2 OR password_secret_id IS DISTINCT FROM $2)
        ORDER BY account_id
        LIMIT ${accountsPerBatch}
          FOR UPDATE SKIP LOCKED`,
      [after, id],
    );
    const secrets: KeptSecret[] = [];
    for (const { accountId, keyId } of rows) {
      const behind = keyBehind(keys.mailboxes, keyId)?.id ?? id;
      if (behind === id) continue;
      for (const { ownerId, generation } of await generationsOf(accountId)) {
        const secret = derivedSecret(keys.webhookSecrets, behind, ownerId, generation);
        secrets.push({ ownerId, generation, accountId, secret });
      }
    }
    await keepSecrets(client, keys.webhookSecrets, secrets);
    const reachable = rows.map((row) => {
      const former = keyBehind(keys.mailboxes, row.keyId);
      const isIndexed = former !== null && mailboxHashOf(row, former.bytes) === row.mailboxHash;
      return { ...row, isIndexed };
    });
    await storeAccounts(client, keys, reachable);
    return { commit: true, result: { count: rows.length, last: rows.at(-1)?.accountId ?? null } };
  });

const mailboxHashOf = ({ email }: Pick<KeyedAccount, 'email'>, key: Uint8Array): string =>
  mailboxHash(canonicalOf(email), key);

/**
 * Stores accounts under the current key. `isIndexed`: its mailbox leads to it; one that two accounts claim, because rules of
 * spelling changed, stays with the first. Returns the accounts that lost theirs.
 */
export const storeAccounts = async (
  by: Transaction,
  { mailboxes: { current }, passwords }: Pick<StoredKeys, 'mailboxes' | 'passwords'>,
  accounts: readonly (KeyedAccount & { readonly isIndexed: boolean })[],
): Promise<readonly string[]> => {
  const wanted = accounts.map((one) => mailboxHashOf(one, current.bytes));
  const { rows } = await by.query<{ hash: string; owner: string }>(
    `SELECT mailbox_hash AS hash, account_id AS owner FROM account_profiles WHERE mailbox_hash = ANY ($1)`,
    [wanted],
  );
  const owners = new Map(rows.map(({ hash, owner }) => [hash, owner]));
  const displaced: string[] = [];
  const stored = accounts.map((one, index) => {
    const hash = wanted[index] ?? '';
    const owner = owners.get(hash) ?? one.accountId;
    if (one.isIndexed && owner === one.accountId) {
      owners.set(hash, one.accountId);
      return { ...one, hash };
    }
    displaced.push(one.accountId);
    return { ...one, hash: mailboxHash(`no mailbox ${one.accountId}`, current.bytes) };
  });
  await by.query(
    `UPDATE account_profiles AS p
        SET mailbox_hash = made.hash, password_hash = made.password, secret_id = $4, password_secret_id = $4
       FROM unnest($1::text[], $2::text[], $3::text[]) AS made (account_id, hash, password)
      WHERE p.account_id = made.account_id`,
    [
      ...columnsOf(stored, 'accountId', 'hash'),
      stored.map(({ accountId, password, passwordKeyId }) =>
        passwordKeyId === current.id
          ? password
          : (sealPassword(passwords, { accountId, stored: password, keyId: passwordKeyId }) ?? lostPassword),
      ),
      current.id,
    ],
  );
  return displaced;
};

/** Encrypts stored signing secrets under the current key. */
export const replaceSecretKeys = (pool: Pool, { webhookSecrets: { seals } }: StoredKeys): Promise<Batch<true>> =>
  inTransaction(pool, async (client) => {
    const { rows } = await client.query<SealedSecret & Pick<KeptSecret, 'accountId'>>(
      `DELETE FROM webhook_secrets
        WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM webhook_secrets WHERE secret_id <> $1 LIMIT ${accountsPerBatch} FOR UPDATE SKIP LOCKED))
       RETURNING owner_id AS "ownerId", generation, account_id AS "accountId", sealed, secret_id AS "keyId"`,
      [seals.current.id],
    );
    const opened = rows.map((row) => ({ ...row, secret: openSecret({ seals }, row) }));
    await keepSecrets(client, { seals }, opened);
    return { commit: true, result: { count: rows.length, last: rows.length > 0 ? true : null } };
  });

type AnswerRow = {
  accountId: string;
  route: string;
  key: string;
  deduplicationKey: string;
  keyId: string | null;
  body: Buffer;
};
type AnswerPlace = Pick<AnswerRow, 'accountId' | 'route' | 'key'>;

/** Encrypts stored responses under the current key; one that no key decrypts is left to its expiry. */
export const replaceAnswerKeys = (
  pool: Pool,
  { answers }: Pick<StoredKeys, 'answers'>,
  after: AnswerPlace,
): Promise<Batch<AnswerPlace>> =>
  inTransaction(pool, async (client) => {
    const { rows } = await client.query<AnswerRow>(
      `SELECT account_id AS "accountId", route, key, operation_key AS "deduplicationKey", secret_id AS "keyId", body
         FROM idempotency_keys
        WHERE (account_id, route, key) > ($1, $2, $3)
          AND body IS NOT NULL AND expires_at > now() AND secret_id IS DISTINCT FROM $4
        ORDER BY account_id, route, key
        LIMIT ${rowsPerBatch}
          FOR UPDATE SKIP LOCKED`,
      [after.accountId, after.route, after.key, answers.current.id],
    );
    for (const { accountId, route, key, deduplicationKey, keyId, body } of rows) {
      const behind = keyBehind(answers, keyId);
      const place = placeOfAnswer({ accountId, route, key }, deduplicationKey);
      const opened = behind === null ? null : unseal(body, behind.bytes, place);
      await client.query(
        `UPDATE idempotency_keys SET body = $4, secret_id = $5
          WHERE account_id = $1 AND route = $2 AND key = $3`,
        [
          ...[accountId, route, key],
          opened === null ? body : seal(opened, answers.current.bytes, place),
          answers.current.id,
        ],
      );
    }
    return { commit: true, result: { count: rows.length, last: rows.at(-1) ?? null } };
  });
