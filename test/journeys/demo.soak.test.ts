import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { type Demo, startDemo } from '#test/support/demo.ts';
import { dataFolder } from '#test/support/program.ts';
import { runLines } from '#test/support/shell.ts';

const repository = new URL('../..', import.meta.url).pathname;

/** What the receiver of webhooks that the demo names says about the job that it names. */
const receivedBy = async (demo: Demo): Promise<readonly string[]> => {
  const receiver = spawn('sh', ['-c', `exec ${demo.lineOf('Webhooks')}`], {
    cwd: repository,
    env: { PATH: process.env['PATH'], KEY: demo.lineOf('API key'), PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: string[] = [];
  for await (const line of createInterface(receiver.stdout)) {
    said.push(line.replaceAll(/[0-9a-f]{32}|(?<=:)\d{4,5}(?=\/)/g, '…'));
    if (line.startsWith('registered')) await runLines(demo.lineOf('A job'));
    if (line.startsWith('verified')) receiver.kill('SIGINT');
  }
  return said;
};

describe('the demo', () => {
  it('prints working commands, also for webhooks, starts no second demo in the shell that it sets up, ends at Ctrl-C, and keeps its account', async () => {
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
    const exported = /DATA_DIR='([^']+)'/.exec(first.lineOf('Beside it'))?.[1] ?? '';
    assert.equal(exported, join(data.folder, 'demo'));
    await assert.rejects(startDemo(exported), /demo is in use by/);
    assert.ok(!existsSync(join(exported, 'demo')));
    assert.equal(await first.end(), 0);
    assert.ok(!existsSync(join(data.folder, 'demo', 'postgres', 'data', 'postmaster.pid')));

    await using second = await startDemo(data.folder);
    assert.equal(second.lineOf('API key'), first.lineOf('API key'));
    const usage = await fetch(`${second.url}/v1/usage`, { headers: { 'X-API-Key': second.lineOf('API key') } });
    assert.equal(((await usage.json()) as { credits_used: number }).credits_used, 2);
    assert.deepEqual(await receivedBy(second), [
      'registered whk_… at http://127.0.0.1:…/',
      'verified: evt_… job.completed job_… completed, 1 credits',
      'removed whk_…',
    ]);
    assert.equal(await second.end(), 0);
  });
});
