import type { Pool } from 'pg';

/** Titles by video id. What was not read from the platform, or is no longer kept, or has no title is missing. */
export const videoTitles =
  (pool: Pool) =>
  async (videoIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    if (videoIds.length === 0) return new Map();
    const { rows } = await pool.query<{ video_id: string; title: string }>(
      `SELECT video_id, video ->> 'title' AS title
       FROM platform_video
       WHERE video_id = ANY($1) AND video ->> 'title' <> ''`,
      [videoIds],
    );
    return new Map(rows.map(({ video_id, title }) => [video_id, title]));
  };
