import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { migrate, migrationsFolder, readMigrations } from '#src/adapters/postgres/migrations.ts';
import { testDatabase } from '#test/support/database.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';

type Files = Readonly<Record<string, string>>;

const folderOf = async (files: Files) => {
  const folder = await mkdtemp(join(tmpdir(), 'steno-migrations-'));
  for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, name), sql);
  return {
    folder,
    add: (name: string, sql: string) => writeFile(join(folder, name), sql),
    remove: (name: string) => rm(join(folder, name)),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
};

const emptyDatabase = async () => {
  const database = await testDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  return {
    url: database.url,
    client,
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await database[Symbol.asyncDispose]();
    },
  };
};

const first = { '0001_first.sql': '-- Because a test needs a table.\nCREATE TABLE first (n int);' };

describe('migrations', () => {
  it('are applied in order, once', async () => {
    await using database = await emptyDatabase();
    await using files = await folderOf({
      ...first,
      '0002_second.sql': '-- Because the second needs the first.\nINSERT INTO first VALUES (2);',
      'schema.sql': 'not a migration',
      '0002_second.before.sql': 'not a migration',
    });
    const { url } = database;
    assert.deepEqual(await migrate({ url, folder: files.folder }), ['0001_first.sql', '0002_second.sql']);
    assert.deepEqual(await migrate({ url, folder: files.folder }), []);
    const { rows } = await database.client.query('SELECT n FROM first');
    assert.deepEqual(rows, [{ n: 2 }]);
  });

  it('do not wait for a server that accepts the connection and does not answer', async () => {
    await using database = await testDatabase();
    await using proxy = await postgresProxy(database.url);
    const isAsked = proxy.stopAt('steno migrate');
    const { url } = proxy;
    await assert.rejects(migrate({ url, connectTimeoutMs: 200 }), { message: 'timeout expired' });
    await isAsked;
  });

  it('are applied once by ten processes that start together', async () => {
    await using database = await emptyDatabase();
    await using files = await folderOf(first);
    const { url } = database;
    const all = await Promise.all(Array.from({ length: 10 }, () => migrate({ url, folder: files.folder })));
    assert.deepEqual(all.flat(), ['0001_first.sql']);
  });

  it('roll back a file that fails, and name the file and the line', async () => {
    await using database = await emptyDatabase();
    await using files = await folderOf({
      '0001_broken.sql': '-- Because it fails.\nCREATE TABLE half (n int);\nSELECT nothing_there;',
    });
    await assert.rejects(
      migrate({ url: database.url, folder: files.folder }),
      /migration 0001_broken\.sql, line 3, failed: column "nothing_there" does not exist/,
    );
    const { rows } = await database.client.query(`SELECT to_regclass('half') AS half`);
    assert.deepEqual(rows, [{ half: null }]);
  });

  it('refuse a database that is newer than the program', async () => {
    await using database = await emptyDatabase();
    await using files = await folderOf({ ...first, '0002_later.sql': '-- Later.\nSELECT 1;' });
    await migrate({ url: database.url, folder: files.folder });
    await files.remove('0002_later.sql');
    await assert.rejects(
      migrate({ url: database.url, folder: files.folder }),
      /newer than this program: it has the migration 0002_later\.sql/,
    );
  });

  it('refuse a file that was changed after it was applied', async () => {
    await using database = await emptyDatabase();
    await using files = await folderOf(first);
    await migrate({ url: database.url, folder: files.folder });
    await files.add('0001_first.sql', '-- Changed.\nCREATE TABLE first (n bigint);');
    await assert.rejects(
      migrate({ url: database.url, folder: files.folder }),
      /migration 0001_first\.sql differs from what was applied/,
    );
  });

  it('refuse a number below one that is applied', async () => {
    await using database = await emptyDatabase();
    await using files = await folderOf({ '0002_second.sql': '-- Second.\nSELECT 2;' });
    await migrate({ url: database.url, folder: files.folder });
    await files.add('0001_first.sql', '-- Late.\nSELECT 1;');
    await assert.rejects(
      migrate({ url: database.url, folder: files.folder }),
      /0001_first\.sql comes before 0002_second\.sql.*next free number/,
    );
  });

  it('give up a lock that they wait for and retry, so that other queries are not blocked behind them', async () => {
    await using database = await emptyDatabase();
    await using files = await folderOf(first);
    const { url, client } = database;
    await migrate({ url, folder: files.folder });
    await files.add('0002_alter.sql', '-- Wider.\nALTER TABLE first ADD COLUMN m int;');
    await client.query('BEGIN');
    await client.query('SELECT * FROM first');
    await assert.rejects(
      migrate({ url, folder: files.folder, lockTimeoutMs: 10, attempts: 2 }),
      /0002_alter\.sql failed: canceling statement due to lock timeout/,
    );
    const waiting = migrate({ url, folder: files.folder, lockTimeoutMs: 10 });
    await client.query('COMMIT');
    assert.deepEqual(await waiting, ['0002_alter.sql']);
  });

  it('have a number each, a name that says what they add, and a first line that says why', async () => {
    const names = (await readdir(migrationsFolder)).filter(
      (name) => name !== 'schema.sql' && !/\.(before|after)\.sql$/.test(name),
    );
    const migrations = await readMigrations();
    assert.deepEqual(
      names.toSorted(),
      migrations.map(({ name }) => name),
    );
    assert.equal(new Set(names.map((name) => name.slice(0, 4))).size, names.length);
    for (const { name, sql } of migrations) assert.match(sql, /^-- \S/, name);
  });
});
