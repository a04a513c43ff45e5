import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** The commit of the file `COMMIT`, which a build writes, else of the git checkout that holds the program; null: neither is there. */
export const readCommit = (): string | null => {
  const written = new URL('COMMIT', root);
  if (existsSync(written)) return readFileSync(written, 'utf8').trim() || null;
  if (!existsSync(new URL('.git', root))) return null;
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
      cwd: fileURLToPath(root),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5_000,
    }).trim();
  } catch {
    // No git on this machine, or a checkout of somebody else.
    return null;
  }
};
