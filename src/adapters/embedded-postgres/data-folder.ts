import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canEnter, findOsUser, type OsUser } from './binaries.ts';

/** The folder of a cluster, its OS user, and the folder for copies of programs. */
export type Place = {
  readonly folder: string;
  readonly user: OsUser;
  readonly copiesFolder: string;
  /** The data folder, without links. */
  readonly dataDir: string;
};

/** A file in a data folder whose cluster is in another folder: its path. A copy of such a data folder is incomplete. */
const pointerFile = 'postgres-is-in';
const elsewhereRoot = '/var/lib/steno';

/**
 * Where the cluster of a data folder is, or will be. It stays where it was made.
 * A new one of root goes to `/var/lib/steno/…` when its OS user cannot enter the data folder.
 */
export const locate = async (wanted: string, onNotice: (message: string) => void): Promise<Place> => {
  const isRoot = process.getuid?.() === 0;
  await mkdir(wanted, { recursive: true, mode: isRoot ? 0o755 : 0o700 });
  const dataDir = await realpath(wanted);
  const inside = join(dataDir, 'postgres');
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const elsewhere = join(elsewhereRoot, name, 'postgres');
  const copiesFolder = isRoot ? elsewhereRoot : dataDir;

  for (const folder of isRoot ? [elsewhere, inside] : [inside]) {
    const owner = await ownerOf(join(folder, 'data'));
    if (owner === null) continue;
    if (!isRoot && owner.uid !== process.getuid?.()) {
      throw new Error(`the database in ${folder} belongs to the OS user ${owner.uid}; start as that user or as root`);
    }
    if (folder === elsewhere) onNotice(`the database of ${dataDir} is in ${folder}`);
    return { folder, user: isRoot ? owner : null, copiesFolder, dataDir };
  }
  await refuseHalfCopy(dataDir, isRoot ? elsewhere : inside);
  const user = await findOsUser();
  if (user === null || (await canEnter(dataDir, user))) {
    return { folder: inside, user, copiesFolder, dataDir };
  }
  await mkdir(dirname(elsewhere), { recursive: true, mode: 0o755 });
  onNotice(
    `${dataDir} can only be entered by root, and Postgres does not run as root: the database is in ${elsewhere}`,
  );
  return { folder: elsewhere, user, copiesFolder, dataDir };
};

/** Writes the path of the cluster into the data folder, once the cluster exists. */
export const writeClusterPointer = async ({ dataDir, folder }: Place): Promise<void> => {
  if (dirname(folder) === dataDir) return;
  const path = join(dataDir, pointerFile);
  const known = await readFile(path, 'utf8').catch(() => null);
  if (known?.trim() !== folder) await writeFile(path, `${folder}\n`);
};

/** Postgres runs as the owner of its files, and never as root. Files that root copied may belong to root. */
export const refuseFilesOfRoot = ({ folder, user }: Place): void => {
  if (user?.uid !== 0) return;
  throw new Error(
    `the database in ${folder} belongs to root, and Postgres does not run as root: give it to another user, as by chown -R postgres ${folder}`,
  );
};

/** An empty database would look like lost data to an owner who has restored half of an installation. */
const refuseHalfCopy = async (dataDir: string, target: string): Promise<void> => {
  const path = join(dataDir, pointerFile);
  const was = await readFile(path, 'utf8').catch(() => null);
  if (was === null) return;
  throw new Error(
    `the database of ${dataDir} is not there: it was in ${was.trim()}; copy that folder, with its owner, to ${target}, or remove ${path} to begin with an empty one`,
  );
};

const ownerOf = (folder: string): Promise<OsUser> =>
  stat(folder).then(
    ({ uid, gid }) => ({ uid, gid }),
    () => null,
  );
