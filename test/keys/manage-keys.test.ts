import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { credentialVersion } from '#src/adapters/postgres/credential-version.ts';
import { keyCredentials } from '#src/adapters/postgres/key-credentials-postgres.ts';
import type { EventLog } from '#src/eventlog/event-log.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import type { KeyEvent } from '#src/keys/key.ts';
import { hashOfSecret, newSecret } from '#src/keys/key-secret.ts';
import { manageKeys } from '#src/keys/manage-keys.ts';
import { callOf, manualClock } from '#test/support/credits.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';

const caller = callOf('acc_1', { actor: { type: 'user', id: 'usr_1' } });
const wanted = { name: 'first', scopes: [], capCredits: null, expiresAt: null };
const hour = 3_600_000;

const opened = async () => {
  const database = await logOnPostgres();
  const standing = manualClock('2026-11-21T10:00:00Z');
  const { pool, log } = database;
  const credentials = keyCredentials({ pool, clock: standing.clock, version: credentialVersion(pool) });
  const deps = { log, credentials, clock: standing.clock, maxKeys: 25 };
  return {
    ...standing,
    ...deps,
    pool,
    keys: manageKeys(deps),
    isGood: async (fullKey: string) => {
      credentials.forget();
      return (await credentials.find(hashOfSecret(fullKey))) !== null;
    },
    [Symbol.asyncDispose]: async () => {
      await credentials[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
};

const eventsOf = async (log: EventLog, keyId: string) =>
  (await log.read<KeyEvent>(`key-${keyId}`)).map(({ type }) => type);

/** When the key was used last, as far as that is written. */
const lastUse = async (on: Awaited<ReturnType<typeof opened>>, keyId: string) => {
  const { rows } = await on.pool.query<{ last_used_at: Date }>(
    'SELECT last_used_at FROM key_sightings WHERE key_id = $1',
    [keyId],
  );
  return rows[0]?.last_used_at.toISOString() ?? null;
};

/** Waits for it less long than uses are gathered in general. */
const firstUse = async (on: Awaited<ReturnType<typeof opened>>, keyId: string) => {
  for (let looks = 0; looks < 600 && (await lastUse(on, keyId)) === null; looks += 1) await pause(100);
  return lastUse(on, keyId);
};

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  );

describe('the keys of an account', () => {
  it('are not found by malformed ids', async () => {
    await using on = await opened();
    for (const keyId of ['', 'key_1', 'key_\0', `key_${'g'.repeat(32)}`, 'x'.repeat(600)]) {
      assert.equal(await codeOf(on.keys.revoke(caller, keyId)), 'KEY_NOT_FOUND');
      assert.equal(await codeOf(on.keys.roll(caller, keyId, hour)), 'KEY_NOT_FOUND');
    }
  });

  it('expire at the moment given, in whatever offset it is written, and no later when rolled', async () => {
    await using on = await opened();
    const expiresAt = '2026-11-21T13:00:00+02:00';
    const { keyId, fullKey } = await on.keys.create(caller, { ...wanted, expiresAt });
    assert.ok(await on.isGood(fullKey));

    await on.keys.roll(caller, keyId, 5 * hour);
    on.moveTo('2026-11-21T10:59:59Z');
    assert.ok(await on.isGood(fullKey));
    on.moveTo('2026-11-21T11:00:01Z');
    assert.ok(!(await on.isGood(fullKey)), 'an overlap does not lengthen the life of a key');
  });

  it('are not rolled after they expired, in whatever offset the time was written', async () => {
    await using on = await opened();
    const expiresAt = '2026-11-21T13:00:00+02:00';
    const { keyId } = await on.keys.create(caller, { ...wanted, expiresAt });
    on.moveTo('2026-11-21T11:30:00Z');
    assert.equal(await codeOf(on.keys.roll(caller, keyId, hour)), 'INVALID_REQUEST');
  });

  it('are refused if they would expire at once', async () => {
    await using on = await opened();
    for (const expiresAt of ['2026-11-21T10:00:00Z', '2020-01-01T00:00:00Z']) {
      assert.equal(await codeOf(on.keys.create(caller, { ...wanted, expiresAt })), 'INVALID_REQUEST');
    }
  });

  it('are rolled by one of two concurrent requests, without an active key whose secret nobody has', async () => {
    await using on = await opened();
    const { keyId } = await on.keys.create(caller, wanted);

    const ends = await Promise.all([1, 2, 3].map(() => codeOf(on.keys.roll(caller, keyId, hour))));

    assert.deepEqual(ends.toSorted(), ['INVALID_REQUEST', 'INVALID_REQUEST', 'done']);
    assert.equal((await on.credentials.activeKeyIds('acc_1')).length, 2);
    assert.deepEqual(await eventsOf(on.log, keyId), ['KeyCreated', 'KeyRolled']);
  });

  it('are looked up in batches: many concurrent look-ups cost two queries', async (t) => {
    await using on = await opened();
    const secrets: string[] = [];
    for (let made = 0; made < 20; made += 1) {
      secrets.push((await on.keys.create(caller, wanted)).fullKey);
    }
    on.credentials.forget();
    const queries = t.mock.method(on.pool, 'query');

    const [first = '', ...others] = secrets;
    const alone = on.credentials.find(hashOfSecret(first));
    await new Promise((resolve) => queueMicrotask(() => queueMicrotask(() => resolve(null))));
    const asked = [...others, newSecret()].map((one) => on.credentials.find(hashOfSecret(one)));
    const found = await Promise.all([alone, ...asked]);

    assert.equal(queries.mock.callCount(), 2);
    assert.equal(new Set(found.slice(0, -1).map((key) => key?.keyId)).size, secrets.length);
    assert.equal(found.at(-1), null);
  });

  it('show their last use right after the first one', async () => {
    await using on = await opened();
    const { keyId, fullKey } = await on.keys.create(caller, wanted);
    assert.equal(await lastUse(on, keyId), null);

    await on.credentials.find(hashOfSecret(fullKey));
    assert.equal(await firstUse(on, keyId), '2026-11-21T10:00:00.000Z');
  });

  it('store their last use once for many uses, and at the latest when the process ends', async () => {
    await using on = await opened();
    const { keyId, fullKey } = await on.keys.create(caller, wanted);
    await on.credentials.find(hashOfSecret(fullKey));
    assert.equal(await firstUse(on, keyId), '2026-11-21T10:00:00.000Z');
    for (const minute of [1, 2, 3]) {
      on.moveTo(`2026-11-21T10:0${minute}:00Z`);
      await on.credentials.find(hashOfSecret(fullKey));
      await pause(300);
    }
    assert.equal(await lastUse(on, keyId), '2026-11-21T10:00:00.000Z');
    await on.credentials[Symbol.asyncDispose]();
    assert.equal(await lastUse(on, keyId), '2026-11-21T10:03:00.000Z');
  });
});
