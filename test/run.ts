import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedPostgres } from '#src/adapters/embedded-postgres.ts';
import { leaksIn } from '#test/support/leaks.ts';
import { openPostgresVersion, versionIn } from '#test/support/postgres-version.ts';

/** A test that hangs ends the run with its name, instead of hanging whoever waits for it. */
const testTimeoutMs = 300_000;
const prefix = 'steno-tests-';
const compiled = join(tmpdir(), 'steno-tests-compiled');

/** It syncs nothing to disk: nobody needs these data after a power cut. */
const settingsForTests = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  max_wal_size: '4GB',
};

/**
 * Runs the test files that the arguments name (files, folders or globs; none: all), beside one Postgres
 * that lives as long as the run: the one that the program brings, that of another version (`--postgres=16`), or the one
 * that TEST_DATABASE_URL names.
 */
const main = async (words: readonly string[]): Promise<number> => {
  const { version, rest: args } = versionIn(words);
  const given = process.env['TEST_DATABASE_URL'];
  await removeAbandoned();
  if (version === null && given !== undefined && given !== '') return await searched(args, given);

  // Not mkdtemp, which makes a folder that the OS user of Postgres could not enter when we are root.
  const folder = join(tmpdir(), `${prefix}${process.pid}-${randomUUID()}`);
  await mkdir(folder, { mode: 0o755 });
  try {
    const postgres = await open(version, folder);
    try {
      console.error(
        `one Postgres ${version ?? '18'} for this run, without fsync; set TEST_DATABASE_URL to use another`,
      );
      return await searched(args, postgres.url);
    } finally {
      await postgres[Symbol.asyncDispose]();
      await rm(postgres.folder, { recursive: true, force: true });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const open = (version: string | null, dataDir: string) => {
  const settings = settingsForTests;
  if (version === null) return openEmbeddedPostgres({ dataDir, settings });
  return openPostgresVersion(version, join(dataDir, 'postgres'), settings);
};

/** Runs the tests and searches what the product logged meanwhile: a secret in it fails the run. */
const searched = async (args: readonly string[], databaseUrl: string): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-leaks-`));
  try {
    const code = await runTests(args, { databaseUrl, folder });
    const leaks = leaksIn(folder);
    for (const leak of leaks.slice(0, 50)) console.error(`leak: ${leak}`);
    return leaks.length > 0 && code === 0 ? 1 : code;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const runTests = (
  args: readonly string[],
  { databaseUrl, folder }: { readonly databaseUrl: string; readonly folder: string },
): Promise<number> =>
  new Promise((resolve, reject) => {
    const options = args.filter((arg) => arg.startsWith('-'));
    const files = args.filter((arg) => !arg.startsWith('-')).map(toGlob);
    const child = spawn(
      process.execPath,
      [
        ...['--test', `--test-timeout=${testTimeoutMs}`],
        `--test-concurrency=${availableParallelism() * 2}`,
        ...options,
        ...(files.length > 0 ? files : ['test/**/*.test.ts']),
      ],
      {
        stdio: 'inherit',
        env: {
          ...process.env,
          TEST_DATABASE_URL: databaseUrl,
          STENO_TEST_LEAKS: folder,
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

const toGlob = (name: string): string => {
  const isFolder = statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? `${name.replace(/\/$/, '')}/**/*.test.ts` : name;
};

/** What runs left that were killed. A Postgres whose folder is gone ends by itself within a minute. */
const removeAbandoned = async (): Promise<void> => {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) {
      // Another user's folder is for that user to remove.
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
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
