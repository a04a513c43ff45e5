import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { startBenchServer } from './bench-server.ts';
import { processorTime } from './processor-time.ts';
import { type Row, rounded } from './row.ts';

export const name = 'follow';

const sourcesInHour = 10_000;
/** Looks that are measured at full speed; the rest would cost the same each. */
const looks = 2_000;
/** In each round, so many of a hundred channels have published. */
const publishing = 5;

const channelOf = (index: number): string => `UC${String(index).padStart(22, '0')}`;
const videoOf = (channel: string, index: number): string => hash('sha256', `${channel} ${index}`).slice(0, 11);

/** The feeds of any number of channels: fifteen videos with descriptions, some 60 kB, marked with an ETag. */
const startFeeds = async () => {
  let requests = 0;
  const description = 'What is said in this video, and where to read more of it. '.repeat(60);
  const entry = (channel: string, index: number) => `<entry><id>yt:video:${videoOf(channel, index)}</id>
<yt:videoId>${videoOf(channel, index)}</yt:videoId><yt:channelId>${channel}</yt:channelId><title>Number ${index}</title>
<link rel="alternate" href="https://www.youtube.com/watch?v=${videoOf(channel, index)}"/>
<published>2026-11-20T10:00:00+00:00</published><media:group><media:description>${description}</media:description></media:group></entry>`;
  const server = createServer((request, response) => {
    requests += 1;
    const channel = new URL(request.url ?? '/', 'http://feeds').searchParams.get('channel_id') ?? '';
    const isPublishing = Number(channel.slice(-2)) < publishing;
    const etag = `"${channel} ${isPublishing}"`;
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { ETag: etag }).end();
      return;
    }
    const first = isPublishing ? 0 : 1;
    const entries = Array.from({ length: 15 }, (_, index) => entry(channel, first + index));
    response.writeHead(200, { 'Content-Type': 'text/xml', ETag: etag });
    response.end(`<feed xmlns="http://www.w3.org/2005/Atom"><yt:channelId>${channel}</yt:channelId>
<title>${channel}</title>${entries.join('\n')}</feed>\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Accounts that follow one channel, and the fewer ones whose cost for each is compared. */
const [crowd, fewer] = [1_000, 100];

/** Followed channels as they are in the middle of their lives: looked at before, with their fifteen videos known. */
const insertSources = async (database: Client, channels: readonly string[], followsOfEach: number): Promise<void> => {
  await database.query(
    `INSERT INTO followed_sources (source, title, etag, is_partial, interval_s, last_look_at, next_look_at)
     SELECT 'channel:' || channel, channel, '"' || channel || ' false"', false, 3600, now(), NULL
     FROM unnest($1::text[]) AS channel`,
    [channels],
  );
  const videos = channels.flatMap((channel) =>
    Array.from({ length: 15 }, (_, index) => [channel, videoOf(channel, index + 1)]),
  );
  await database.query(
    `INSERT INTO followed_videos (source, video_id, title, is_short, is_old)
     SELECT 'channel:' || one.channel, one.video, one.video, false, false
     FROM unnest($1::text[], $2::text[]) AS one (channel, video)`,
    [videos.map(([channel]) => channel), videos.map(([, video]) => video)],
  );
  await database.query(
    `INSERT INTO follow_subscriptions (follow_id, account_id, source, is_active, interval_s, kinds, read_to)
     SELECT 'fol_' || md5(source || one), 'acc_' || md5(source || one), source, true, 3600, '{videos,shorts,streams}',
       (SELECT max(number) FROM followed_videos)
     FROM followed_sources, generate_series(1, $2) AS one
     WHERE source = ANY ($1)`,
    [channels.map((channel) => `channel:${channel}`), followsOfEach],
  );
};

/** Looks at followed channels by their feeds, at full speed, on one worker; the share of a core for ten thousand in an hour. */
export const run = async (): Promise<readonly Row[]> => {
  await using feeds = await startFeeds();
  await using server = await startBenchServer({ PLATFORM_ORIGIN: feeds.origin });
  const database = new Client({ connectionString: server.databaseUrl });
  await database.connect();
  const used = async (): Promise<number> => {
    const { processMs, databaseMs } = await processorTime(database, server.pid);
    return processMs + databaseMs;
  };
  /** Waits until no task is due. */
  const settled = async (): Promise<void> => {
    for (;;) {
      const { rows } = await database.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM graphile_worker._private_jobs WHERE run_at <= now()',
      );
      if (rows[0]?.count === 0) return;
      await pause(100);
    }
  };
  await insertSources(
    database,
    Array.from({ length: looks }, (_, index) => channelOf(index)),
    1,
  );
  await pause(2_000);
  const idleFrom = { used: await used(), at: performance.now() };
  await pause(10_000);
  const idleShare = ((await used()) - idleFrom.used) / (performance.now() - idleFrom.at);
  const before = { used: await used(), at: performance.now(), requests: feeds.requests() };
  await database.query('UPDATE followed_sources SET next_look_at = now()');
  while (feeds.requests() - before.requests < looks) await pause(100);
  await settled();
  const elapsedMs = performance.now() - before.at;
  const perLookMs = ((await used()) - before.used - idleShare * elapsedMs) / looks;
  const { rows } = await database.query<{ most: number; mean: number }>(
    `SELECT max(count)::float8 AS most, avg(count)::float8 AS mean FROM (
       SELECT count(*) FROM followed_sources GROUP BY floor(extract(epoch FROM next_look_at) / 300)::bigint % 12) AS slots`,
  );
  const found = await database.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM es_event WHERE type = 'FollowVideoFound'",
  );
  /** Looks at one channel that has published, for so many follows. */
  const lookFor = async (channel: string, follows: number) => {
    await insertSources(database, [channel], follows);
    const from = { used: await used(), at: performance.now(), requests: feeds.requests() };
    await database.query('UPDATE followed_sources SET next_look_at = now() WHERE source = $1', [`channel:${channel}`]);
    while (feeds.requests() === from.requests) await pause(20);
    await settled();
    const usedMs = (await used()) - from.used - idleShare * (performance.now() - from.at);
    return { eachMs: usedMs / follows, requests: feeds.requests() - from.requests };
  };
  const ofFewer = await lookFor(channelOf(100_000), fewer);
  const ofCrowd = await lookFor(channelOf(100_100), crowd);
  await database.end();
  const share = (perLookMs * sourcesInHour) / 3_600_000;
  return [
    { case: 'processor time of one look, with its database', value: rounded(perLookMs), unit: 'ms' },
    {
      case: 'ten thousand sources in an hour',
      value: rounded(share * 100),
      unit: '% of a core',
      goal: 25,
      goalKind: 'at most',
    },
    {
      case: 'looks at full speed',
      value: rounded((looks / elapsedMs) * 1_000),
      unit: '/s',
      goal: sourcesInHour / 3_600,
    },
    {
      case: 'requests to the platform for one look',
      value: rounded((feeds.requests() - before.requests) / looks),
      unit: '',
      goal: 1.01,
      goalKind: 'at most',
    },
    { case: 'videos that were found', value: found.rows[0]?.count ?? 0, unit: '', goal: (looks * publishing) / 100 },
    {
      case: 'requests to the platform for a look that a thousand follow',
      value: ofCrowd.requests,
      unit: '',
      goal: 1,
      goalKind: 'at most',
    },
    { case: 'processor time of that look for each follow, with its video', value: rounded(ofCrowd.eachMs), unit: 'ms' },
    {
      case: 'the same, of that where a hundred follow',
      value: rounded(ofCrowd.eachMs / ofFewer.eachMs),
      unit: '×',
      goal: 1.5,
      goalKind: 'at most',
    },
    {
      case: 'looks in the fullest five minutes, of the mean',
      value: rounded((rows[0]?.most ?? 0) / (rows[0]?.mean ?? 1)),
      unit: '×',
      goal: 1.5,
      goalKind: 'at most',
    },
  ];
};
