import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dataFolder, isAlive, type Running, runProgram, startProgram, usedDataFolder } from '#test/support/program.ts';

describe('a start with nothing configured', () => {
  it('starts once when three commands create the folder together', async () => {
    await using data = await dataFolder();
    const environment = { DATA_DIR: data.folder };
    const all = await Promise.all([1, 2, 3].map(() => runProgram(['migrate'], environment)));
    assert.deepEqual(
      all.map(({ code, stderr }) => [code, stderr.replace('the database is up to date\n', '')]),
      all.map(() => [0, '']),
    );
    const applied = all.flatMap(({ stdout }) => stdout.split('\n')).filter((line) => line !== '');
    assert.equal(new Set(applied).size, applied.length);
    assert.equal(await data.postmasterPid(), null);
  });
});

/** Starts of one folder, one after the other. */
describe('a folder whose service was started before', () => {
  const opened = new AsyncDisposableStack();
  let data: Awaited<ReturnType<typeof usedDataFolder>>;
  let service: Running;
  const start = async (): Promise<void> => {
    service = opened.use(startProgram([], { DATA_DIR: data.folder }));
    assert.equal((await fetch(`${await service.ready}/api/health`)).status, 200);
  };

  before(async () => {
    data = opened.use(await usedDataFolder());
    await start();
  });
  after(() => opened.disposeAsync());

  it('takes over the Postgres of a service that was killed, and stops it at its own end', async () => {
    const postmaster = await data.postmasterPid();
    assert.ok(postmaster);
    service.child.kill('SIGKILL');
    await service.finished;
    assert.equal(isAlive(postmaster), true);

    await start();
    assert.equal(await data.postmasterPid(), postmaster);
    service.child.kill('SIGINT');
    assert.equal((await service.finished).code, 0);
    assert.equal(isAlive(postmaster), false);
  });
});
