import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemCall } from '#src/app/open-core.ts';
import { startTestApp, type TestApp } from '#test/support/app.ts';

const wanted = { name: 'a key', scopes: [], capCredits: null, expiresAt: null };

describe('the keys of an account, as they are created and revoked', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp();
  });
  after(() => app[Symbol.asyncDispose]());

  it('are listed in their current state immediately', async () => {
    const { commands, queries } = app.core;
    const { accountId } = await app.createAccount();
    for (let n = 0; n < 5; n += 1) {
      const call = systemCall(accountId);
      const { keyId } = await commands.createKey(call, { ...wanted, name: `key ${n}` });
      await commands.revokeKey(call, { keyId });
      const listed = (await queries.keys(accountId)).find((key) => key.keyId === keyId);
      assert.notEqual(listed?.revokedAt ?? null, null);
    }
  });

  it('do not authenticate if they have scopes unknown to this version', async () => {
    const { commands, queries } = app.core;
    const { accountId } = await app.createAccount();
    const made = async (scopes: readonly string[]) =>
      (await commands.createKey(systemCall(accountId), { ...wanted, scopes })).fullKey;

    const known = await queries.findKeyHolder(await made(['usage', 'of a later program']));
    assert.deepEqual(known?.scopes, ['usage']);
    assert.equal(await queries.findKeyHolder(await made(['of a later program'])), null);
  });

  it('are returned with their secret although the read model is behind', async () => {
    const { commands, pool } = app.core;
    const { accountId } = await app.createAccount();
    const holder = await pool.connect();
    await holder.query(`BEGIN; SELECT FROM es_subscription WHERE name = 'keys' FOR UPDATE`);

    const limited = { ...wanted, name: 'made meanwhile', scopes: ['usage'], capCredits: 7 };
    const { fullKey, keyId, key } = await commands.createKey(systemCall(accountId), limited);

    assert.match(fullKey, /^stn_live_/);
    assert.deepEqual(
      { keyId: key.keyId, name: key.name, scopes: key.scopes, capCredits: key.capCredits },
      { keyId, name: 'made meanwhile', scopes: ['usage'], capCredits: 7 },
    );
    assert.equal((await app.get('/v1/usage', { key: fullKey })).status, 200);
    await holder.query('COMMIT');
    holder.release();
  });
});
