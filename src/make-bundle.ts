import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleInto } from './bundle.ts';

/** Processes that still run the bundle before load parts of it later. */
const keptBundles = 3;

/** Makes the bundle of the program in this folder. It is there whole or not at all, also when several processes make it at once. */
const makeBundle = async (folder: string): Promise<void> => {
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  await bundleInto(unfinished, ['src/main.ts']);
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
};

/** Removes all but the newest bundles beside this one. */
const removeOld = async (folder: string): Promise<void> => {
  const paths = (await readdir(dirname(folder))).map((name) => join(dirname(folder), name));
  const bundles = await Promise.all(paths.map(async (path) => ({ path, madeAt: (await stat(path)).mtimeMs })));
  const old = bundles.toSorted((one, other) => other.madeAt - one.madeAt).slice(keptBundles);
  await Promise.all(old.map(({ path }) => rm(path, { recursive: true, force: true })));
};

const isUnwritable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(String(error.code));

const [, , folder = ''] = process.argv;
try {
  await makeBundle(folder);
  await removeOld(folder);
} catch (error) {
  // An installation that cannot be written runs from its sources.
  if (!isUnwritable(error)) throw error;
}
