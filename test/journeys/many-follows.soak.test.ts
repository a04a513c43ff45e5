import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { systemCall } from '#src/app/open-core.ts';
import { createFollow } from '#src/contract/follows.ts';
import { followWanted } from '#src/edges/http/middleware/follow-answers.ts';
import { channels } from '#test/simulator/collections.ts';
import { samples } from '#test/simulator/samples.ts';
import { startTestApp } from '#test/support/app.ts';

// `bench -- follow` has the thousand.
const follows = 300;
const atOnce = 20;

describe('a channel that hundreds of accounts follow', () => {
  it('is requested once, each of its videos once, and each account reads and pays for each once', async () => {
    await using app = await startTestApp({ environment: { LISTINGS_PER_MINUTE: '100000' } });
    const { commands, pool, work } = app.core;
    // Without the probes: a process makes one every two minutes, and slow machines need longer for this test.
    const requests = () => app.simulator.requests.filter(({ videoId }) => videoId !== samples.probe);
    const asked = () =>
      Object.fromEntries([...Map.groupBy(requests(), ({ endpoint }) => endpoint)].map(([of, all]) => [of, all.length]));
    const wanted = followWanted(createFollow.body.parse({ source: channels.market, max_credits_per_period: 50 }));
    const accounts: string[] = [];
    const make = async (): Promise<void> => {
      for (let left = follows / atOnce; left > 0; left -= 1) {
        const { accountId } = await app.createAccount();
        await commands.startFollow(systemCall(accountId), wanted);
        accounts.push(accountId);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, make));
    const first = asked();
    assert.ok(
      Object.values(first).every((count) => count <= atOnce),
      JSON.stringify(first),
    );
    app.simulator.reset();
    const { videoId } = app.simulator.publish({ listId: channels.market });
    await work.lookAtSource({ source: `channel:${channels.market}` }, { signal: AbortSignal.timeout(60_000) });
    const charged = async () => {
      const { rows } = await pool.query<{ charges: number; accounts: number; videos: string[] }>(
        `SELECT count(*)::int AS charges, count(DISTINCT data ->> 'accountId')::int AS accounts,
           array_agg(DISTINCT data ->> 'videoId') AS videos
         FROM es_event WHERE type = 'ReservationSettled'`,
      );
      return rows[0];
    };
    for (let looks = 0; looks < 1_200 && ((await charged())?.charges ?? 0) < follows; looks += 1) await pause(250);
    await pause(2_000);
    assert.deepEqual(await charged(), { charges: follows, accounts: follows, videos: [videoId] });
    // What the platform says of the video is read twice: before its job, and for the address of its captions.
    const { feed, timedtext, ...video } = asked();
    assert.deepEqual([feed, timedtext], [1, 1]);
    assert.ok(
      Object.values(video).every((count) => count <= 2),
      JSON.stringify(video),
    );
  });
});
