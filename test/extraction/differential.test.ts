import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Log, Parser, YTNodes } from 'youtubei.js';
import { classifyPlayer } from '#src/extraction/classify.ts';
import { playerProfiles } from '#src/extraction/clients/client-profiles.ts';
import { at } from '#src/extraction/json-path.ts';
import { readFirstPage } from '#src/extraction/lists/list-pages.ts';
import { recordedJson, recordingsMissing } from '#test/support/recordings.ts';

// Its parser writes warnings about classes it does not know; they are not what is compared.
Log.setLevel(Log.Level.NONE);

type Raw = Parameters<typeof Parser.parseResponse>[0];

/** What youtubei.js finds on a page: the ids of its videos, in order. */
const idsOfOther = (document: unknown): string[] => {
  const parsed = Parser.parseResponse(document as Raw);
  const memos = [parsed.contents_memo, parsed.on_response_received_actions_memo];
  const ids: string[] = [];
  for (const memo of memos) {
    if (memo === undefined) continue;
    for (const view of memo.getType(YTNodes.LockupView)) ids.push(view.content_id);
    for (const video of memo.getType(YTNodes.PlaylistVideo)) ids.push(video.id);
    for (const video of memo.getType(YTNodes.Video)) ids.push(video.video_id);
    for (const short of memo.getType(YTNodes.ShortsLockupView)) ids.push(String(short.on_tap_endpoint.payload.videoId));
  }
  return ids;
};

describe('beside youtubei.js, on the same recordings', { skip: recordingsMissing }, () => {
  if (recordingsMissing !== false) return;
  for (const path of [
    'playlist/PLoumn5BIs.page1.2026-07',
    'playlist/PLoumn5BIs.page2.2026-07',
    'playlist/PLoumn5BIs.full-first-page.2025-07',
    'playlist/PLoumn5BIs.page2-old-shape.2026-01',
    'playlist/PLWwAypAc-huge.page1.2026-07',
    'playlist/PLWwAypAc-huge.page2.2026-07',
    'playlist/PLXJg25X.page1.2026-07',
    'playlist/PLWxziGK-course.page1.2026-07',
    'channel/UCbfnHqx.UULF.page1.2026-07',
    'channel/UCbfnHqx.UULF.page2.2026-07',
    'channel/creativecommons.videos.2026-07',
    'channel/creativecommons.videos-page2.2026-07',
    'channel/Gronkh.videos.2026-07',
    'channel/captaindisillusion.videos-old-shape.2026-01',
    'channel/UCh8gHdt.shorts.2026-07',
    'channel/UCh8gHdt.shorts-page2.2026-07',
  ])
    it(`${path} has the same ids in the same order`, () => {
      const document = recordedJson(`${path}.json`);
      const found = readFirstPage(document);
      assert.ok(found.kind === 'page');
      const ids = found.page.rows.map(({ videoId }) => videoId);
      assert.ok(ids.length > 0);
      assert.deepEqual(ids, idsOfOther(document));
    });

  for (const [path, videoId] of [
    ['kX3nB4PpJko.android-reel.2026-07', 'kX3nB4PpJko'],
    ['kX3nB4PpJko.visionos.2026-06', 'kX3nB4PpJko'],
    ['kX3nB4PpJko.ios.2024-11', 'kX3nB4PpJko'],
    ['M4gD1WSo5mA.android-reel.2026-07', 'M4gD1WSo5mA'],
    ['bvwohQavFV8.web.2024-05', 'bvwohQavFV8'],
    ['GJLlxj_dtq8.android.2025-06', 'GJLlxj_dtq8'],
    ['Kn56bMZ9OE8.tvhtml5.2025-03', 'Kn56bMZ9OE8'],
  ] as const)
    it(`${path} has the same tracks at the same addresses`, () => {
      const document = recordedJson(`player/${path}.json`);
      const player = at(document, 'playerResponse') ?? document;
      const [profile] = playerProfiles;
      assert.ok(profile);
      const body = JSON.stringify(player);
      const answer = { status: 200, body, location: null, retryAfterS: null };
      const outcome = classifyPlayer(answer, videoId, profile);
      assert.ok(outcome.kind === 'playable');
      const other = Parser.parseResponse(player as Raw).captions?.caption_tracks ?? [];
      assert.deepEqual(
        outcome.captions.tracks.map(({ track, baseUrl }) => [track.id, track.language, track.name, baseUrl]),
        other.map((each) => [each.vss_id, each.language_code, each.name.text, each.base_url]),
      );
    });
});
