import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { startApp } from '#src/app.ts';
import { loadConfig } from '#src/config.ts';
import { samples } from '#test/simulator/samples.ts';
import { silentLogger, startTestApp } from '#test/support/app.ts';
import { testDatabase } from '#test/support/database.ts';
import { operate } from '#test/support/run-operator.ts';

const transcript = `/v1/transcripts/${samples.prose}`;

describe('a database that was restored in parts', () => {
  it('is refused with the contradictions, which verify lists too, and is used again after its events are adopted', async () => {
    await using database = await testDatabase();
    const { key, environment } = await (async () => {
      await using app = await startTestApp({ database });
      const { key } = await app.createAccount({ plan: 'pro' });
      for (let n = 0; n < 3; n += 1) await (await app.get(transcript, { key })).arrayBuffer();
      // Read models have everything when an account is asked for its usage.
      await (await app.get('/v1/usage', { key })).arrayBuffer();
      return { key, environment: app.environment };
    })();

    // The events of an older dump beside everything else of a newer one.
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(`
      BEGIN;
      ALTER TABLE es_event DISABLE TRIGGER es_event_append_only;
      DELETE FROM es_event WHERE position > (SELECT max(position) - 2 FROM es_event);
      ALTER TABLE es_event ENABLE ALWAYS TRIGGER es_event_append_only;
      SELECT setval('es_position', (SELECT max(position) - 1 FROM es_event));
      COMMIT`);
    await client.end();

    await assert.rejects(
      startApp(loadConfig({ ...environment }), { logger: silentLogger }),
      /^Error: the event log contradicts itself: the next position is \d+, and there is an event at \d+ \(and \d+ more\); .* `steno log adopt`$/,
    );
    const verified = await operate(environment, 'verify', '--json');
    assert.equal(verified.code, 1);
    for (const sign of ['the next position is', 'has handled position', 'that event is missing']) {
      assert.ok(verified.stdout.includes(sign), `${sign} is not in ${verified.stdout}`);
    }

    const adopted = await operate(environment, 'log', 'adopt');
    assert.equal(adopted.code, 0, adopted.stderr);
    assert.match(adopted.stderr, /^repaired; next: steno projections rebuild, then steno verify\n$/);
    assert.equal((await operate(environment, 'projections', 'rebuild')).code, 0);
    const again = await operate(environment, 'log', 'adopt', '--json');
    assert.deepEqual(JSON.parse(again.stdout), { settled: [] });

    await using app = await startTestApp({ database });
    assert.equal((await app.get(transcript, { key })).status, 200);
    const { code, stdout } = await operate(environment, 'verify', '--json');
    assert.equal(code, 0, stdout);
  });
});
