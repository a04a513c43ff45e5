import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openEmbeddedPostgres } from '#src/adapters/embedded-postgres.ts';
import { makeBundles } from '#test/support/bundles.ts';
import { allFiles, filesNamed, layOut, unfinishedIn, walkedIn } from '#test/support/lanes.ts';
import { leaksIn } from '#test/support/leaks.ts';
import { openPostgresVersion, versionIn } from '#test/support/postgres-version.ts';

/** A test that hangs ends the run with its name, instead of hanging whoever waits for it. */
const testTimeoutMs = 300_000;
/** Many tests wait most of their time. */
const sideBySide = availableParallelism() * 2 + 1;
const prefix = 'steno-tests-';
const compiled = join(tmpdir(), 'steno-tests-compiled');
/** A file system in memory, where there is one: a database is some 900 files, and on a disk each costs ten times as much. */
const memoryFolder = '/dev/shm';
/** What a run needs there at most, with room to spare. */
const roomBytes = 6 * 1024 ** 3;

/** It syncs nothing to disk: nobody needs these data after a power cut. */
const settingsForTests = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  max_wal_size: '1GB',
  // A database lives for a second: nothing to tidy up, and no query that is worth compiling.
  autovacuum: 'off',
  jit: 'off',
};

/**
 * Runs the test files that the arguments name (files, folders or globs; none: all), a few processes side by side (`--lanes=2`), beside
 * one Postgres that lives as long as the run: the one that the program brings, that of another version (`--postgres=16`), or the one
 * that TEST_DATABASE_URL names.
 */
const main = async (words: readonly string[]): Promise<number> => {
  const { version, rest } = versionIn(words);
  const asked = askedIn(rest);
  const given = process.env['TEST_DATABASE_URL'];
  await removeAbandoned();
  // Made while Postgres is; who waits for them meets the error.
  const making = makeBundles();
  making.catch(() => {});

  // Not mkdtemp, which makes a folder that the OS user of Postgres could not enter when we are root.
  const folder = join(await scratchParent(), `${prefix}${process.pid}-${randomUUID()}`);
  await mkdir(folder, { mode: 0o755 });
  try {
    if (version === null && given !== undefined && given !== '') {
      const beside = { databaseUrl: given, isUnsynced: false };
      return await searched(asked, { ...beside, scratch: folder, bundles: await making });
    }
    const data = join(folder, 'run');
    await mkdir(data, { mode: 0o755 });
    const postgres = await open(version, data);
    try {
      if (version !== '15') await cheapenSignIn(postgres.url);
      console.error(
        `one Postgres ${version ?? '18'} for this run, without fsync; set TEST_DATABASE_URL to use another`,
      );
      const own = { databaseUrl: postgres.url, isUnsynced: true };
      return await searched(asked, { ...own, scratch: folder, bundles: await making });
    } finally {
      await postgres[Symbol.asyncDispose]();
      await rm(postgres.folder, { recursive: true, force: true });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

type Asked = {
  readonly files: readonly string[];
  /** How many processes share the files. */
  readonly lanes: number;
  /** For the test runner. */
  readonly options: readonly string[];
};

const askedIn = (args: readonly string[]): Asked => {
  const names = args.filter((arg) => !arg.startsWith('-'));
  const lanes = args.findLast((arg) => /^--lanes=[1-9]\d?$/.test(arg))?.split('=')[1];
  return {
    files: names.length > 0 ? filesNamed(names) : allFiles(),
    lanes: Number(lanes ?? sideBySide),
    options: args.filter((arg) => arg.startsWith('-') && !arg.startsWith('--lanes=')),
  };
};

/** Where the data of this run go. */
const scratchParent = async (): Promise<string> => {
  try {
    await access(memoryFolder, constants.W_OK);
    const { bavail, bsize } = await statfs(memoryFolder);
    const hasRoom = bavail * bsize >= roomBytes && freemem() >= 2 * roomBytes;
    return hasRoom ? memoryFolder : tmpdir();
  } catch {
    return tmpdir();
  }
};

const open = (version: string | null, dataDir: string) => {
  const settings = settingsForTests;
  if (version === null) return openEmbeddedPostgres({ dataDir, settings });
  return openPostgresVersion(version, join(dataDir, 'postgres'), settings);
};

/** Thousands of connections are made in a run, and 4,096 rounds of hashing are most of what each costs on both sides. */
const cheapenSignIn = async (url: string): Promise<void> => {
  const { username, password } = new URL(url);
  const client = new Client(url);
  await client.connect();
  await client.query('SET scram_iterations = 1');
  await client.query(
    `ALTER ROLE ${client.escapeIdentifier(username)} PASSWORD ${client.escapeLiteral(password)}`,
  );
  await client.end();
};

/** What the tests find when they start: a server for their databases, and a folder for their files. */
type Beside = {
  readonly databaseUrl: string;
  readonly scratch: string;
  /** The server is this run's own. */
  readonly isUnsynced: boolean;
  /** The folder of what tests start processes with. */
  readonly bundles: string;
};

type Kept = Beside & {
  /** Where logs and dumps are kept for the search. */
  readonly folder: string;
};

/** Runs the tests and searches what the product logged meanwhile: a secret in it fails the run. */
const searched = async (asked: Asked, beside: Beside): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-leaks-`));
  try {
    const code = await runTests(asked, { ...beside, folder });
    const leaks = leaksIn(folder);
    for (const leak of leaks.slice(0, 50)) console.error(`leak: ${leak}`);
    return leaks.length > 0 && code === 0 ? 1 : code;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const runTests = async ({ files, lanes, options }: Asked, beside: Kept): Promise<number> => {
  // What selects tests by their names would find the name that a file has in a lane, too.
  const isWhole = options.every((option) => option.startsWith('--test-reporter'));
  if (!isWhole || files.length === 1) return await runModules(files, options, beside);

  const laid = join(beside.scratch, 'lanes');
  await mkdir(laid);
  const code = await runModules(layOut(laid, files, lanes), options, beside);
  const unfinished = unfinishedIn(laid);
  for (const sentence of unfinished) console.error(sentence);
  if (code === 0 && unfinished.length === 0) return 0;
  for (const [lane, walked] of walkedIn(laid)) console.error(`${lane}: ${walked.join(' ')}`);
  return code === 0 ? 1 : code;
};

const runModules = (
  modules: readonly string[],
  options: readonly string[],
  { databaseUrl, scratch, isUnsynced, bundles, folder }: Kept,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [
        ...['--test', `--test-timeout=${testTimeoutMs}`, `--test-concurrency=${sideBySide}`],
        ...options,
        ...modules,
      ],
      {
        stdio: 'inherit',
        env: {
          ...process.env,
          TEST_DATABASE_URL: databaseUrl,
          STENO_TEST_LEAKS: folder,
          STENO_TEST_SCRATCH: scratch,
          STENO_TEST_BUNDLES: bundles,
          ...(isUnsynced ? { STENO_TEST_UNSYNCED: 'yes' } : {}),
          // Hundreds of processes load the same program: each file is compiled once.
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? compiled,
        },
      },
    );
    // Ctrl-C reaches the tests by the terminal; here it must not end us before Postgres is stopped.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => child.kill(signal));
    }
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });

/** What runs left that were killed. A Postgres whose folder is gone ends by itself within a minute. */
const removeAbandoned = async (): Promise<void> => {
  for (const parent of [tmpdir(), memoryFolder]) {
    for (const name of await readdir(parent).catch(() => [])) {
      const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
      if (pid > 0 && !isAlive(pid)) {
        // Another user's folder is for that user to remove.
        await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
      }
    }
  }
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

process.exitCode = await main(process.argv.slice(2));
