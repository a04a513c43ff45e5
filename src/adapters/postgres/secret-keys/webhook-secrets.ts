import type { Pool } from 'pg';
import { columnsOf } from '../../../eventlog/connection.ts';
import type { Transaction } from '../../../eventlog/event-log.ts';
import { type KeyRing, keyBehind } from '../../../kernel/key-ring.ts';
import { seal, unseal } from '../../../kernel/sealed-box.ts';
import { secretMaker, type WebhookSecrets } from '../../../webhooks/signature.ts';

/** The keys of signing secrets. */
export type WebhookSecretKeys = {
  /** Encrypt the secrets that are stored. */
  readonly seals: KeyRing;
  /** The SECRET_KEY with this id, from which secrets are derived; null: it is lost. */
  readonly secretOf: (keyId: string) => string | null;
};

/** A signing secret that is stored. */
export type KeptSecret = {
  readonly ownerId: string;
  readonly generation: number;
  readonly accountId: string;
  readonly secret: string;
};

type Row = { accountKeyId: string | null; isKnown: boolean; sealed: Buffer | null; keyId: string };

/**
 * Signing secrets. Those of an account are derived from the key that the account is made with, but for those that are
 * stored: they were derived from another key than the account names now.
 */
export const postgresWebhookSecrets = (pool: Pool, keys: WebhookSecretKeys): WebhookSecrets => {
  const { current } = keys.seals;
  const find: WebhookSecrets['find'] = async (accountId, ownerId, generation) => {
    const { rows } = await pool.query<Row>(
      `SELECT p.secret_id AS "accountKeyId", p.account_id IS NOT NULL AS "isKnown", s.sealed, s.secret_id AS "keyId"
         FROM (SELECT $1::text AS account_id) AS a
         LEFT JOIN account_profiles AS p USING (account_id)
         LEFT JOIN webhook_secrets AS s ON s.owner_id = $2 AND s.generation = $3`,
      [accountId, ownerId, generation],
    );
    const { accountKeyId = null, isKnown = false, sealed = null, keyId = '' } = rows[0] ?? {};
    if (sealed !== null) return openSecret(keys, { ownerId, generation, sealed, keyId });
    const behind = isKnown ? keyBehind(keys.seals, accountKeyId) : current;
    return derivedSecret(keys, behind?.id ?? current.id, ownerId, generation);
  };
  return {
    find,
    made: async (accountId, ownerId, generation) => {
      const secret = derivedSecret(keys, current.id, ownerId, generation);
      const kept = { ownerId, generation, accountId, secret };
      await keepSecrets(pool, keys, [kept], 'p.secret_id IS DISTINCT FROM $6');
      return await find(accountId, ownerId, generation);
    },
  };
};

/** The secret that is derived from the SECRET_KEY with this id. Throws where that is lost. */
export const derivedSecret = (
  { secretOf }: Pick<WebhookSecretKeys, 'secretOf'>,
  keyId: string,
  ownerId: string,
  generation: number,
): string => {
  const serviceKey = secretOf(keyId);
  if (serviceKey === null) throw new Error('the SECRET_KEY of a signing secret is lost');
  return secretMaker(serviceKey)(ownerId, generation);
};

/** Stores secrets, encrypted under the current key, of accounts that fulfil the condition; those that are stored stay. */
export const keepSecrets = async (
  by: Transaction,
  { seals: { current } }: Pick<WebhookSecretKeys, 'seals'>,
  secrets: readonly KeptSecret[],
  condition = 'true',
): Promise<void> => {
  await by.query(
    `INSERT INTO webhook_secrets (owner_id, generation, account_id, sealed, secret_id)
     SELECT kept.owner_id, kept.generation, kept.account_id, kept.sealed, $5
       FROM unnest($1::text[], $2::int[], $3::text[], $4::bytea[])
         AS kept (owner_id, generation, account_id, sealed)
       JOIN account_profiles AS p USING (account_id)
      WHERE ${condition}
     ON CONFLICT DO NOTHING`,
    [
      ...columnsOf(secrets, 'ownerId', 'generation', 'accountId'),
      secrets.map((one) => seal(Buffer.from(one.secret), current.bytes, placeOf(one))),
      current.id,
      ...(condition === 'true' ? [] : [current.id]),
    ],
  );
};

/** A signing secret as it is stored. */
export type SealedSecret = Pick<KeptSecret, 'ownerId' | 'generation'> & {
  readonly sealed: Buffer;
  readonly keyId: string;
};

/** Decrypts a stored secret. Throws where its key is lost. */
export const openSecret = (
  { seals }: Pick<WebhookSecretKeys, 'seals'>,
  { sealed, keyId, ...owner }: SealedSecret,
): string => {
  const key = keyBehind(seals, keyId);
  const opened = key === null ? null : unseal(sealed, key.bytes, placeOf(owner));
  if (opened === null) throw new Error('the SECRET_KEY of a stored signing secret is lost');
  return opened.toString();
};

const placeOf = ({ ownerId, generation }: Pick<KeptSecret, 'ownerId' | 'generation'>): string =>
  `webhook secret|${ownerId}|${generation}`;
