import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { generatedId } from '#test/simulator/generated-videos.ts';
import { startTestApp } from '#test/support/app.ts';
import { usedDatabase } from '#test/support/database.ts';
import { over } from '#test/support/job-watch.ts';
import { postgresProxy } from '#test/support/postgres-proxy.ts';

describe('an idle process', () => {
  it('queries the database a few times a second, and starts requested work at once', async () => {
    await using database = await usedDatabase();
    await using proxy = await postgresProxy(database.url);
    await using app = await startTestApp({ database: proxy });
    const { key } = await app.createAccount();
    await pause(3_000);
    const before = proxy.sent;
    await pause(4_000);
    // Looks at the queue and at the log, and signs of life; each of its 27 workers asking would be that many a second more.
    const perSecond = (proxy.sent - before) / 4;
    assert.ok(perSecond < 12, `${perSecond} statements a second`);

    const made = await app.post('/v1/jobs', { ids: [generatedId('vid', 5)] }, { key });
    const { job_id: jobId } = (await made.json()) as { job_id: string };
    assert.equal((await over(app, key, jobId)).status, 'completed');
  });
});
