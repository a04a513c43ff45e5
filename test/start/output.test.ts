import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { describe, it } from 'node:test';
import { startOf } from '#test/support/program.ts';

const { script, env } = startOf('src/main.ts');

describe('the output of a command', () => {
  it('may be left unread: a reader may close the pipe', async () => {
    const child = spawn(process.execPath, ['--no-warnings', script, '--help'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    assert.equal((await once(child, 'close'))[0], 0);
  });

  it('is reported as lost if it cannot be written, as on a full disk', async () => {
    const unwritable = openSync(devNull, 'r');
    const child = spawn(process.execPath, ['--no-warnings', script, '--help'], {
      env,
      stdio: ['ignore', unwritable, 'pipe'],
    });
    closeSync(unwritable);
    let talk = '';
    child.stderr?.on('data', (chunk) => {
      talk += chunk;
    });
    assert.equal((await once(child, 'close'))[0], 1);
    assert.match(talk, /^steno: the output cannot be written: EBADF.*\n$/);
  });
});
