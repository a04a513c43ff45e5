import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { channels, lists } from './collections.ts';
import { type Simulator, startSimulator } from './main.ts';
import { samples } from './samples.ts';
import { ask, at, clients, follow, listAt, textAt } from './simulator-client.ts';

let simulator: Simulator;

const browse = (body: Record<string, unknown>, mask = '') =>
  ask(simulator, `browse?prettyPrint=false${mask && `&$fields=${mask}`}`, body, clients.web);

const firstPage = 'contents.twoColumnBrowseResultsRenderer.tabs.0.tabRenderer.content';
const newList = `${firstPage}.sectionListRenderer.contents.0.itemSectionRenderer.contents`;
const oldList = `${newList}.0.playlistVideoListRenderer.contents`;
const nextList = 'onResponseReceivedActions.0.appendContinuationItemsAction.continuationItems';

const tokenPaths = [
  'continuationItemViewModel.continuationCommand.innertubeCommand.continuationCommand.token',
  'continuationItemRenderer.continuationEndpoint.continuationCommand.token',
  'continuationItemRenderer.continuationEndpoint.commandExecutorCommand.commands.1.continuationCommand.token',
];

const tokenIn = (items: readonly unknown[]): string | undefined =>
  tokenPaths.map((path) => textAt(items.at(-1), path)).find((token) => token !== '');

const idIn = (item: unknown): string =>
  textAt(item, 'lockupViewModel.contentId') ||
  textAt(item, 'playlistVideoRenderer.videoId') ||
  textAt(item, 'richItemRenderer.content.lockupViewModel.contentId') ||
  textAt(item, 'richItemRenderer.content.videoRenderer.videoId') ||
  textAt(item, 'richItemRenderer.content.shortsLockupViewModel.onTap.innertubeCommand.reelWatchEndpoint.videoId');

const idsIn = (items: readonly unknown[]): string[] => items.map(idIn).filter((id) => id !== '');

/** The recorded token that clients make for the first page of a playlist. */
const ownToken = (listId: string): string => {
  const field = (key: number[], text: string) => Buffer.concat([Buffer.from([...key, text.length]), Buffer.from(text)]);
  const inner = Buffer.concat([
    field([0x12], `VL${listId}`),
    field([0x1a], 'CADCBgIIAA%3D%3D'),
    field([0x9a, 0x02], listId),
  ]);
  return Buffer.concat([Buffer.from([0xe2, 0xa9, 0x85, 0xb2, 0x02, inner.length]), inner]).toString('base64url');
};

/** Reads a playlist to its end, or to `most` pages. */
const readAll = async (items: readonly unknown[], most = 60): Promise<string[][]> => {
  const pages = [idsIn(items)];
  for (let token = tokenIn(items); token && pages.length < most; ) {
    const more = listAt((await browse({ continuation: token })).json, nextList);
    pages.push(idsIn(more));
    token = tokenIn(more);
  }
  return pages;
};

describe('playlists and channels of the simulator', () => {
  before(async () => {
    simulator = await startSimulator();
  });
  after(() => simulator[Symbol.asyncDispose]());

  describe('simulated playlists', () => {
    it('come in one answer if they are short', async () => {
      const { json } = await browse({ browseId: `VL${lists.small}` });
      const ids = idsIn(listAt(json, newList));
      assert.equal(ids.length, 5);
      assert.equal(ids[0], samples.prose);
      assert.equal(
        at(
          json,
          'header.pageHeaderRenderer.content.pageHeaderViewModel.metadata.contentMetadataViewModel.metadataRows.1.metadataParts.1.text.content',
        ),
        '5 videos',
      );
    });

    it('come page by page through a token that the client makes', async () => {
      const header = await browse(
        { browseId: `VL${lists.thousand}`, params: 'wgYCCAA%3D' },
        'sidebar,header,microformat,alerts',
      );
      assert.deepEqual(Object.keys(Object(header.json)).sort(), ['header', 'microformat', 'sidebar']);
      const { json } = await browse({ continuation: ownToken(lists.thousand) });
      const pages = await readAll(listAt(json, nextList));
      assert.deepEqual(
        pages.slice(0, 4).map((page) => page.length),
        [100, 102, 99, 101],
      );
      assert.equal(new Set(pages.flat()).size, 1_000);
      assert.equal(simulator.requests.at(-1)?.listId, lists.thousand);
    });

    it('include private and deleted rows on request, and never hidden ones', async () => {
      const { json } = await browse({ continuation: ownToken(lists.mixed) });
      const titles = listAt(json, nextList).map((item) =>
        textAt(item, 'lockupViewModel.metadata.lockupMetadataViewModel.title.content'),
      );
      assert.ok(titles.includes('[Private video]') && titles.includes('[Deleted video]'));
      assert.equal(titles.length, 8);
      assert.match(textAt(json, 'alerts.0.alertWithButtonRenderer.text.simpleText'), /will be hidden/);
      const plain = await browse({ browseId: `VL${lists.mixed}` });
      assert.equal(listAt(plain.json, newList).length, 6);
      assert.match(
        textAt(plain.json, 'alerts.0.alertWithButtonRenderer.text.simpleText'),
        /^4 unavailable videos are hidden$/,
      );
    });

    it('can have the shapes used before June 2026', async () => {
      const { json } = await browse({ browseId: `VL${lists.oldShape}` });
      const pages = await readAll(listAt(json, oldList));
      assert.equal(pages.flat().length, 120);
    });

    it('have the known defects: a loop, a truncated page, a useless last token', async () => {
      const first = async (listId: string) => listAt((await browse({ continuation: ownToken(listId) })).json, nextList);
      const loop = await readAll(await first(lists.loop), 5);
      assert.deepEqual(loop[1], loop[4]);
      assert.deepEqual(
        (await readAll(await first(lists.truncated))).map((p) => p.length),
        [100, 0],
      );
      assert.deepEqual(
        (await readAll(await first(lists.uselessLast))).map((p) => p.length),
        [100, 0],
      );
      assert.deepEqual(idsIn(await first(lists.empty)), []);
      const alertOf = async (listId: string) =>
        textAt((await browse({ browseId: `VL${listId}` })).json, 'alerts.0.alertRenderer.text.runs.0.text');
      assert.match(await alertOf(lists.unviewable), /unviewable/);
      assert.match(await alertOf(lists.unknownError), /Unknown error/);
      for (const listId of ['PL11111111111111111111111111111111', 'toString', '__proto__']) {
        const missing = await browse({ browseId: `VL${listId}` });
        assert.deepEqual([missing.status, at(missing.json, 'error.status')], [404, 'NOT_FOUND']);
      }
      for (const continuation of ['nonsense', '', '%%%', ownToken('x').slice(0, 12)])
        assert.equal((await browse({ continuation })).status, 400);
    });
  });

  describe('simulated channels', () => {
    const tab = async (channelId: string, params: string) => {
      const { json } = await browse({ browseId: channelId, params });
      const tabs = listAt(json, 'contents.twoColumnBrowseResultsRenderer.tabs');
      const open = tabs.find((one) => at(one, 'tabRenderer.selected') === true);
      return listAt(open, 'tabRenderer.content.richGridRenderer.contents');
    };

    it('are found by handle, custom name, user name and bare name', async () => {
      for (const path of ['@HarbourNotes', 'c/harbournotes', 'user/harbournotes', 'harbournotes']) {
        const url = `https://www.youtube.com/${path}`;
        const { json } = await ask(simulator, 'navigation/resolve_url', { url }, clients.web);
        assert.equal(at(json, 'endpoint.browseEndpoint.browseId'), channels.harbour, path);
      }
      const url = 'https://www.youtube.com/@nobody-at-all';
      const { status } = await ask(simulator, 'navigation/resolve_url', { url }, clients.web);
      assert.equal(status, 404);
    });

    it('list their videos in tabs of thirty, their shorts in tabs of forty-eight', async () => {
      const videos = await readAll(await tab(channels.harbour, 'EgZ2aWRlb3PyBgQKAjoA'));
      assert.deepEqual(
        videos.map((page) => page.length),
        [30, 15],
      );
      const shorts = await readAll(await tab(channels.harbour, 'EgZzaG9ydHPyBgUKA5oBAA%3D%3D'));
      assert.deepEqual(
        shorts.map((page) => page.length),
        [48, 12],
      );
      const old = await readAll(await tab(channels.oldShape, 'EgZ2aWRlb3PyBgQKAjoA'));
      assert.equal(old.flat().length, 45);
    });

    it('list everything in their uploads playlists, even behind an age gate', async () => {
      const uploads = async (prefix: string, channelId: string) =>
        browse({ browseId: `VL${prefix}${channelId.slice(2)}` });
      const gated = await browse({ browseId: channels.ageGated, params: 'EgZ2aWRlb3PyBgQKAjoA' });
      assert.ok(at(gated.json, `${firstPage}.sectionListRenderer.contents.0.channelAgeGateRenderer`));
      const { json } = await uploads('UULF', channels.ageGated);
      assert.equal((await readAll(listAt(json, newList))).flat().length, 130);
      assert.equal(at(json, 'header.playlistHeaderRenderer.numVideosText.runs.0.text'), '130');
      const all = await uploads('UU', channels.harbour);
      assert.equal((await readAll(listAt(all.json, newList))).flat().length, 108);
      assert.equal((await uploads('UULF', channels.empty)).status, 404);
    });

    it('say why they are gone, and publish a feed while they exist', async () => {
      const alertOf = async (browseId: string) =>
        textAt((await browse({ browseId })).json, 'alerts.0.alertRenderer.text.simpleText');
      assert.match(await alertOf(channels.terminated), /terminated/);
      assert.match(await alertOf(channels.removed), /Community Guidelines/);
      assert.match(await alertOf('UCnobody0000000000000001'), /does not exist/);
      assert.equal((await browse({ browseId: 'DOESNT-EXIST' })).status, 400);
      const feed = (id: string) => follow(simulator, `https://www.youtube.com/feeds/videos.xml?channel_id=${id}`);
      assert.equal((await feed(channels.big)).text.match(/<entry>/g)?.length, 15);
      assert.equal((await feed(channels.terminated)).status, 404);
    });
  });

  describe('the faults of simulated lists', () => {
    it('can be planned for one list', async () => {
      await using own = await startSimulator();
      own.plan({ listId: lists.small, does: { kind: 'status', status: 502 } });
      const page = (listId: string) => ask(own, 'browse', { browseId: `VL${listId}` }, clients.web);
      assert.equal((await page(lists.empty)).status, 200);
      assert.equal((await page(lists.small)).status, 502);
      assert.equal((await page(lists.small)).status, 200);
    });
  });
});
