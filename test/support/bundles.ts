import { existsSync, readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleInto } from '#src/bundle.ts';

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

/** Bundles them into this folder. */
export const bundlePrograms = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'), 'junction');
  await bundleInto(folder, bundledModules);
};
