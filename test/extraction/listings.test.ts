import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEngine } from '#src/extraction/engine.ts';
import { at } from '#src/extraction/json-path.ts';
import { readChannelHeader, readPlaylistHeader } from '#src/extraction/lists/list-header.ts';
import { readContinuation, readFirstPage } from '#src/extraction/lists/list-pages.ts';
import { firstContinuation } from '#src/extraction/lists/listings.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { memoryTranscriptCache } from '#test/support/memory-transcript-cache.ts';
import { manualClock, type PlatformCall, type ScriptedAnswer, scriptedPlatform } from '#test/support/platform.ts';
import { recordedJson, recording, recordingsMissing } from '#test/support/recordings.ts';

const patient = () => ({ signal: new AbortController().signal });
const engineOn = (answer: (asked: PlatformCall) => ScriptedAnswer) => {
  const platform = scriptedPlatform(answer);
  const engine = createEngine({
    platform,
    cache: memoryTranscriptCache(),
    clock: manualClock().clock,
    random: () => 0.5,
    settings: { backoffMs: 1 },
  });
  return { engine, platform };
};
const notFound: ScriptedAnswer = { status: 404, body: '{"error":{"code":404,"status":"NOT_FOUND"}}' };

/** Answers `browse` by browse id and by continuation, in the order given; anything else is not found. */
const pages =
  (answers: Readonly<Record<string, ScriptedAnswer>>) =>
  ({ json, endpoint }: PlatformCall): ScriptedAnswer =>
    answers[String(json['browseId'] ?? json['continuation'] ?? json['url'] ?? endpoint)] ?? notFound;

const isRefused = async (work: Promise<unknown>, code: string, reason: string) => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Refusal, `expected a refusal, got ${String(error)}`);
  assert.deepEqual([error.code, error.details?.['reason']], [code, reason]);
  return error;
};

const item = (videoId: string, title = `Title ${videoId}`) => ({
  playlistVideoRenderer: { videoId, title: { runs: [{ text: title }] }, lengthSeconds: '61' },
});
const nextItem = (token: string) => ({
  continuationItemRenderer: { continuationEndpoint: { continuationCommand: { token } } },
});
const header = (count: string | null) => ({
  playlistHeaderRenderer: {
    title: { simpleText: 'A list' },
    ...(count === null ? {} : { numVideosText: { runs: [{ text: count }, { text: ' videos' }] } }),
    ownerText: { runs: [{ text: 'Somebody' }] },
  },
});
const firstOf = (count: string | null, ...items: readonly object[]): ScriptedAnswer => ({
  body: JSON.stringify({
    responseContext: { visitorData: 'visitor-1' },
    header: header(count),
    contents: { list: { playlistVideoListRenderer: { contents: items } } },
  }),
});
const moreOf = (...items: readonly object[]): ScriptedAnswer => ({
  body: JSON.stringify({
    onResponseReceivedActions: [{ appendContinuationItemsAction: { continuationItems: items } }],
  }),
});

describe('recorded lists', { skip: recordingsMissing }, () => {
  if (recordingsMissing !== false) return;

  it('are found behind a continuation that the client makes itself', () => {
    const meta = recordedJson('playlist/PLoumn5BIs.page1.2026-07.meta.json');
    assert.equal(
      decodeURIComponent(firstContinuation('PLoumn5BIsUDeGF1vy5Nylf_RJKn5aL_nr')),
      decodeURIComponent(String(at(meta, 'request', 'body', 'continuation'))),
    );
  });

  it('are read from header and pages when the platform sends them separately', async () => {
    const playlistId = 'PLoumn5BIsUDeGF1vy5Nylf_RJKn5aL_nr';
    const token = String(
      at(recordedJson('playlist/PLoumn5BIs.page2.2026-07.meta.json'), 'request', 'body', 'continuation'),
    );
    const { engine, platform } = engineOn(
      pages({
        [`VL${playlistId}`]: { body: recording('playlist/PLoumn5BIs.header.2026-07.json') },
        [firstContinuation(playlistId)]: { body: recording('playlist/PLoumn5BIs.page1.2026-07.json') },
        [token]: { body: recording('playlist/PLoumn5BIs.page2.2026-07.json') },
      }),
    );
    const list = await engine.listPlaylist({ playlistId, limit: 200 }, patient());
    assert.equal(platform.asked.length, 3);
    assert.equal(list.videos.length, 150);
    assert.deepEqual(
      { ...list, videos: list.videos.slice(0, 1) },
      {
        playlistId,
        title: "TOP 150 Songs 2026 - List of Best Music 2026 (Today's Hits Playlist)",
        channel: 'Redlist - Chart Playlists',
        channelId: 'UC-7fxYMkY5sTDKmmsC3p5iA',
        handle: '@redlist-chartplaylists4873',
        expected: 150,
        hidden: 0,
        isTruncated: false,
        hasMore: false,
        videos: [
          {
            videoId: 'ko70cExuzZM',
            title: 'Taylor Swift - The Fate of Ophelia (Official Music Video)',
            durationS: 239,
            position: 1,
            availability: 'public',
          },
        ],
      },
    );
    const some = await engine.listPlaylist({ playlistId, limit: 100 }, patient());
    assert.equal(platform.asked.length, 5);
    assert.deepEqual([some.videos.length, some.hasMore, some.hidden], [100, true, null]);
  });

  it('are read from one answer in the older shape', async () => {
    const playlistId = 'PLoumn5BIsUDeGF1vy5Nylf_RJKn5aL_nr';
    const first = recordedJson('playlist/PLoumn5BIs.full-first-page.2025-07.json');
    const page = readFirstPage(first);
    assert.ok(page.kind === 'page' && page.page.next !== null);
    const { engine, platform } = engineOn(
      pages({
        [`VL${playlistId}`]: { body: JSON.stringify(first) },
        [page.page.next]: { body: recording('playlist/PLoumn5BIs.page2-old-shape.2026-01.json') },
      }),
    );
    const list = await engine.listPlaylist({ playlistId, limit: 500 }, patient());
    assert.equal(platform.asked.length, 2);
    assert.deepEqual([list.videos.length, list.expected, list.hidden], [150, 150, 0]);
    assert.equal(list.videos[0]?.durationS, 174);
  });

  for (const [path, count, hasNext] of [
    ['playlist/PLWwAypAc-huge.page1.2026-07', 102, true],
    ['playlist/PLWwAypAc-huge.page2.2026-07', 101, true],
    ['playlist/PLXJg25X.page1.2026-07', 17, false],
    ['playlist/PLWxziGK-course.page1.2026-07', 14, false],
    ['playlist/PLoumn5BIs.page2-old-shape.2026-01', 50, false],
    ['channel/UCbfnHqx.UULF.page1.2026-07', 100, true],
    ['channel/UCbfnHqx.UULF.page2.2026-07', 54, false],
    ['channel/creativecommons.videos.2026-07', 30, true],
    ['channel/creativecommons.videos-page2.2026-07', 30, true],
    ['channel/Gronkh.videos.2026-07', 30, true],
    ['channel/captaindisillusion.videos-old-shape.2026-01', 30, true],
    ['channel/UCh8gHdt.shorts.2026-07', 48, true],
    ['channel/UCh8gHdt.shorts-page2.2026-07', 48, true],
  ] as const)
    it(`${path} has ${count} rows ${hasNext ? 'and more' : 'and no more'}`, () => {
      const found = readFirstPage(recordedJson(`${path}.json`));
      assert.ok(found.kind === 'page', JSON.stringify(found));
      assert.equal(found.page.rows.length, count);
      assert.equal(found.page.next !== null, hasNext);
      for (const row of found.page.rows) {
        assert.match(row.videoId, /^[\w-]{11}$/);
        assert.ok(row.title !== null);
      }
    });

  for (const [path, expected, channel, handle] of [
    ['playlist/PLWwAypAc-huge.header.2026-07', 5000, 'Tomas Nilsson TOMPA571', '@tomasnilssontompa571'],
    ['playlist/PLWxziGK-course.header.2026-07', 14, 'BitsOfQ', '@bitsofq'],
    ['playlist/PLXJg25X.header.2026-07', 17, null, null],
    ['channel/UCbfnHqx.UULF.header.2026-07', 154, 'Laphroaig Whisky', '@laphroaig'],
  ] as const)
    it(`${path} promises ${expected}`, () => {
      const found = readPlaylistHeader(recordedJson(`${path}.json`));
      assert.equal(found.expected, expected);
      assert.ok(found.title !== null && found.channelId !== null);
      if (channel !== null) assert.deepEqual([found.channel, found.handle], [channel, handle]);
    });

  for (const [file, availability, durationS] of [
    ['lockupviewmodelchannelmembersonly', 'members_only', undefined],
    ['lockupviewmodelchannelonerow', 'public', 630],
    ['lockupviewmodellivestreamnoviewer', 'public', null],
    ['lockupviewmodelpremiere', 'public', null],
    ['lockupviewmodelvideo', 'public', 974],
  ] as const)
    it(`the item ${file} is ${availability}`, () => {
      const lockup = recordedJson(`list-items/${file}.json`);
      const page = {
        onResponseReceivedActions: [
          { appendContinuationItemsAction: { continuationItems: [{ lockupViewModel: lockup }] } },
        ],
      };
      const found = readContinuation(page);
      assert.ok(found.kind === 'page');
      assert.equal(found.page.rows[0]?.availability, availability);
      if (durationS !== undefined) assert.equal(found.page.rows[0]?.durationS, durationS);
    });

  it('that cannot be viewed or do not exist are not found', async () => {
    const { engine } = engineOn(
      pages({ VLINVALID_ID: { body: recording('playlist/INVALID_ID.unviewable.2026-07.json') } }),
    );
    for (const playlistId of ['INVALID_ID', 'PL11111111111111111111111111111111'])
      await isRefused(
        engine.listPlaylist({ playlistId, limit: 10 }, patient()),
        'PLAYLIST_NOT_FOUND',
        'playlist_not_found',
      );
  });

  it('with an unknown error are a transient failure of the platform', async () => {
    const body = recording('constructed-errors/browse.unknown-error-alert.json');
    const { engine } = engineOn(() => ({ body }));
    await isRefused(
      engine.listPlaylist({ playlistId: 'PL601B2E69B03FAB9D', limit: 10 }, patient()),
      'PLATFORM_TIMEOUT',
      'unknown_error',
    );
  });
});

describe('recorded channels', { skip: recordingsMissing }, () => {
  if (recordingsMissing !== false) return;
  const whisky = 'UCbfnHqxXs_K3kvaH-WlNlig';

  it('that are age-gated are listed through their uploads', async () => {
    const list = `UULF${whisky.slice(2)}`;
    const token = String(
      at(recordedJson('channel/UCbfnHqx.UULF.page2.2026-07.meta.json'), 'request', 'body', 'continuation'),
    );
    const { engine } = engineOn(
      pages({
        [whisky]: { body: recording('channel/UCbfnHqx.age-gate.2026-07.json') },
        [`VL${list}`]: { body: recording('channel/UCbfnHqx.UULF.header.2026-07.json') },
        [firstContinuation(list)]: { body: recording('channel/UCbfnHqx.UULF.page1.2026-07.json') },
        [token]: { body: recording('channel/UCbfnHqx.UULF.page2.2026-07.json') },
      }),
    );
    const found = await engine.listChannel({ reference: whisky, limit: 500 }, patient());
    assert.deepEqual(
      [found.videos.length, found.expected, found.title, found.handle, found.channelId],
      [154, 154, 'Laphroaig Whisky', '@laphroaig', whisky],
    );
  });

  it('are found by handle and by address', async () => {
    const { engine, platform } = engineOn(
      pages({
        'https://www.youtube.com/@Gronkh': { body: recording('resolve-url/handle-Gronkh.2026-07.json') },
        UCYJ61XIK64sp6ZFFS8sctxw: { body: recording('channel/Gronkh.videos.2026-07.json') },
      }),
    );
    const found = await engine.listChannel({ reference: 'https://youtube.com/@Gronkh/videos', limit: 30 }, patient());
    assert.deepEqual(
      [found.title, found.channelId, found.handle, found.videos.length, found.hasMore],
      ['Gronkh', 'UCYJ61XIK64sp6ZFFS8sctxw', '@gronkh', 30, true],
    );
    assert.deepEqual(
      platform.asked.map(({ endpoint }) => endpoint),
      ['navigation/resolve_url', 'browse', 'browse'],
    );
  });

  it('that do not exist or were removed are not found', async () => {
    const given = {
      UCAUc4iz6edWerIjlnL8OSSw: { body: recording('channel/error.does-not-exist.2026-07.json') },
      UCoaO4U_p7G7AwalqSbGCZOA: { body: recording('channel/error.removed-guidelines.2026-07.json') },
      UCTGjY2I_ZUGnwVoWAGRd7XQ: { body: recording('channel/error.terminated-tos.2026-07.json') },
      UC11111111111111111111_A: { status: 400, body: recording('channel/error.bad-id.2026-07.json') },
      'https://www.youtube.com/@nonExistingHandleThat': {
        status: 404,
        body: recording('resolve-url/handle-not-existing.2026-07.json'),
      },
    };
    const { engine } = engineOn(pages(given));
    for (const [reference, reason] of [
      ['UCAUc4iz6edWerIjlnL8OSSw', 'channel_not_found'],
      ['UCoaO4U_p7G7AwalqSbGCZOA', 'channel_removed'],
      ['UCTGjY2I_ZUGnwVoWAGRd7XQ', 'channel_removed'],
      ['UC11111111111111111111_A', 'channel_not_found'],
      ['@nonExistingHandleThat', 'channel_not_found'],
    ] as const)
      await isRefused(engine.listChannel({ reference, limit: 5 }, patient()), 'CHANNEL_NOT_FOUND', reason);
  });

  it('have their names and ids', () => {
    const found = readChannelHeader(recordedJson('channel/creativecommons.videos.2026-07.json'));
    assert.deepEqual(
      [found.title, found.channelId, found.handle],
      ['Creative Commons', 'UCTwECeGqMZee77BjdoYtI2Q', '@creativecommons'],
    );
  });

  it('have handles in any script, escaped or not', () => {
    const metadata = (vanityChannelUrl: string) => ({ channelMetadataRenderer: { vanityChannelUrl } });
    for (const [address, handle] of [
      ['http://www.youtube.com/@%E6%97%A5%E6%9C%AC', '@日本'],
      ['http://www.youtube.com/@日本', '@日本'],
      ['http://www.youtube.com/@100%', '@100%'],
      ['http://www.youtube.com/channel/UCaaaaaaaaaaaaaaaaaaaaaa', null],
    ] as const)
      assert.equal(readChannelHeader({ metadata: metadata(address) }).handle, handle);
  });

  it('are not requested with an invalid reference', async () => {
    const { engine, platform } = engineOn(() => notFound);
    await assert.rejects(engine.listChannel({ reference: 'http://127.0.0.1/@x', limit: 5 }, patient()), {
      code: 'INVALID_REQUEST',
    });
    assert.equal(platform.asked.length, 0);
  });
});

describe('a list that goes wrong', () => {
  const playlistId = 'PL601B2E69B03FAB9D';
  const list = (answers: Readonly<Record<string, ScriptedAnswer>>, limit = 100) => {
    const { engine, platform } = engineOn(pages(answers));
    return { platform, read: engine.listPlaylist({ playlistId, limit }, patient()) };
  };

  it('stops if a token repeats, and is marked as truncated', async () => {
    const { read } = list({
      [`VL${playlistId}`]: firstOf('9', item('aaaaaaaaaa1'), nextItem('t1')),
      t1: moreOf(item('aaaaaaaaaa2'), nextItem('t1')),
    });
    const found = await read;
    assert.deepEqual([found.videos.length, found.isTruncated, found.hasMore, found.hidden], [2, true, true, null]);
  });

  it('is complete when the last token leads nowhere but every promised row was read', async () => {
    const { read } = list({
      [`VL${playlistId}`]: firstOf('1', item('aaaaaaaaaa1'), nextItem('t1')),
      t1: { body: '{"responseContext":{}}' },
    });
    const found = await read;
    assert.deepEqual([found.isTruncated, found.hasMore, found.hidden], [false, false, 0]);
  });

  it('has no next page if the requested rows are all of it', async () => {
    const useless = list(
      {
        [`VL${playlistId}`]: firstOf('1', item('aaaaaaaaaa1'), nextItem('t1')),
        t1: { body: '{"responseContext":{}}' },
      },
      1,
    );
    const whole = await useless.read;
    assert.deepEqual([whole.isTruncated, whole.hasMore, whole.hidden], [false, false, 0]);
    const grown = list(
      { [`VL${playlistId}`]: firstOf('1', item('aaaaaaaaaa1'), nextItem('t1')), t1: moreOf(item('aaaaaaaaaa2')) },
      1,
    );
    const some = await grown.read;
    assert.deepEqual([some.videos.length, some.hasMore], [1, true]);
  });

  it('retries an incomplete response in the middle, and then is marked as truncated', async () => {
    const { read, platform } = list({
      [`VL${playlistId}`]: firstOf('9', item('aaaaaaaaaa1'), nextItem('t1')),
      t1: { body: '{"responseContext":{}}' },
    });
    assert.equal((await read).isTruncated, true);
    assert.equal(platform.asked.length, 4);
  });

  it('does not count rows after an empty page as hidden', async () => {
    const { read, platform } = list({
      [`VL${playlistId}`]: firstOf('9', item('aaaaaaaaaa1'), nextItem('t1')),
      t1: moreOf(),
    });
    const found = await read;
    assert.deepEqual([found.isTruncated, found.hasMore, found.hidden], [true, true, null]);
    assert.equal(platform.asked.length, 4);
  });

  it('is complete when an empty page comes after the last promised row', async () => {
    const { read } = list({ [`VL${playlistId}`]: firstOf('1', item('aaaaaaaaaa1'), nextItem('t1')), t1: moreOf() });
    const found = await read;
    assert.deepEqual([found.isTruncated, found.hasMore, found.hidden], [false, false, 0]);
  });

  it('has its rows after an element in place of a header', async () => {
    const reloaded = (items: readonly object[]) => ({ reloadContinuationItemsCommand: { continuationItems: items } });
    const { read } = list({
      [`VL${playlistId}`]: firstOf('2', item('aaaaaaaaaa1'), nextItem('t1')),
      t1: {
        body: JSON.stringify({
          onResponseReceivedActions: [reloaded([{ feedFilterChipBarRenderer: {} }]), reloaded([item('aaaaaaaaaa2')])],
        }),
      },
    });
    assert.equal((await read).videos.length, 2);
  });

  it('continues after a 404 and a 500 in the middle', async () => {
    const answers = [{ status: 500 }, notFound, moreOf(item('aaaaaaaaaa2'))];
    const { engine } = engineOn(({ json }) =>
      json['continuation'] === undefined
        ? firstOf('2', item('aaaaaaaaaa1'), nextItem('t1'))
        : (answers.shift() ?? notFound),
    );
    const found = await engine.listPlaylist({ playlistId, limit: 10 }, patient());
    assert.deepEqual([found.videos.length, found.isTruncated], [2, false]);
  });

  it('keeps its rows when the platform refuses to continue', async () => {
    const { read, platform } = list({
      [`VL${playlistId}`]: firstOf('9', item('aaaaaaaaaa1'), nextItem('t1')),
      t1: { status: 403 },
    });
    assert.equal((await read).isTruncated, true);
    assert.equal(platform.asked.length, 2);
  });

  it('counts the rows that the platform hides and shows those that are private or deleted', async () => {
    const { read } = list({
      [`VL${playlistId}`]: firstOf(
        '5',
        item('aaaaaaaaaa1', '[Private video]'),
        item('aaaaaaaaaa2', '[Deleted video]'),
        item('aaaaaaaaaa3'),
      ),
    });
    const found = await read;
    assert.deepEqual(
      found.videos.map(({ availability }) => availability),
      ['private', 'deleted', 'public'],
    );
    assert.deepEqual([found.hidden, found.isTruncated, found.hasMore], [2, false, false]);
  });

  it('keeps a video that occurs in it twice', async () => {
    const { read } = list({ [`VL${playlistId}`]: firstOf('2', item('aaaaaaaaaa1'), item('aaaaaaaaaa1')) });
    assert.deepEqual(
      (await read).videos.map(({ position }) => position),
      [1, 2],
    );
  });

  it('is empty only when the header promises nothing', async () => {
    const empty = list({ [`VL${playlistId}`]: firstOf('No') });
    assert.deepEqual((await empty.read).videos, []);
    const odd = list({ [`VL${playlistId}`]: firstOf('7') });
    await isRefused(odd.read, 'PLATFORM_CHANGED', 'shape');
  });

  it('fails at a new kind of row, on the first page and later', async () => {
    const first = list({ [`VL${playlistId}`]: firstOf('2', item('aaaaaaaaaa1'), { brandNewViewModel: {} }) });
    const error = await isRefused(first.read, 'PLATFORM_CHANGED', 'shape');
    assert.equal(error.details?.['path'], 'contents.brandNewViewModel');
    const later = list({
      [`VL${playlistId}`]: firstOf('2', item('aaaaaaaaaa1'), nextItem('t1')),
      t1: moreOf({ brandNewViewModel: {} }),
    });
    await isRefused(later.read, 'PLATFORM_CHANGED', 'shape');
  });

  it('fails at a row, a kind of item and a link to the next page that it cannot read', async () => {
    for (const [strange, path] of [
      [null, 'contents[1]'],
      [{ lockupViewModel: { contentId: 'aaaaaaaaaa2', contentType: 'LOCKUP_X' } }, 'contentType'],
      [{ continuationItemRenderer: { continuationEndpoint: { newCommand: {} } } }, 'continuation'],
      [nextItem(''), 'continuation'],
      [{ [`a\u0000b${'c'.repeat(9_999)}`]: {} }, 'a bccc'],
    ] as const) {
      const first = [item('aaaaaaaaaa1'), strange as object];
      const { read } = list({ [`VL${playlistId}`]: firstOf('2', ...first) });
      const error = await isRefused(read, 'PLATFORM_CHANGED', 'shape');
      const told = String(error.details?.['path']);
      assert.ok(told.includes(path) && told.length <= 200, told);
    }
  });

  it('continues however the link to the next page is wrapped, and leaves out rows that are not videos', async () => {
    const wrapped = {
      continuationItemRenderer: { button: { buttonRenderer: { command: { continuationCommand: { token: 't1' } } } } },
    };
    const lockup = (kind: string) => ({
      lockupViewModel: { contentId: 'aaaaaaaaaa2', contentType: `LOCKUP_CONTENT_TYPE_${kind}` },
    });
    const { read } = list({
      [`VL${playlistId}`]: firstOf('3', item('aaaaaaaaaa1'), lockup('PLAYLIST'), wrapped),
      t1: moreOf(lockup('VIDEO'), lockup('SHORT')),
    });
    assert.equal((await read).videos.length, 3);
  });

  it('is marked as truncated if not even its first page arrives', async () => {
    const { read } = list({
      [`VL${playlistId}`]: { body: JSON.stringify({ header: header('7') }) },
      [firstContinuation(playlistId)]: moreOf(),
    });
    const found = await read;
    assert.deepEqual([found.videos.length, found.isTruncated, found.hasMore, found.hidden], [0, true, true, null]);
  });

  it('counts all of its videos as hidden if a message replaces them', async () => {
    const message = { messageRenderer: { text: { simpleText: 'No videos in this playlist yet' } } };
    for (const more of [moreOf(), notFound]) {
      const { read } = list({ [`VL${playlistId}`]: firstOf('3', message), [firstContinuation(playlistId)]: more });
      const found = await read;
      assert.deepEqual([found.videos.length, found.isTruncated, found.hasMore, found.hidden], [0, false, false, 3]);
    }
  });

  it('has no lengths that no video has', async () => {
    const long = (lengthSeconds: unknown) => ({ playlistVideoRenderer: { videoId: 'aaaaaaaaaa1', lengthSeconds } });
    const rows = [long('61'), long(-1), long(1.5), long('x'), long(1e300)];
    const { read } = list({ [`VL${playlistId}`]: firstOf('5', ...rows) });
    assert.deepEqual(
      (await read).videos.map(({ durationS }) => durationS),
      [61, null, null, null, null],
    );
  });

  it('is not reported as missing when the platform has an error', async () => {
    for (const text of ['Unknown error.', 'Something went wrong.', 'An error occurred.']) {
      const alerts = [{ alertRenderer: { type: 'ERROR', text: { simpleText: text } } }];
      const { read } = list({ [`VL${playlistId}`]: { body: JSON.stringify({ alerts }) } });
      await isRefused(read, 'PLATFORM_TIMEOUT', 'unknown_error');
    }
  });

  it('passes the visitor of the platform on to the next page', async () => {
    const { read, platform } = list({
      [`VL${playlistId}`]: firstOf('2', item('aaaaaaaaaa1'), nextItem('t1')),
      t1: moreOf(item('aaaaaaaaaa2')),
    });
    await read;
    assert.equal(at(platform.asked[1]?.json, 'context', 'client', 'visitorData'), 'visitor-1');
  });

  it('is blocked, slowed down or broken like a video', async () => {
    for (const [answer, code, reason] of [
      [{ status: 429, body: '<html>' }, 'PLATFORM_RATE_LIMITED', 'rate_limited'],
      [{ status: 403 }, 'PLATFORM_BLOCKED', 'egress_refused'],
      [{ status: 500 }, 'PLATFORM_TIMEOUT', 'server_error'],
      [{ body: '<!doctype html><html></html>' }, 'PLATFORM_CHANGED', 'shape'],
    ] as const) {
      const { engine } = engineOn(() => answer);
      await isRefused(engine.listPlaylist({ playlistId, limit: 10 }, patient()), code, reason);
    }
  });
});

describe('the page of a channel', () => {
  const channel = 'UCaaaaaaaaaaaaaaaaaaaaaa';
  const other = 'UCbbbbbbbbbbbbbbbbbbbbbb';
  const home = 'EghmZWF0dXJlZPIGBAoCMgA%3D';
  const videos = 'EgZ2aWRlb3PyBgQKAjoA';
  const tab = (params: string, content: object | null) => ({
    tabRenderer: { endpoint: { browseEndpoint: { params } }, ...(content === null ? {} : { selected: true, content }) },
  });
  const grid = (...contents: readonly object[]) => ({ richGridRenderer: { contents } });
  const row = (kind = 'videoRenderer') => ({ richItemRenderer: { content: { [kind]: { videoId: 'aaaaaaaaaa1' } } } });
  const pageOf = (...tabs: readonly object[]): ScriptedAnswer => ({
    body: JSON.stringify({
      metadata: { channelMetadataRenderer: { title: 'Somebody', externalId: channel } },
      contents: { twoColumnBrowseResultsRenderer: { tabs } },
    }),
  });
  const read = (page: ScriptedAnswer, rest: Readonly<Record<string, ScriptedAnswer>> = {}) =>
    engineOn(pages({ [channel]: page, ...rest })).engine.listChannel({ reference: channel, limit: 5 }, patient());

  it('lists the tab that is shown', async () => {
    const found = await read(pageOf(tab(home, null), tab(videos, grid(row()))));
    assert.equal(found.videos.length, 1);
  });

  it('is empty where its list is, and where the channel has no such list', async () => {
    const message = { messageRenderer: { text: { simpleText: 'Nothing' } } };
    const section = { sectionListRenderer: { contents: [message] } };
    for (const page of [pageOf(tab(videos, grid())), pageOf(tab(videos, section)), pageOf(tab(home, grid(row())))])
      assert.deepEqual((await read(page)).videos, []);
  });

  it('is never empty if it has an unknown row', async () => {
    for (const page of [
      pageOf(tab(videos, grid(row('brandNewRenderer')))),
      pageOf(tab(videos, grid({ brandNewRenderer: {} }))),
      pageOf(tab(videos, { brandNewRenderer: { contents: [] } })),
      pageOf(tab(videos, { richGridRenderer: { rows: [] } })),
      pageOf(tab(videos, {})),
      pageOf(tab(home, grid(row())), tab(videos, null)),
      pageOf(),
      { body: '{"metadata":{},"contents":{"twoColumnBrowseResultsRenderer":"x"}}' },
      { body: '{"metadata":{"channelMetadataRenderer":{"title":"Somebody"}}}' },
    ]) {
      const found = await read(page).catch((error: unknown) => error);
      assert.ok(found instanceof Refusal, JSON.stringify(page));
      assert.equal(found.code, 'PLATFORM_CHANGED', JSON.stringify(page));
    }
  });

  it('follows a redirect to another channel, and never in a circle', async () => {
    const to = (browseId: string): ScriptedAnswer => ({
      body: JSON.stringify({
        onResponseReceivedActions: [{ navigateAction: { endpoint: { browseEndpoint: { browseId } } } }],
      }),
    });
    const there = pageOf(tab(videos, grid(row())));
    assert.equal((await read(to(other), { [other]: there })).videos.length, 1);
    await isRefused(read(to(other), { [other]: to(channel) }), 'PLATFORM_CHANGED', 'shape');
  });

  it('is reported as missing if a 404 of the platform says so', async () => {
    const error = { code: 404, message: 'Requested entity was not found.' };
    const gone: ScriptedAnswer = { status: 404, body: JSON.stringify({ error }) };
    await isRefused(read(gone), 'CHANNEL_NOT_FOUND', 'channel_not_found');
  });
});

describe('the address of a channel', () => {
  const channel = 'UCaaaaaaaaaaaaaaaaaaaaaa';
  const asked = 'https://www.youtube.com/@somebody';
  const read = (endpoint: unknown, rest: Readonly<Record<string, ScriptedAnswer>> = {}) => {
    const uploads = { [`VLUU${channel.slice(2)}`]: firstOf('1', item('aaaaaaaaaa1')) };
    const answers = { [asked]: { body: JSON.stringify({ endpoint }) }, ...uploads, ...rest };
    const { engine } = engineOn(pages(answers));
    return engine.listChannel({ reference: '@somebody', limit: 5 }, patient());
  };
  const browseId = { browseEndpoint: { browseId: channel } };

  it('may lead to another address', async () => {
    const url = (path: string) => ({ urlEndpoint: { url: `https://www.youtube.com/${path}` } });
    const next = { 'https://www.youtube.com/@newname': { body: JSON.stringify({ endpoint: browseId }) } };
    assert.equal((await read(url(`channel/${channel}`))).channelId, channel);
    assert.equal((await read(url('@newname'), next)).channelId, channel);
    for (const endpoint of [url('@somebody'), url('feed/trending'), url('@nobody')])
      await isRefused(read(endpoint), 'CHANNEL_NOT_FOUND', 'channel_not_found');
  });

  it('is not a channel if it leads to another page, and a platform change if it leads to none', async () => {
    for (const endpoint of [
      { watchEndpoint: { videoId: 'aaaaaaaaaa1' } },
      { browseEndpoint: { browseId: 'FEtrending' } },
    ])
      await isRefused(read(endpoint), 'CHANNEL_NOT_FOUND', 'channel_not_found');
    for (const endpoint of [{ browseEndpoint: { id: channel } }, { newEndpoint: {} }, 7])
      await isRefused(read(endpoint), 'PLATFORM_CHANGED', 'shape');
  });
});
