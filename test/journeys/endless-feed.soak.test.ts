import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channels } from '#test/simulator/collections.ts';
import { startTestApp } from '#test/support/app.ts';
import { follower, lookAt } from '#test/support/follows.ts';

describe('a followed channel whose feed never ends', () => {
  for (const does of [{ kind: 'drip', bytes: 1, everyMs: 100 }, { kind: 'silence' }] as const) {
    it(`(${does.kind}) is read from its list once the time of a request is over`, async () => {
      await using app = await startTestApp({ environment: { EXTRACTION_DEADLINE: '3s' } });
      const { follow, count } = follower(app, await app.createAccount());
      const made = await follow(channels.oldShape);
      app.simulator.plan({ endpoint: 'feed', times: 'always', does });
      const { videoId } = app.simulator.publish({ listId: channels.oldShape });
      await lookAt(app, made);
      const [video] = await count(made.id, 1, 'complete');
      assert.equal(video?.video_id, videoId);
    });
  }
});
