import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyCredentials } from '#src/adapters/key-credentials.ts';
import type { EventLog } from '#src/eventlog/log.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import type { KeyEvent } from '#src/keys/key.ts';
import { hashOfSecret } from '#src/keys/key-secret.ts';
import { manageKeys } from '#src/keys/manage-keys.ts';
import { callOf, standingClock } from '#test/support/credits.ts';
import { logOnPostgres } from '#test/support/eventlog.ts';

const asker = callOf('acc_1', { actor: { type: 'user', id: 'usr_1' } });
const wanted = { name: 'first', scopes: [], capCredits: null, expiresAt: null };
const hour = 3_600_000;

const opened = async () => {
  const database = await logOnPostgres();
  const standing = standingClock('2026-11-21T10:00:00Z');
  const { pool, log } = database;
  const credentials = keyCredentials({ pool, clock: standing.clock });
  const deps = { log, credentials, clock: standing.clock };
  return {
    ...standing,
    ...deps,
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

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  );

describe('the keys of an account', () => {
  it('are unknown under whatever is no id of a key', async () => {
    await using on = await opened();
    for (const keyId of ['', 'key_1', 'key_\0', `key_${'g'.repeat(32)}`, 'x'.repeat(600)]) {
      assert.equal(await codeOf(on.keys.revoke(asker, keyId)), 'KEY_NOT_FOUND');
      assert.equal(await codeOf(on.keys.roll(asker, keyId, hour)), 'KEY_NOT_FOUND');
    }
  });

  it('expire at the moment given, in whatever offset it is written, and no later when rolled', async () => {
    await using on = await opened();
    const expiresAt = '2026-11-21T13:00:00+02:00';
    const { keyId, fullKey } = await on.keys.create(asker, { ...wanted, expiresAt });
    assert.ok(await on.isGood(fullKey));

    await on.keys.roll(asker, keyId, 5 * hour);
    on.moveTo('2026-11-21T10:59:59Z');
    assert.ok(await on.isGood(fullKey));
    on.moveTo('2026-11-21T11:00:01Z');
    assert.ok(!(await on.isGood(fullKey)), 'an overlap does not lengthen the life of a key');
  });

  it('are not rolled when they are over, in whatever offset that was written', async () => {
    await using on = await opened();
    const expiresAt = '2026-11-21T13:00:00+02:00';
    const { keyId } = await on.keys.create(asker, { ...wanted, expiresAt });
    on.moveTo('2026-11-21T11:30:00Z');
    assert.equal(await codeOf(on.keys.roll(asker, keyId, hour)), 'INVALID_REQUEST');
  });

  it('are made to last: one that would be over at once is refused', async () => {
    await using on = await opened();
    for (const expiresAt of ['2026-11-21T10:00:00Z', '2020-01-01T00:00:00Z']) {
      assert.equal(
        await codeOf(on.keys.create(asker, { ...wanted, expiresAt })),
        'INVALID_REQUEST',
      );
    }
  });

  it('are rolled by one of two at once, and no key is left over whose secret nobody has', async () => {
    await using on = await opened();
    const { keyId } = await on.keys.create(asker, wanted);

    const ends = await Promise.all([1, 2, 3].map(() => codeOf(on.keys.roll(asker, keyId, hour))));

    assert.deepEqual(ends.toSorted(), ['INVALID_REQUEST', 'INVALID_REQUEST', 'done']);
    assert.equal((await on.credentials.activeKeyIds('acc_1')).length, 2);
    assert.deepEqual(await eventsOf(on.log, keyId), ['KeyCreated', 'KeyRolled']);
  });
});
