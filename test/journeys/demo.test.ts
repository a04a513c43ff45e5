import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startDemo } from '#test/support/demo.ts';
import { dataFolder } from '#test/support/program.ts';
import { runLines } from '#test/support/shell.ts';

describe('the demo', () => {
  it('prints a line that works, and ends at Ctrl-C with its Postgres', async () => {
    await using data = await dataFolder();
    await using first = await startDemo(data.folder);
    const line = first.lineOf('Try it');
    assert.match(line, /^curl /);
    const { code, stdout } = await runLines(line);
    assert.equal(code, 0);
    assert.match(stdout, /^\[00:01\] Good evening, and welcome to Harbour Notes\.\n\[00:04\] /);
    assert.equal(await first.end(), 0);
    assert.ok(!existsSync(join(data.folder, 'demo', 'postgres', 'data', 'postmaster.pid')));
  });
});
