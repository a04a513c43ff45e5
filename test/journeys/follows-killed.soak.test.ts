import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { channels } from '#test/simulator/collections.ts';
import { follower } from '#test/support/follows.ts';
import { booksOf } from '#test/support/job-books.ts';
import { startOwnPostgres } from '#test/support/own-postgres.ts';
import { startApi, until } from '#test/support/queue.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { operate } from '#test/support/run-operator.ts';
import { freshSeed, seeded } from '#test/support/seeded.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/support/start-worker-process.ts';

const kills = 24;
const followers = 2;

describe('a follow whose workers and whose database server are killed', () => {
  it('reads each video once, charges it once and notifies of it once', async () => {
    await using postgres = await startOwnPostgres();
    const environment = { WEBHOOK_PORTS: '1-65535', LISTINGS_PER_MINUTE: '1000' };
    await using app = await startApi(environment, { database: postgres });
    await using receiver = await startReceiver();
    const seed = freshSeed();
    const random = seeded(seed);
    const accounts = await Promise.all(
      Array.from({ length: followers }, async () => {
        const account = await app.createAccount({ plan: 'pro', credits: 1_000 });
        return { ...account, ...follower(app, account) };
      }),
    );
    const follows: string[] = [];
    for (const { follow } of accounts) {
      const { id } = await follow(channels.market, { webhook_url: receiver.url });
      follows.push(id);
    }
    for (const endpoint of ['feed', 'reel', 'timedtext'] as const)
      app.simulator.plan({ endpoint, times: 'always', does: { kind: 'delay', ms: 30 } });
    await using running = new AsyncDisposableStack();
    const start = async (tries = 8): Promise<WorkerProcess> => {
      const started = startWorkerProcess(app.environment, ['brief']);
      const again = (error: unknown) => (tries > 1 ? start(tries - 1) : Promise.reject(error));
      return await started.then((worker) => running.use(worker), again);
    };
    const lookNow = () =>
      app.core.pool.query('UPDATE followed_sources SET next_look_at = now()').catch(() => undefined);
    const published: string[] = [];
    const next = [start(), start()];
    for (let n = 0; n < kills; n += 1) {
      const working = await next.shift();
      assert.ok(working);
      const [isServerKilled, isWorkerKilled] = [n % 2 === 1, n % 4 !== 1];
      if (isWorkerKilled) next.push(start());
      let requests = Math.ceil(random() * 3);
      const point = app.simulator.nextRequest(({ endpoint }) => {
        if (endpoint === 'feed' || endpoint === 'reel' || endpoint === 'timedtext') requests -= 1;
        return requests === 0;
      });
      for (let more = Math.ceil(random() * 2); more > 0; more -= 1)
        published.push(app.simulator.publish({ listId: channels.market }).videoId);
      await lookNow();
      await Promise.race([point, pause(15_000)]);
      await pause(random() * 150);
      if (isServerKilled) await postgres.restart('SIGKILL', () => pause(random() * 300));
      if (isWorkerKilled) assert.equal(await working.end('SIGKILL'), null);
      else next.unshift(Promise.resolve(working));
    }
    await until(async () => (await app.get('/api/health/ready')).status === 200);
    // The others take no task that is in quarantine after many crashes.
    await using last = await startWorkerProcess(app.environment);
    assert.ok(last);
    const all = published.toSorted();
    for (const [index, { accountId, videos }] of accounts.entries()) {
      const id = follows[index] as string;
      for (let looks = 0; ; looks += 1) {
        const found = await videos(id);
        if (found.filter(({ status }) => status === 'complete').length >= Math.min(all.length, 50)) break;
        // The last look may have read the feed before the last video was published: the next one is in an hour.
        if (looks % 25 === 0) await lookNow();
        assert.ok(looks < 600, `seed ${seed}: ${JSON.stringify(found.filter(({ status }) => status !== 'complete'))}`);
        await pause(200);
      }
      const found = await videos(id);
      assert.deepEqual(found.map(({ video_id }) => video_id).toSorted(), all, `seed ${seed}`);
      const jobs = found.map(({ job_id }) => job_id as string);
      assert.equal(new Set(jobs).size, all.length);
      const books = await booksOf(app, accountId, ...jobs);
      assert.deepEqual(books, { settled: all.length, items: all.length, remaining: 1_000 - all.length, reserved: 0 });
    }
    const told = () =>
      new Map(
        receiver.received.map(({ json }) => [`${json.id}`, `${json.data['follow_id']} ${json.data['video_id']}`]),
      );
    await until(() => told().size >= all.length * followers);
    await pause(2_000);
    const messages = told();
    assert.equal(messages.size, all.length * followers);
    assert.equal(new Set(messages.values()).size, all.length * followers);
    const { code, stdout } = await operate(app.environment, 'verify', '--json');
    assert.equal(code, 0, stdout);
  });
});
