import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listProcesses, registerProcess } from '#src/adapters/postgres/process-registry.ts';
import { testDatabase } from '#test/support/database.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';

const claims = [{ what: 'api', isShared: false }] as const;
const refusal = (who: string) => `${who} is there`;

describe('the registration of a process', () => {
  it('is held by one process, visible to all, and free after its release', async () => {
    await using database = await testDatabase();
    const { url } = database;
    const first = await registerProcess({ url, role: 'api', claims, keyIds: [], refusal });
    const [seen, ...others] = await listProcesses(url);
    assert.deepEqual([seen?.processId, others.length], [first.processId, 0]);
    await assert.rejects(registerProcess({ url, role: 'api', claims, keyIds: [], refusal }), {
      message: refusal(`API process ${seen?.osPid} on ${seen?.host}`),
    });
    await first[Symbol.asyncDispose]();
    const second = await registerProcess({ url, role: 'api', claims, keyIds: [], refusal });
    await second[Symbol.asyncDispose]();
    assert.deepEqual(await listProcesses(url), []);
  });

  it('is taken again after a lost connection, and can be released while the database does not answer', async () => {
    await using database = await testDatabase();
    await using proxy = await postgresProxy(database.url);
    const noticed: string[] = [];
    const process = await registerProcess({
      ...{ url: proxy.url, role: 'api', claims, keyIds: [], refusal },
      onNotice: (message) => noticed.push(message),
    });
    await proxy.stopAt('UPDATE processes');
    await process[Symbol.asyncDispose]();
    assert.equal(noticed.length, 1);
  });
});
