import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Pool } from 'pg';
import { postgresPool } from '#src/adapters/postgres/pool.ts';
import {
  type PostgresTranscriptCache,
  postgresTranscriptCache,
} from '#src/adapters/postgres/transcript-cache-postgres.ts';
import { failure } from '#src/extraction/failures.ts';
import type { KnownTranscript, KnownVideo, TranscriptCache } from '#src/extraction/transcript-cache.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { memoryTranscriptCache } from '#test/support/memory-transcript-cache.ts';

const videoOf = (videoId: string, fetchedAt = '2026-08-01T12:00:00.000Z'): KnownVideo => ({
  video: {
    videoId,
    title: 'Title "quoted" ä 😀',
    channel: null,
    channelId: 'UCEnBXANsKmyj2r9xVyKoDiQ',
    durationS: 61,
    isLive: false,
  },
  tracks: [{ id: '.en', language: 'en', name: 'English', kind: 'manual', isTranslatable: true, isRightToLeft: false }],
  defaultTrackId: '.en',
  fetchedAt,
});
const transcriptOf = (trackId: string, text: string): KnownTranscript => ({
  trackId,
  contentSha256: Buffer.from(text).toString('hex').padEnd(64, '0').slice(0, 64),
  fetchedAt: '2026-08-01T12:00:00.000Z',
  segments: [
    { text, startMs: 0, durationMs: 1500, endMs: 1000, words: [{ text, startMs: 250 }] },
    { text: '\u202bשלום\u202c', startMs: 1000, durationMs: 10, endMs: 1010 },
  ],
});
const refusal = (trackId: string | null) => ({
  trackId,
  failure: failure('no_captions', null, { a: [1] }, 3),
  expiresAt: '2026-08-02T12:00:00.000Z',
});

const contract = (name: string, cacheOf: () => TranscriptCache) =>
  describe(`the cache in ${name}`, () => {
    it('returns nothing for a video that was never read', async () => {
      assert.deepEqual(await cacheOf().readVideo('nothing-001'), { known: null, refusals: [] });
      assert.equal(await cacheOf().readTranscript('nothing-001', '.en'), null);
    });

    it('returns a video and a transcript as they were stored', async () => {
      const cache = cacheOf();
      const known = videoOf('whole-00001');
      await cache.save(known, transcriptOf('.en', 'one'));
      assert.deepEqual(await cache.readVideo('whole-00001'), { known, refusals: [] });
      assert.deepEqual(await cache.readTranscript('whole-00001', '.en'), transcriptOf('.en', 'one'));
      assert.equal(await cache.readTranscript('whole-00001', 'a.en'), null);
    });

    it('replaces what is read again and keeps the other tracks', async () => {
      const cache = cacheOf();
      await cache.save(videoOf('again-00001'), transcriptOf('.en', 'one'));
      await cache.save(videoOf('again-00001'), transcriptOf('a.en', 'one'));
      const later = videoOf('again-00001', '2026-08-03T00:00:00.000Z');
      await cache.save(later, transcriptOf('.en', 'two'));
      assert.deepEqual((await cache.readVideo('again-00001')).known, later);
      assert.equal((await cache.readTranscript('again-00001', '.en'))?.segments[0]?.text, 'two');
      assert.equal((await cache.readTranscript('again-00001', 'a.en'))?.segments[0]?.text, 'one');
    });

    it('keeps refusals of a video and of a track until something better is saved', async () => {
      const cache = cacheOf();
      await cache.saveRefusal('refused-001', refusal(null));
      await cache.saveRefusal('refused-001', refusal('.en'));
      const { known, refusals } = await cache.readVideo('refused-001');
      assert.equal(known, null);
      assert.deepEqual(refusals.map(({ trackId }) => trackId).sort(), ['.en', null].sort());
      const whole = refusals.find(({ trackId }) => trackId === null);
      assert.deepEqual(whole?.failure, refusal(null).failure);
      assert.equal(Date.parse(whole?.expiresAt ?? ''), Date.parse(refusal(null).expiresAt));
      await cache.save(videoOf('refused-001'), null);
      assert.deepEqual(
        (await cache.readVideo('refused-001')).refusals.map((each) => each.trackId),
        ['.en'],
      );
      await cache.save(videoOf('refused-001'), transcriptOf('.en', 'one'));
      assert.deepEqual((await cache.readVideo('refused-001')).refusals, []);
    });
  });

const memory = memoryTranscriptCache();
contract('memory', () => memory);

describe('the cache in Postgres', () => {
  let database: TestDatabase;
  let pool: Pool;
  let cache: PostgresTranscriptCache;
  before(async () => {
    database = await testDatabase();
    pool = postgresPool({ url: database.url, applicationName: 'transcript-cache-test' });
    cache = postgresTranscriptCache({ pool });
  });
  after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });

  contract('Postgres', () => cache);

  const contents = async (): Promise<number> => {
    const { rows } = await pool.query('SELECT count(*)::int AS count FROM platform_caption_content');
    return (rows[0] as { count: number }).count;
  };

  it('stores equal captions once', async () => {
    await cache.save(videoOf('equal-00001'), transcriptOf('.en', 'equal'));
    const before = await contents();
    await cache.save(videoOf('equal-00002'), transcriptOf('.en', 'equal'));
    assert.equal(await contents(), before);
  });

  it('accepts parallel saves of the same captions', async () => {
    const saves = Array.from({ length: 40 }, (_, index) =>
      cache.save(videoOf(`parallel-${index % 4}`), transcriptOf('.en', `parallel ${index % 2}`)),
    );
    await Promise.all(saves);
    assert.notEqual(await cache.readTranscript('parallel-3', '.en'), null);
  });

  it('deletes what is old, and content only when nothing refers to it', async () => {
    await cache.save(videoOf('old-0000001', '2020-01-01T00:00:00.000Z'), {
      ...transcriptOf('.en', 'old'),
      fetchedAt: '2020-01-01T00:00:00.000Z',
    });
    await cache.save(videoOf('new-0000001'), transcriptOf('.en', 'kept by a new one'));
    await pool.query("UPDATE platform_caption_content SET used_at = now() - interval '400 days'");
    await cache.prune({ keptDays: 365, limit: 1_000 });
    assert.equal(await cache.readTranscript('old-0000001', '.en'), null);
    assert.equal((await cache.readVideo('old-0000001')).known, null);
    assert.notEqual(await cache.readTranscript('new-0000001', '.en'), null);
    const { rowCount } = await pool.query('SELECT FROM platform_caption_content WHERE content_sha256 = $1', [
      transcriptOf('.en', 'old').contentSha256,
    ]);
    assert.equal(rowCount, 0);
  });
});
