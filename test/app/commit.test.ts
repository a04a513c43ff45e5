import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readCommit } from '#src/app/commit.ts';

describe('the commit of the program', () => {
  it('is that of the file COMMIT outside a checkout, and of the checkout whatever a killed npm pack has left', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'steno-commit-'));
    const root = pathToFileURL(`${folder.path}/`);
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: folder.path, env: { PATH: process.env['PATH'] }, encoding: 'utf8' }).trim();
    assert.equal(readCommit(root), null);
    await writeFile(new URL('COMMIT', root), '0a1b2c3d4e5f\n');
    assert.equal(readCommit(root), '0a1b2c3d4e5f');

    git('init', '--quiet');
    const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'one');
    assert.equal(readCommit(root), git('rev-parse', '--short=12', 'HEAD'));
  });
});
