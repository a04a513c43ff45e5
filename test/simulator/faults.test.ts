import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { startSimulator } from './main.ts';
import { samples } from './samples.ts';
import { ask, at, clients, listAt } from './simulator-client.ts';

const play = (simulator: { origin: string }, videoId: string = samples.prose) => ask(simulator, 'player', { videoId });

describe('the faults planned for the simulator', () => {
  it('apply in order to the next matching calls, and then stop', async () => {
    await using simulator = await startSimulator();
    simulator.plan(
      { endpoint: 'player', does: { kind: 'status', status: 503, retryAfter: 7 } },
      { endpoint: 'player', videoId: samples.regional, does: { kind: 'html', page: 'captcha' } },
    );
    assert.equal((await play(simulator)).status, 503);
    assert.equal((await play(simulator)).status, 200);
    assert.equal((await play(simulator, samples.regional)).status, 429);
    assert.equal((await play(simulator, samples.regional)).status, 200);
  });

  it('apply after skipped calls, as often as planned, and only to the planned client', async () => {
    await using simulator = await startSimulator();
    simulator.plan({ client: 'ANDROID', skip: 1, times: 'always', does: { kind: 'json', body: { hello: 1 } } });
    assert.ok(at((await play(simulator)).json, 'playabilityStatus'));
    assert.deepEqual((await play(simulator)).json, { hello: 1 });
    assert.deepEqual((await play(simulator)).json, { hello: 1 });
    const other = await ask(simulator, 'player', { videoId: samples.prose }, clients.visionos);
    assert.ok(at(other.json, 'playabilityStatus'));
    simulator.reset();
    assert.ok(at((await play(simulator)).json, 'playabilityStatus'));
  });

  it('cut off, truncate, delay and withhold responses', async () => {
    await using simulator = await startSimulator();
    simulator.plan({ does: { kind: 'reset' } });
    await assert.rejects(play(simulator));
    simulator.plan({ does: { kind: 'cut' } });
    await assert.rejects(play(simulator));
    simulator.plan({ does: { kind: 'truncated', bytes: 20 } });
    await assert.rejects(play(simulator), SyntaxError);
    simulator.plan({ does: { kind: 'empty' } });
    assert.equal((await play(simulator)).text, '');
    simulator.plan({ does: { kind: 'drip', bytes: 500, everyMs: 1 } });
    assert.equal(at((await play(simulator)).json, 'videoDetails.videoId'), samples.prose);
    simulator.plan({ does: { kind: 'other_video', videoId: samples.regional } });
    assert.equal(at((await play(simulator)).json, 'videoDetails.videoId'), samples.regional);
    simulator.plan({ does: { kind: 'silence' } });
    const asked = simulator.nextRequest();
    const leaving = new AbortController();
    const silent = fetch(`${simulator.origin}/youtubei/v1/player`, { signal: leaving.signal });
    await asked;
    leaving.abort();
    await assert.rejects(silent, { name: 'AbortError' });
  });

  it('send oversized bodies, plain and compressed', async () => {
    await using simulator = await startSimulator();
    for (const isCompressed of [false, true]) {
      simulator.plan({ does: { kind: 'huge', bytes: 3_000_000, isCompressed } });
      const response = await fetch(`${simulator.origin}/youtubei/v1/player`, { method: 'POST' });
      assert.ok((await response.arrayBuffer()).byteLength >= 3_000_000);
    }
  });
});

describe('the simulator as a process', () => {
  it('prints its origin, accepts fault plans and lists the requests it received', async () => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx/esm', new URL('main.ts', import.meta.url).pathname, '--port', '0'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      const [line] = await once(createInterface(child.stdout), 'line');
      const simulator: { origin: string } = JSON.parse(String(line));
      const control = (path: string, method: string, body?: object) =>
        fetch(`${simulator.origin}/_simulator/${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
      const planned = await control('plan', 'POST', [{ does: { kind: 'status', status: 500 } }]);
      assert.equal(planned.status, 201);
      assert.equal((await control('plan', 'POST', { nonsense: true })).status, 400);
      assert.equal((await play(simulator)).status, 500);
      const seen = await (await control('requests?endpoint=player', 'GET')).json();
      assert.equal(at(seen, 'requests.0.videoId'), samples.prose);
      assert.equal(at(seen, 'requests.0.host'), 'www.youtube.com');
      assert.equal((await control('reset', 'POST')).status, 204);
      const none = await (await control('requests', 'GET')).json();
      assert.deepEqual(at(none, 'requests'), []);
      const samplesTold = await (await control('videos', 'GET')).json();
      assert.equal(listAt(samplesTold, 'videos').length, Object.keys(samples).length);
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });
});
