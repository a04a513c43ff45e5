import { createHash } from 'node:crypto';
import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/*
 * A run of tests starts more than a hundred processes, each of which finds and loads five hundred files before it does
 * anything. Bundled, once a run, they start in half the processor time.
 */

const repository = fileURLToPath(new URL('../..', import.meta.url));
/** By number: a user of a container may have no name. */
const kept = join(tmpdir(), `steno-tests-bundled-${process.getuid?.() ?? ''}`);
const keptForMs = 24 * 60 * 60 * 1_000;

/** What tests start processes with. */
export const bundledModules = ['src/main.ts', 'test/support/worker-process.ts'] as const;

/** Bundled, a file still finds what stands beside it. */
const namesOfFiles: Plugin = {
  name: 'names of files',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const url = JSON.stringify(pathToFileURL(path).href);
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', url) };
    });
  },
};

/** Bundles them, and gives the folder that they are in. */
export const makeBundles = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: bundledModules.map((module) => join(repository, module)),
    outdir: kept,
    entryNames: '[name]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: `node${process.versions.node}`,
    external: ['@node-rs/argon2', 'pg-native'],
    // Packages that are no ES modules require what Node brings.
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
    },
    plugins: [namesOfFiles],
  });
  const files = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
  const hash = createHash('sha256');
  for (const { name, contents } of files) hash.update(name).update(contents);
  // Named after what is in it, so that later runs find there what Node has compiled.
  const folder = join(kept, hash.digest('hex').slice(0, 16));
  await removeUnused();
  const isThere = await utimes(folder, new Date(), new Date()).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  const beside = `${folder}.${process.pid}`;
  await mkdir(beside, { recursive: true });
  for (const { name, contents } of files) await writeFile(join(beside, name), contents);
  await symlink(join(repository, 'node_modules'), join(beside, 'node_modules'), 'junction');
  // Another run may have been first: then its folder stays.
  await rename(beside, folder).catch(() => rm(beside, { recursive: true }));
  return folder;
};

const removeUnused = async (): Promise<void> => {
  for (const name of await readdir(kept).catch(() => [])) {
    const path = join(kept, name);
    const usedAt = await stat(path).catch(() => null);
    if (usedAt !== null && Date.now() - usedAt.mtimeMs > keptForMs) {
      await rm(path, { recursive: true, force: true });
    }
  }
};
