import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mailboxHash } from '#src/accounts/email-address.ts';
import { openPassword } from '#src/accounts/password/stored-password.ts';
import { formerRows, replaceAccountKeys, type StoredKeys } from '#src/adapters/postgres/secret-keys/replace-keys.ts';
import { postgresWebhookSecrets } from '#src/adapters/postgres/secret-keys/webhook-secrets.ts';
import type { KeyRing } from '#src/kernel/key-ring.ts';
import { secretMaker } from '#src/webhooks/signature.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';

const [former, current] = [1, 2].map((byte) => ({ id: `key ${byte}`, bytes: Buffer.alloc(32, byte) }));
assert.ok(former !== undefined && current !== undefined);
const ring: KeyRing = { current, all: [current, former], unmarkedId: former.id };
const keys: StoredKeys = {
  ...{ mailboxes: ring, passwords: { peppers: ring, seals: ring }, answers: ring },
  webhookSecrets: { seals: ring, secretOf: (id) => `secret of ${id}` },
};
const count = 250;
const generationsOf = async (accountId: string) => [{ ownerId: accountId, generation: 1 }];

describe('rows that are rewritten with another key', () => {
  it('are each rewritten once by two workers, after one that stopped in the middle of a batch', async () => {
    await using database = await logOnPostgres({ max: 8 });
    const { pool } = database;
    await pool.query(
      `INSERT INTO account_profiles (account_id, user_id, mailbox_hash, email, password_hash, registered_at)
       SELECT 'acc_' || n, 'usr_' || n, hash, n || '@example.org', '$argon2id$' || n, now()
         FROM unnest($1::text[]) WITH ORDINALITY AS t (hash, n)`,
      [Array.from({ length: count }, (_, n) => mailboxHash(`${n + 1}@example.org`, former.bytes))],
    );
    let asked = 0;
    const ending = async (accountId: string) => {
      asked += 1;
      if (asked > 150) throw new Error('the process ends');
      return generationsOf(accountId);
    };
    const run = async (of = generationsOf): Promise<void> => {
      for (let after: string | null = ''; after !== null; ) {
        after = (await replaceAccountKeys(pool, keys, of, after)).last;
      }
    };
    await assert.rejects(run(ending), /the process ends/);
    assert.equal((await formerRows(pool, current.id)).accounts, count - 100);
    await Promise.all([run(), run()]);
    await run();
    assert.deepEqual(await formerRows(pool, current.id), { accounts: 0, secrets: 0, answers: 0 });

    const { rows } = await pool.query(
      `SELECT account_id AS "accountId", email, mailbox_hash AS hash, password_hash AS stored,
              password_secret_id AS "keyId" FROM account_profiles`,
    );
    const secrets = postgresWebhookSecrets(pool, keys.webhookSecrets);
    const ofFormer = secretMaker(`secret of ${former.id}`);
    assert.equal(rows.length, count);
    for (const { accountId, email, hash, stored, keyId } of rows) {
      assert.equal(hash, mailboxHash(email, current.bytes));
      const { hash: phc, pepper } = openPassword(keys.passwords, { accountId, stored, keyId });
      assert.equal(phc, `$argon2id$${email.split('@')[0]}`);
      assert.deepEqual(pepper, former.bytes);
      assert.equal(await secrets.find(accountId, accountId, 1), ofFormer(accountId, 1));
    }
  });
});
