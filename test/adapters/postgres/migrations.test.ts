import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { postgresLibraryStore } from '#src/adapters/postgres/library-store-postgres.ts';
import { migrate, migrationsFolder, readMigrations } from '#src/adapters/postgres/migrations.ts';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import { decodePostings, encodePostings } from '#src/library/postings.ts';
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
  await client.query('DROP SCHEMA public, analytics CASCADE; CREATE SCHEMA public');
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

  it('say what they could not do', async () => {
    await using database = await emptyDatabase();
    const sql = `-- Because a role may be missing.\nDO $$ BEGIN RAISE NOTICE 'the role was not made'; END $$;`;
    await using files = await folderOf({ ...first, '0002_second.sql': sql });
    const told: string[] = [];
    await migrate({ url: database.url, folder: files.folder, onNotice: (message) => told.push(message) });
    assert.deepEqual(told, ['the role was not made']);
  });

  it('turn the postings beside texts of a library into runs, count the places of passages in bytes, and read tails as parts', async () => {
    await using database = await emptyDatabase();
    const { url, client } = database;
    await migrate({ url, upTo: '0064_follow_authorizations.sql' });
    const of = (start: number) =>
      encodePostings(
        start,
        [1, 130, 400].map((at) => ({ passage: start + at, impact: 7 })),
      );
    const long = `en ${'é'.repeat(100)}`;
    const recent = (start: number) =>
      Object.fromEntries(['en lamp', long].map((term) => [term, Buffer.from(of(start)).toString('base64')]));
    await client.query("INSERT INTO libraries (account_id) VALUES ('acc_1')");
    await client.query("INSERT INTO library_videos SELECT 1, 'v', NULL, NULL, NULL, 1, now()");
    for (const start of [0, 500]) {
      await client.query(
        `INSERT INTO library_versions (library_id, video_id, version, language, source, content_sha256, first_seen_at,
          captions, times, stems, first_passage, passages, recent)
        VALUES (1, 'v', $1 + 1, 'en', 'manual', '', now(), 'Licht 😀 bei Nacht', '{}', 'en', $1,
          '{6, 1, 0, 1000, 8, 3, 1000, 2000}', $2)`,
        [start, JSON.stringify(recent(start))],
      );
    }
    await migrate({ url, upTo: '0067_library_merges.sql' });
    const tail = encodePostings(500, [{ passage: 501, impact: 3 }]);
    await client.query("INSERT INTO library_tails VALUES (1, 'en tail', 500, $1)", [Buffer.from(tail)]);
    await migrate({ url });
    const pool = postgresPool({ url, applicationName: 'test' });
    const store = postgresLibraryStore({ pool });
    const [{ start, postings } = assert.fail()] = await store.postings('acc_1', ['en tail'], ['en tail']);
    assert.deepEqual(decodePostings({ start, postings }), [{ passage: 501, impact: 3 }]);
    for (const term of ['en lamp', long]) {
      const found = (await store.postings('acc_1', [term], [])).toSorted((a, b) => a.start - b.start);
      assert.deepEqual(
        found.map(({ start, postings }) => [start, Buffer.from(postings)]),
        [0, 500].map((start) => [start, Buffer.from(of(start))]),
      );
    }
    const passages = await store.passages('acc_1', [0, 501]);
    assert.deepEqual(
      passages.map(({ text, start }) => [text, start]),
      [
        ['😀', 0],
        ['bei', 1],
      ],
    );
    await pool.end();
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
