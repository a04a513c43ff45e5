import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startSimulator } from '#test/simulator/main.ts';
import { testSecret } from '#test/support/app.ts';
import { testDatabase } from '#test/support/database.ts';
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

  it('lets commands run beside the service, and leaves its Postgres alone when they end', async () => {
    const all = await Promise.all([1, 2, 3].map(() => runProgram(['migrate', '--json'], { DATA_DIR: data.folder })));
    for (const { code, stdout } of all) {
      assert.equal(code, 0);
      assert.deepEqual(JSON.parse(stdout), { dry_run: false, migrations: [] });
    }
    assert.equal((await fetch(`${await service.ready}/api/health`)).status, 200);
  });

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

describe('a start that is refused', () => {
  it('refuses a second API process on one database without Redis', async () => {
    await using database = await testDatabase();
    const environment = { DATABASE_URL: database.url, SECRET_KEY: testSecret };
    await using first = startProgram(['api'], environment);
    await first.ready;
    const { code, stderr } = await runProgram(['api'], environment);
    assert.equal(code, 1);
    assert.match(stderr, /API process \d+ on .* set REDIS_URL for all of them/);

    first.child.kill('SIGKILL');
    await first.finished;
    await using successor = startProgram(['api'], environment);
    await successor.ready;
  });
});

describe('the command line', () => {
  it('checks the setup, and prints the folder that the database is actually in', async () => {
    await using data = await dataFolder();
    await using platform = await startSimulator();
    // Root has to put the database elsewhere, where its OS user can enter.
    const dataDir = join(data.folder, 'home', 'data');
    await mkdir(dirname(dataDir), { mode: 0o700 });
    await runProgram(['migrate'], { DATA_DIR: dataDir });
    const { code, stdout } = await runProgram(['doctor', '--json'], {
      DATA_DIR: dataDir,
      PLATFORM_ORIGIN: platform.origin,
      REGISTRATIONS_PER_IP_HOUR: '500',
    });
    assert.equal(code, 0);
    const checks = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const told = checks.find(({ name }) => name === 'database')?.message;
    const [, folder = ''] = /^Postgres 18\.\d+, embedded, in (.+)$/.exec(told) ?? [];
    assert.equal((await stat(join(folder, 'data', 'PG_VERSION'))).isFile(), true, told);
    if (!folder.startsWith(data.folder)) await rm(dirname(folder), { recursive: true });
    assert.deepEqual(
      checks.filter(({ status }) => status !== 'ok').map(({ message }) => message),
      [
        'REGISTRATIONS_PER_IP_HOUR is less strict than its default: 500 instead of 5',
        'none is running: jobs and webhooks wait',
      ],
    );
  });
});

const repository = join(import.meta.dirname, '../..');

/** A copy of the program, beside packages in a folder that takes no bundle. */
const unwritableInstallation = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steno-unwritable-'));
  for (const part of ['src', 'projections', 'package.json', 'tsconfig.json']) {
    await cp(join(repository, part), join(folder, part), { recursive: true });
  }
  for (const part of ['migrations', 'docs', 'CHANGELOG.md']) await symlink(join(repository, part), join(folder, part));
  const packages = join(folder, 'node_modules');
  await mkdir(packages);
  for (const name of await readdir(join(repository, 'node_modules'))) {
    if (name !== '.cache') await symlink(join(repository, 'node_modules', name), join(packages, name));
  }
  // No user may make a folder there.
  await symlink('/sys', join(packages, '.cache'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
};

describe('an installation that cannot be written', () => {
  it('serves pages from its sources, whatever folder it is started in', async () => {
    await using installation = await unwritableInstallation();
    await using database = await testDatabase();
    await using service = startProgram(
      [],
      { DATABASE_URL: database.url, SECRET_KEY: testSecret },
      { isNpmStart: true, installation: installation.folder },
    );
    assert.equal((await fetch(`${await service.ready}/login`)).status, 200);
  });
});
