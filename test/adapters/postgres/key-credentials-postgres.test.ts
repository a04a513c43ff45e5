import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { credentialVersion } from '#src/adapters/postgres/credential-version.ts';
import { keyCredentials } from '#src/adapters/postgres/key-credentials-postgres.ts';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { postgresRequestDefaults } from '#src/adapters/postgres/request-defaults-postgres.ts';
import { testDatabase } from '#test/support/database.ts';

const key = (keyId: string, expiresAt: string | null = null) => ({
  ...{
    keyId,
    accountId: 'acc_1',
    secretHash: `hash of ${keyId}`,
    scopes: [],
    capCredits: null,
    capPeriod: 'period' as const,
    warnAt: [],
  },
  ...{ expiresAt, createdAt: '2026-11-21T10:00:00.000Z' },
});

describe('the cache of keys and settings', () => {
  it('looks a key up once until a key or the suspension of an account changes', async () => {
    await using database = await testDatabase();
    const pool = postgresPool({ url: database.url, applicationName: 'steno test', max: 2 });
    let now = new Date('2026-11-21T10:00:00.000Z');
    const version = credentialVersion(pool, 0);
    await using credentials = keyCredentials({ pool, clock: () => now, version });
    const settings = postgresRequestDefaults({ pool, version });
    const looked = async (keyId: string) => (await credentials.find(`hash of ${keyId}`))?.keyId;
    await credentials.insertIn(pool, key('key_1'), 25);
    await credentials.insertIn(pool, key('key_2', '2026-11-21T11:00:00.000Z'), 25);
    assert.deepEqual([await looked('key_1'), await looked('key_2')], ['key_1', 'key_2']);

    // Past the triggers, so that only what is cached is left.
    const silently = async (statement: string) => {
      await pool.query(`BEGIN; SET LOCAL session_replication_role = replica; ${statement}; COMMIT`);
    };
    await silently('DELETE FROM key_credentials');
    assert.deepEqual([await looked('key_1'), await looked('key_2')], ['key_1', 'key_2']);
    now = new Date('2026-11-21T11:00:00.000Z');
    assert.equal(await looked('key_2'), undefined, 'it expires without being looked up');

    await credentials.insertIn(pool, key('key_3'), 25);
    await credentials.endIn(pool, { ...{ keyId: 'key_3', revokedAt: now.toISOString(), expiresAt: null } });
    assert.equal(await looked('key_1'), undefined, 'the end of any key empties the cache');

    await credentials.insertIn(pool, key('key_4'), 25);
    assert.equal(await looked('key_4'), 'key_4');
    await silently('DELETE FROM key_credentials');
    await pool.query('UPDATE account_profiles SET suspended_at = now()');
    assert.equal(await looked('key_4'), undefined, 'and so does a suspension');

    const keeps = async () => (await settings.read('acc_1')).keepByDefault;
    assert.equal(await keeps(), false);
    await silently(`INSERT INTO account_settings VALUES ('acc_1', true)`);
    assert.equal(await keeps(), false, 'what an account has chosen is looked up once too');
    await pool.query('UPDATE account_settings SET ask_above_credits = 5');
    assert.equal(await keeps(), true, 'until an account chooses something');
    await pool.end();
  });
});
