import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fetchTranscript } from 'youtube-transcript';
import { Innertube, YTNodes } from 'youtubei.js';
import { channels, lists } from './collections.ts';
import { type Simulator, startSimulator } from './main.ts';
import { samples } from './samples.ts';

let simulator: Simulator;
let innertube: Innertube;

/** Sends a request meant for the platform to the simulator. */
const diverted = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const request = new Request(input, init);
  const meant = new URL(request.url);
  const headers = new Headers(request.headers);
  headers.set('X-Forwarded-Host', meant.host);
  const hasBody = request.method === 'POST';
  return fetch(`${simulator.origin}${meant.pathname}${meant.search}`, {
    method: request.method,
    headers,
    ...(hasBody ? { body: await request.text() } : {}),
  });
};

const idsOf = (items: Iterable<unknown>): string[] =>
  [...items].flatMap((item) => {
    if (item instanceof YTNodes.LockupView) return [item.content_id];
    if (item instanceof YTNodes.PlaylistVideo) return [item.id];
    return [];
  });

describe('client libraries written for the real platform', () => {
  before(async () => {
    simulator = await startSimulator();
    innertube = await Innertube.create({
      fetch: diverted,
      retrieve_player: false,
      generate_session_locally: true,
      retrieve_innertube_config: false,
    });
  });
  after(() => simulator[Symbol.asyncDispose]());

  it('read videos and their tracks from the simulator', async () => {
    const info = await innertube.getBasicInfo(samples.manyLanguages, { client: 'ANDROID' });
    assert.equal(info.basic_info.title, 'What do you sell when it rains?');
    assert.deepEqual(
      info.captions?.caption_tracks?.map((track) => track.vss_id),
      ['.ar', '.zh-Hans', '.en', 'a.en', '.de', '.ja', '.es'],
    );
  });

  it('read the lines of captions', async () => {
    const lines = await fetchTranscript(samples.regional, { lang: 'en-GB', fetch: diverted });
    assert.equal(lines[0]?.text, 'Right, put the kettle on, would you?');
    assert.equal(lines.length, 10);
  });

  it('read playlists page by page, in the current and the former shapes', async () => {
    for (const [listId, count] of [
      [lists.threePages, 250],
      [lists.oldShape, 120],
    ] as const) {
      let page = await innertube.getPlaylist(listId);
      const ids = idsOf(page.items);
      while (page.has_continuation) {
        page = await page.getContinuation();
        ids.push(...idsOf(page.items));
      }
      assert.equal(new Set(ids).size, count);
    }
  });

  it('read channels and resolve their addresses', async () => {
    const endpoint = await innertube.resolveURL('https://www.youtube.com/@harbournotes');
    assert.equal(endpoint.payload.browseId, channels.harbour);
    const channel = await innertube.getChannel(channels.harbour);
    assert.equal(channel.metadata.title, 'Harbour Notes');
    const videos = await channel.getVideos();
    assert.equal(videos.videos.length, 30);
    const more = await videos.getContinuation();
    assert.equal(more.videos.length, 15);
  });
});
