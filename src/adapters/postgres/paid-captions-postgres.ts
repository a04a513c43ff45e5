import type { Pool } from 'pg';
import { columnsOf } from '../../eventlog/connection.ts';
import type { PaidCaptions, PaidCaptionsStore } from '../../transcripts/paid-captions.ts';

const flushMs = 100;
/** Entries that wait to be stored at most; beyond that the oldest is dropped and would be charged again. */
const maxWaiting = 10_000;
const flushesBetweenPrunes = 500;

type Entry = PaidCaptions & { readonly reader: string };

/**
 * What readers have paid for, in Postgres (migration 0029). Entries are stored in groups, so that a charged request
 * of the API waits for none. Disposing it stores what waits.
 */
export const postgresPaidCaptions = ({
  pool,
  onFailure,
}: {
  readonly pool: Pool;
  readonly onFailure: (error: unknown) => void;
}): PaidCaptionsStore & AsyncDisposable => {
  let waiting = new Map<string, Entry>();
  let timer: NodeJS.Timeout | null = null;
  let storing: Promise<void> = Promise.resolve();
  let flushes = 0;

  const store = async (entries: readonly Entry[]): Promise<void> => {
    await pool.query(insert, columnsOf(entries, 'reader', 'videoId', 'contentSha256', 'language'));
    flushes += 1;
    if (flushes % flushesBetweenPrunes === 0) await pool.query(prune);
  };
  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    // In one order in every process, so that two of them never wait for each other's rows.
    const entries = [...waiting].sort(([one], [other]) => (one < other ? -1 : 1));
    waiting = new Map();
    if (entries.length > 0) {
      storing = storing.then(() => store(entries.map(([, entry]) => entry)).catch(onFailure));
    }
    return storing;
  };

  return {
    note: (reader, paid) => {
      waiting.set(`${reader} ${paid.videoId} ${paid.contentSha256}`, { reader, ...paid });
      const [oldest] = waiting.keys();
      if (waiting.size > maxWaiting && oldest !== undefined) waiting.delete(oldest);
      timer ??= setTimeout(() => void flush(), flushMs).unref();
    },
    of: async (reader, videoIds) => {
      await flush();
      const { rows } = await pool.query<PaidCaptions>(select, [reader, videoIds]);
      return rows;
    },
    [Symbol.asyncDispose]: flush,
  };
};

const select = `
  SELECT video_id AS "videoId", content_sha256 AS "contentSha256", language
  FROM paid_captions
  WHERE reader = $1 AND video_id = ANY ($2) AND paid_at > now() - interval '24 hours'`;

/** An entry that is repeated within a minute is left as it is: a program may read one video a thousand times a second. */
const insert = `
  INSERT INTO paid_captions AS known (reader, video_id, content_sha256, language)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
  ON CONFLICT (reader, video_id, content_sha256) DO UPDATE
  SET paid_at = now()
  WHERE known.paid_at < now() - interval '1 minute'`;

const prune = `
  DELETE FROM paid_captions WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM paid_captions WHERE paid_at < now() - interval '24 hours' LIMIT 10000))`;
