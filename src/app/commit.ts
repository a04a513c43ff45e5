import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const program = new URL('../../', import.meta.url);

/**
 * The commit of the git checkout at `root`; in any other folder that of the file `COMMIT`, which a build writes. In a checkout
 * that file may be left from an `npm pack` that was killed. Null: there is neither.
 */
export const readCommit = (root: URL = program): string | null => {
  if (existsSync(new URL('.git', root))) return headOf(root);
  const written = new URL('COMMIT', root);
  return existsSync(written) ? readFileSync(written, 'utf8').trim() || null : null;
};

const headOf = (root: URL): string | null => {
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
