import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channels } from '#test/simulator/collections.ts';
import { follower, lookAt } from '#test/support/follows.ts';
import { startApi, until, workerOn } from '#test/support/queue.ts';

describe('a follow whose tasks are lost in the queue', () => {
  it('still finds new videos, and reads each once', async () => {
    await using app = await startApi();
    const { pool } = app.core;
    const lose = () => pool.query('DELETE FROM graphile_worker._private_jobs');
    const { follow, count } = follower(app, await app.createAccount());
    const made = await follow(channels.market);
    const { videoId } = app.simulator.publish({ listId: channels.market });
    await lookAt(app, made);
    assert.equal((await lose()).rowCount, 1, 'that follows are to be told');
    let turns = 0;
    const idle = await workerOn(app, {
      advanceVideo: async () => {
        turns += 1;
        throw new TypeError('not yet');
      },
    });
    await until(() => turns > 0);
    await idle[Symbol.asyncDispose]();
    await lose();
    await using worker = await workerOn(app, {});
    assert.ok(worker);
    const [video, ...more] = await count(made.id, 1, 'complete');
    assert.deepEqual([video?.video_id, more], [videoId, []]);
  });
});
