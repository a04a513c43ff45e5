import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { testSecret } from '#test/support/app.ts';
import { usedDatabase } from '#test/support/database.ts';
import { isAlive, type Running, runProgram, startProgram, usedDataFolder } from '#test/support/program.ts';
import { operate } from '#test/support/run-operator.ts';

describe('a start with nothing configured', () => {
  it('prints its address, answers there, and ends cleanly with its Postgres', async () => {
    await using data = await usedDataFolder();
    const settings = { DATA_DIR: data.folder, OTEL_SERVICE_NAME: 'captions' };
    await using program = startProgram([], settings, { isNpmStart: true });
    const url = await program.ready;
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await fetch(`${url}/api/health`)).status, 200);
    const postmaster = await data.postmasterPid();
    assert.ok(postmaster);

    program.child.kill('SIGTERM');
    const { code, stdout, stderr } = await program.finished;
    assert.equal(code, 0);
    assert.equal(stdout, `listening on ${url}\n`);
    assert.match(stderr, /"service":"captions","instance":"[^"]+","message":"stopping"/);
    assert.equal(isAlive(postmaster), false);
    assert.equal(await data.postmasterPid(), null);
  });

  it('keeps its secrets to itself', async () => {
    await using data = await usedDataFolder();
    for (const name of ['secret-key', 'postgres/password', 'postgres/postgres.log']) {
      assert.equal((await stat(join(data.folder, name))).mode & 0o077, 0, name);
    }
  });

  it('says in one line that the port is taken', async () => {
    await using data = await usedDataFolder();
    await using other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    const { code, stderr } = await runProgram([], { DATA_DIR: data.folder, PORT: port });
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`^steno: PORT ${port} on 127\\.0\\.0\\.1 is in use.*\\n$`, 'm'));
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

  it('refuses a second start, and reports the running process', async () => {
    const { code, stdout, stderr } = await runProgram(['serve'], { DATA_DIR: data.folder });
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, new RegExp(`^steno: DATA_DIR ${data.folder} is in use by API process ${service.pid} on `));
    assert.equal(stderr.trim().split('\n').length, 1);
  });

  it('starts again after everything was killed', async () => {
    const postmaster = await data.postmasterPid();
    assert.ok(postmaster);
    service.child.kill('SIGKILL');
    process.kill(postmaster, 'SIGKILL');
    await service.finished;
    await start();
  });
});

describe('steno openapi', () => {
  it('prints docs/openapi.json, without a database', async () => {
    const { code, stdout } = await runProgram(['openapi'], {});
    assert.equal(code, 0);
    assert.equal(stdout, await readFile('docs/openapi.json', 'utf8'));
  });
});

describe('steno --version', () => {
  it('prints the version of the package, and opens nothing', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const { code, stdout, stderr } = await operate({}, '--version');
    assert.deepEqual([code, stdout, stderr], [0, `${version}\n`, '']);
  });
});

describe('a start that is refused', () => {
  it('reports the variable, its value and the allowed values in one line', async () => {
    const { code, stdout, stderr } = await runProgram([], { PORT: 'eighty' });
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.equal(stderr, 'steno: PORT is "eighty"; it must be a whole number from 0 to 65535\n');
  });
});

describe('a shutdown', () => {
  it('is immediate at a second signal', async () => {
    await using database = await usedDatabase();
    const environment = { DATABASE_URL: database.url, SECRET_KEY: testSecret, SHUTDOWN_DRAIN: '20s' };
    await using program = startProgram(['api'], environment);
    await program.ready;
    program.child.kill('SIGTERM');
    await pause(700);
    program.child.kill('SIGTERM');
    assert.equal((await program.finished).code, 143);
  });
});

describe('the command line', () => {
  it('refuses an unknown argument with the usage exit code, and starts nothing', async () => {
    const { code, stderr } = await operate({}, 'migrat');
    assert.equal(code, 2);
    assert.match(stderr, /unknown command 'migrat'\n\(Did you mean migrate\?\)/);
  });
});
