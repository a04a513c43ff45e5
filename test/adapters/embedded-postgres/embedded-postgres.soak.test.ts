import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { faultIn } from '#src/adapters/embedded-postgres/binaries.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '#src/adapters/embedded-postgres/embedded-postgres.ts';
import { dataFolder, isAlive, usedDataFolder } from '#test/support/program.ts';

const settings = { fsync: 'off' };

const ask = async (url: string, sql: string): Promise<Record<string, unknown> | undefined> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows[0];
  } finally {
    await client.end();
  }
};

const pidOf = async ({ folder }: EmbeddedPostgres): Promise<number> =>
  Number((await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);

describe('the embedded Postgres', () => {
  it('speaks UTF-8 by code point, checks its pages, and listens to this machine only', async () => {
    await using data = await dataFolder();
    await using postgres = await openEmbeddedPostgres({ dataDir: data.folder, settings });
    const found = await ask(
      postgres.url,
      `SELECT getdatabaseencoding() AS encoding, datlocprovider AS provider, datlocale AS locale,
              current_setting('listen_addresses') AS addresses,
              current_setting('data_checksums') AS checksums,
              current_setting('unix_socket_directories') AS sockets, lower('ÄÖ') AS lower
       FROM pg_database WHERE datname = current_database()`,
    );
    assert.deepEqual(found, {
      encoding: 'UTF8',
      provider: 'b',
      locale: 'C.UTF-8',
      addresses: '127.0.0.1',
      checksums: 'on',
      sockets: '',
      lower: 'äö',
    });
    const url = new URL(postgres.url);
    url.password = 'guessed';
    await assert.rejects(ask(url.href, 'SELECT 1'), /password authentication failed/);
  });

  it('keeps its data across a stop and a start', async () => {
    await using data = await usedDataFolder();
    {
      await using postgres = await openEmbeddedPostgres({ dataDir: data.folder, settings });
      await ask(postgres.url, `CREATE TABLE kept AS SELECT 'captions' AS what`);
    }
    assert.equal(await data.postmasterPid(), null);
    await using postgres = await openEmbeddedPostgres({ dataDir: data.folder, settings });
    assert.deepEqual(await ask(postgres.url, 'SELECT what FROM kept'), { what: 'captions' });
  });

  it('runs until the last process that uses it ends, whichever started it', async () => {
    await using data = await usedDataFolder();
    const starter = await openEmbeddedPostgres({ dataDir: data.folder, settings });
    const guest = await openEmbeddedPostgres({ dataDir: data.folder, settings });
    assert.equal(guest.url, starter.url);
    const pid = await pidOf(guest);
    await starter[Symbol.asyncDispose]();
    assert.deepEqual(await ask(guest.url, 'SELECT 1 AS one'), { one: 1 });
    await guest[Symbol.asyncDispose]();
    assert.equal(isAlive(pid), false);
  });

  it('serves processes that start while the last one ends', async () => {
    await using data = await usedDataFolder();
    let current = await openEmbeddedPostgres({ dataDir: data.folder, settings });
    for (let round = 0; round < 3; round += 1) {
      const [next] = await Promise.all([
        openEmbeddedPostgres({ dataDir: data.folder, settings }),
        current[Symbol.asyncDispose](),
      ]);
      assert.deepEqual(await ask(next.url, 'SELECT 1 AS one'), { one: 1 });
      current = next;
    }
    await current[Symbol.asyncDispose]();
    assert.equal(await data.postmasterPid(), null);
  });

  it('mistakes neither another program with the process id of a dead Postgres, nor another Postgres on its port, for its own', async () => {
    await using data = await usedDataFolder();
    const first = await openEmbeddedPostgres({ dataDir: data.folder, settings });
    await first[Symbol.asyncDispose]();
    const other = new URL(process.env['TEST_DATABASE_URL'] ?? '').port;
    for (const port of ['1', other]) {
      const pid = process.pid;
      const stale = [pid, '/elsewhere', 1, port, '', '127.0.0.1', '', 'ready', ''].join('\n');
      await writeFile(join(first.folder, 'data', 'postmaster.pid'), stale);
      const notices: string[] = [];
      await using postgres = await openEmbeddedPostgres({
        dataDir: data.folder,
        settings,
        onNotice: (message) => notices.push(message),
      });
      assert.deepEqual(await ask(postgres.url, 'SELECT 1 AS one'), { one: 1 });
      assert.match(notices.join(), /was not stopped properly/);
    }
  });

  it('treats an unreadable lock file as left by a crash, unless it is just being written', async () => {
    await using data = await usedDataFolder();
    const starter = await openEmbeddedPostgres({ dataDir: data.folder, settings });
    const lock = join(starter.folder, 'data', 'postmaster.pid');
    const notices: string[] = [];
    const open = () =>
      openEmbeddedPostgres({ dataDir: data.folder, settings, onNotice: (message) => notices.push(message) });

    const whole = await readFile(lock, 'utf8');
    await writeFile(lock, '');
    const opening = open();
    await pause(200);
    await writeFile(lock, whole);
    const guest = await opening;
    assert.equal(guest.url, starter.url);
    assert.deepEqual(notices, []);
    await starter[Symbol.asyncDispose]();
    await guest[Symbol.asyncDispose]();

    for (const text of ['', 'no number\n', '\0'.repeat(64)]) {
      notices.length = 0;
      await writeFile(lock, text);
      await using postgres = await open();
      assert.deepEqual(await ask(postgres.url, 'SELECT 1 AS one'), { one: 1 });
      assert.equal(notices.length, 1);
      assert.match(notices.join(), /was not stopped properly/);
    }
  });

  it('works in a folder that only its owner may enter, also as root', async () => {
    await using data = await dataFolder();
    const dataDir = join(data.folder, 'home', 'data');
    await mkdir(dirname(dataDir), { mode: 0o700 });
    const first = await openEmbeddedPostgres({ dataDir, settings });
    try {
      await ask(first.url, `CREATE TABLE kept AS SELECT 'captions' AS what`);
      await first[Symbol.asyncDispose]();
      // The place is kept, even when the folder is opened to others later.
      await chmod(dirname(dataDir), 0o755);
      await using second = await openEmbeddedPostgres({ dataDir, settings });
      assert.equal(second.folder, first.folder);
      assert.deepEqual(await ask(second.url, 'SELECT what FROM kept'), { what: 'captions' });
      const isElsewhere = second.folder !== join(dataDir, 'postgres');
      assert.equal(existsSync(join(dataDir, 'postgres-is-in')), isElsewhere);
    } finally {
      if (process.getuid?.() === 0) await rm(dirname(first.folder), { recursive: true });
    }
  });

  it('creates no empty database in a copy of a folder whose database was elsewhere', async () => {
    await using data = await dataFolder();
    const signpost = join(data.folder, 'postgres-is-in');
    await writeFile(signpost, '/var/lib/steno/0123456789abcdef/postgres\n');
    await assert.rejects(
      openEmbeddedPostgres({ dataDir: data.folder, settings }),
      new RegExp(
        `^Error: the database of ${data.folder} is not there: it was in /var/lib/steno/0123456789abcdef/postgres; copy that folder, with its owner, to /\\S+/postgres, or remove ${signpost} to begin with an empty one$`,
      ),
    );
    await rm(signpost);
    await using postgres = await openEmbeddedPostgres({ dataDir: data.folder, settings });
    assert.equal(postgres.folder, join(data.folder, 'postgres'));
  });

  it("says whose the files of a copy are when they are root's", async () => {
    await using data = await usedDataFolder();
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    const files = await readdir(data.folder, { recursive: true });
    for (const file of files) await chown(join(data.folder, file), uid, gid);
    const opening = openEmbeddedPostgres({ dataDir: data.folder, settings });
    if (uid === 0) await assert.rejects(opening, /belongs to root, .* chown -R postgres \S+\/postgres$/);
    else await (await opening)[Symbol.asyncDispose]();
  });

  it('names the version of Postgres that a folder needs, if it is another one', async () => {
    await using data = await dataFolder();
    await mkdir(join(data.folder, 'postgres', 'data'), { recursive: true });
    await writeFile(join(data.folder, 'postgres', 'data', 'PG_VERSION'), '16\n');
    await assert.rejects(
      openEmbeddedPostgres({ dataDir: data.folder }),
      /holds a database of Postgres 16, this program brings Postgres 18/,
    );
  });

  it('is stopped if it cannot be prepared for its first process', async () => {
    await using data = await dataFolder();
    const readOnly = { ...settings, default_transaction_read_only: 'on' };
    await assert.rejects(
      openEmbeddedPostgres({ dataDir: data.folder, settings: readOnly }),
      /^Error: connecting to the Postgres of /,
    );
    assert.equal(await data.postmasterPid(), null);
  });

  it('says why it does not start', async () => {
    await using data = await usedDataFolder();
    await assert.rejects(
      openEmbeddedPostgres({ dataDir: data.folder, settings: { shared_buffers: 'much' } }),
      /Postgres did not start: .*invalid value for parameter "shared_buffers"/,
    );
  });
});

describe('why a program of Postgres ended', () => {
  it('is the line that names the fault, not those of the clean-up after it', () => {
    const talk = [
      '2026-11-21 21:21:02.814 UTC [25157] FATAL:  could not write to file: No space left on device',
      'child process exited with exit code 1',
      'initdb: removing data directory "data"',
    ];
    assert.match(faultIn(`${talk.join('\n')}\n`), /No space left on device$/);
    assert.match(faultIn('postgres: cannot run\non this machine\n'), /^on this machine$/);
  });
});
