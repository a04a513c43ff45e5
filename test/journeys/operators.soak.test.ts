import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '#test/simulator/main.ts';
import { samples } from '#test/simulator/samples.ts';
import { clientOf } from '#test/support/app.ts';
import { startProgram, usedDataFolder } from '#test/support/program.ts';
import { jsonIn, type UsageJson } from '#test/support/response-json.ts';
import { operate } from '#test/support/run-operator.ts';

describe('an operator beside a running server on the embedded database', () => {
  it('creates an account with a key, grants it credits, changes its plan and watches its job, all visible immediately', async () => {
    await using data = await usedDataFolder();
    await using simulator = await startSimulator();
    const environment = { DATA_DIR: data.folder, PLATFORM_ORIGIN: simulator.origin };
    await using server = startProgram([], environment);
    const { get, post } = clientOf(await server.ready);

    const created = await operate(
      environment,
      ...['account', 'create', '--email', 'owner@example.com', '--plan', 'starter'],
      ...['--password', 'a long enough passphrase', '--json'],
    );
    assert.equal(created.code, 0, created.stderr);
    const { account_id: account, api_key: key } = JSON.parse(created.stdout);
    const answer = await get(`/v1/transcripts/${samples.regional}?format=txt`, { key });
    assert.equal(answer.status, 200, await answer.text());

    const grant = ['grant', '--account', account, '--credits', '50', '--id', 'spring', '--json'];
    const granted = await Promise.all([1, 2].map(() => operate(environment, ...grant)));
    assert.deepEqual(
      granted.map(({ code }) => code),
      [0, 0],
    );
    const [first, second] = granted
      .map(({ stdout }) => JSON.parse(stdout))
      .toSorted((one, other) => Number(one.repeated) - Number(other.repeated));
    assert.deepEqual([first.repeated, second], [false, { ...first, repeated: true }]);
    const usage = await jsonIn<UsageJson>(await get('/v1/usage', { key }));
    assert.deepEqual([usage.plan, usage.credits_remaining], ['starter', 1_049]);

    const assign = ['account', 'plan', '--account', account, '--plan', 'pro', '--json'];
    const assigned = await operate(environment, ...assign);
    assert.equal(assigned.code, 0, assigned.stderr);
    assert.deepEqual(JSON.parse(assigned.stdout), { account_id: account, plan: 'pro' });
    const after = await jsonIn<UsageJson>(await get('/v1/usage', { key }));
    assert.deepEqual([after.plan, after.credits_remaining], ['pro', 10_049]);
    const stranger = ['account', 'plan', '--account', 'acc_nobody', '--plan', 'pro'];
    assert.equal((await operate(environment, ...stranger)).code, 5);

    const job = await post('/v1/jobs', { ids: [samples.regional, 'no video'] }, { key });
    const { job_id: jobId } = (await job.json()) as { job_id: string };
    const watched = await operate(environment, 'jobs', 'watch', jobId, '--json');
    assert.equal(watched.code, 8, watched.stderr);
    const last = JSON.parse(watched.stdout.trim().split('\n').at(-1) ?? '');
    assert.deepEqual([last.status, last.completed_items], ['completed_with_errors', 1]);
  });
});
