import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Entry points of the processes that tests start. A bundle starts in half the processor time of some 500 source files. */
export const bundledModules = ['src/main.ts', 'test/support/worker-process.ts'] as const;

const supportImport = /^(?:import|\}) .*'#test\/support\/([\w-]+\.ts)'/gm;

/** Whether one of these test files starts such processes: it imports `program.ts`, or something in this folder that does. */
export const startPrograms = (files: readonly string[]): boolean => {
  const reached = new Set(files);
  for (const file of reached) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(supportImport)) {
      const path = join(import.meta.dirname, name);
      // A test of the architecture quotes imports of files that are not there.
      if (existsSync(path)) reached.add(path);
    }
  }
  return reached.has(join(import.meta.dirname, 'program.ts'));
};

/** Keeps `import.meta.url` of each source file, so that migrations and word lists are found. */
const keepModuleUrls: Plugin = {
  name: 'keep module URLs',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const url = JSON.stringify(pathToFileURL(path).href);
      const text = await readFile(path, 'utf8');
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', url) };
    });
  },
};

/** Bundles them into this folder. */
export const bundlePrograms = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'), 'junction');
  await build({
    entryPoints: bundledModules.map((module) => join(repository, module)),
    outdir: folder,
    entryNames: '[name]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: `node${process.versions.node}`,
    // Comments of packages hold characters beyond ASCII, with which a bundle takes twice the memory and longer to read.
    minifyWhitespace: true,
    external: ['@node-rs/argon2', 'esbuild', 'pg-native'],
    // Bundled CommonJS packages call `require`; other modules may declare `require` or `createRequire` themselves.
    banner: {
      js: `import { createRequire as requireOfBundle } from 'node:module'; globalThis.require ??= requireOfBundle(import.meta.url);`,
    },
    plugins: [keepModuleUrls],
  });
};
