import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dataFolder } from '#test/support/program.ts';
import { runLines } from '#test/support/shell.ts';

const program = fileURLToPath(new URL('../simulator/demo.ts', import.meta.url));
const loader = import.meta.resolve('tsx/esm');

/** One run of the demo, from its start to the end of what it says to its user. */
const startDemo = async (dataDir: string) => {
  const child = spawn(process.execPath, ['--import', loader, program], {
    cwd: tmpdir(),
    // A configured database is not for the demo.
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let said = '';
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (said.includes('Ctrl-C')) resolve();
    });
    child.once('exit', () => reject(new Error(`the demo ended early: ${complaints}`)));
  });
  /** Ends it as a user does; its exit code. */
  const end = async (): Promise<unknown> => {
    child.kill('SIGINT');
    return (await exited)[0];
  };
  return {
    lineOf: (first: string) => new RegExp(`^${first}\\s+(.+)$`, 'm').exec(said)?.[1] ?? '',
    url: /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0],
    end,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) await end();
    },
  };
};

describe('the demo', () => {
  it('prints a key and a curl line that works, ends at Ctrl-C, and keeps its account', async () => {
    await using data = await dataFolder();
    await using first = await startDemo(data.folder);
    const line = first.lineOf('Try it');
    assert.match(line, /^curl /);
    const { code, stdout } = await runLines(line);
    assert.equal(code, 0);
    assert.match(stdout, /^\[00:01\] Good evening, and welcome to Harbour Notes\.\n\[00:04\] /);
    assert.equal((await runLines(line, {}, { ownCurl: true })).stdout, stdout);
    // A shell with the settings that it prints reaches the demo's own database, not another one beside it.
    const commands = [
      'npm run -s steno -- ledger export --account $ACCOUNT',
      'npm run -s steno -- get private-001 languages-6 --lang ja',
    ];
    const [ledger, got] = await Promise.all(
      commands.map((command) => runLines(`${first.lineOf('Beside it')}\n${command}`)),
    );
    assert.equal(ledger?.code, 0, ledger?.stderr);
    assert.match(ledger?.stdout ?? '', /"type":"CreditsCharged".*"videoId":"lighthouse1"/);
    assert.equal(got?.code, 8, got?.stderr);
    assert.equal(await first.end(), 0);
    assert.ok(!existsSync(join(data.folder, 'demo', 'postgres', 'data', 'postmaster.pid')));

    await using second = await startDemo(data.folder);
    assert.equal(second.lineOf('API key'), first.lineOf('API key'));
    const usage = await fetch(`${second.url}/v1/usage`, {
      headers: { 'X-API-Key': second.lineOf('API key') },
    });
    assert.equal(((await usage.json()) as { credits_used: number }).credits_used, 2);
    assert.equal(await second.end(), 0);
  });
});
