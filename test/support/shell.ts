import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProgramResult } from './program.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const curl = fileURLToPath(new URL('curl.ts', import.meta.url));
const timeoutMs = 180_000;

/**
 * Runs lines of the documents with `sh -e` in the folder of the repository, stopping at
 * the first that fails. Without curl on the machine (or with `ownCurl`), `test/support/curl.ts` replaces it.
 */
export const runLines = async (
  lines: string,
  environment: Readonly<Record<string, string>> = {},
  { ownCurl = false }: { readonly ownCurl?: boolean } = {},
): Promise<ProgramResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'steno-shell-'));
  try {
    const standIn = join(folder, 'curl');
    await writeFile(standIn, `#!/bin/sh\nexec '${process.execPath}' '${curl}' "$@"\n`);
    await chmod(standIn, 0o755);
    // `npm` of the suite's own Node, so that a script runs the version the project pins.
    const found = [dirname(process.execPath), process.env['PATH'] ?? ''];
    const path = ownCurl ? [folder, ...found] : [...found, folder];
    return await new Promise((resolve) => {
      execFile(
        'sh',
        ['-e', '-c', lines],
        {
          cwd: repository,
          env: {
            HOME: folder,
            NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
            ...environment,
            PATH: path.join(delimiter),
          },
          timeout: timeoutMs,
          maxBuffer: 50_000_000,
        },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
