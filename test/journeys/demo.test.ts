import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startDemo } from '#test/support/demo.ts';
import { usedDataFolder } from '#test/support/program.ts';
import { runLines } from '#test/support/shell.ts';

describe('the demo', () => {
  it('prints a line that works, and ends at Ctrl-C with its Postgres', async () => {
    await using data = await usedDataFolder();
    const folder = join(data.folder, 'demo');
    await mkdir(folder);
    for (const name of ['postgres', 'secret-key']) await rename(join(data.folder, name), join(folder, name));
    await using first = await startDemo(data.folder, { isNpmStart: false });
    const line = first.lineOf('Try it');
    assert.match(line, /^curl /);
    const { code, stdout } = await runLines(line);
    assert.equal(code, 0);
    assert.match(stdout, /^\[00:01\] Good evening, and welcome to Harbour Notes\.\n\[00:04\] /);
    assert.equal(await first.end(), 0);
    assert.ok(!existsSync(join(folder, 'postgres', 'data', 'postmaster.pid')));
  });
});
