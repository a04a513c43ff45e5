import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  parseChannelId,
  parseChannelReference,
  parseHandle,
  parsePlaylistId,
  requireChannelReference,
  requirePlaylistId,
} from '#src/extraction/lists/list-reference.ts';
import { parseVideoId, requireVideoId } from '#src/extraction/video-id.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import { recordedJson, recordingsMissing } from '#test/support/recordings.ts';

const id = 'dQw4w9WgXcQ';

type Case = { readonly kind: string; readonly in: string; readonly out: string | null };

const parsers: Record<string, (reference: string) => string | null> = {
  videoId: parseVideoId,
  playlistId: parsePlaylistId,
  channelId: parseChannelId,
  channelHandle: parseHandle,
  channelSlug: (reference) => nameOn('c', reference),
  userName: (reference) => nameOn('user', reference),
};

/** The name of a channel in the address of such a page; a name alone is put there. */
const nameOn = (page: 'c' | 'user', reference: string): string | null => {
  const address = reference.includes('/') ? reference : `youtube.com/${page}/${reference}`;
  const found = parseChannelReference(address);
  const start = `https://www.youtube.com/${page}/`;
  if (found?.kind !== 'address' || !found.url.startsWith(start)) return null;
  return decodeURIComponent(found.url.slice(start.length));
};

describe('the collected cases of other projects', { skip: recordingsMissing }, () => {
  if (recordingsMissing !== false) return;
  const { cases } = recordedJson('formats/ids/url-cases.json') as { cases: readonly Case[] };
  for (const each of cases)
    it(`reads ${each.kind} ${JSON.stringify(each.in)} as ${each.out}`, () => {
      assert.equal(parsers[each.kind]?.(each.in), each.out);
    });
});

describe('a video reference', () => {
  for (const reference of [
    id,
    `  ${id}\n`,
    `https://www.youtube.com/watch?v=${id}`,
    `http://youtube.com/watch?v=${id}`,
    `HTTPS://WWW.YOUTUBE.COM/watch?v=${id}`,
    `youtube.com/watch?v=${id}`,
    `//www.youtube.com/watch?v=${id}`,
    `https://www.youtube.com/watch?list=PL601B2E69B03FAB9D&index=2&v=${id}&t=1m2s`,
    `https://www.youtube.com/watch?v=${id}#t=30`,
    `https://www.youtube.com/watch/?v=${id}`,
    `https://www.youtube.com/watch/${id}`,
    `https://www.youtube.com/watch?app=desktop&amp;v=${id}`,
    `https://www.youtube.com/?v=${id}`,
    `https://m.youtube.com/watch?v=${id}&feature=youtu.be`,
    `https://m.youtube.com/#/watch?v=${id}`,
    `https://music.youtube.com/watch?v=${id}&list=RDAMVM${id}`,
    `https://youtu.be/${id}`,
    `https://youtu.be/${id}?si=abc&t=43`,
    `youtu.be/${id}/`,
    `https://youtu.be/${id}&t=43`,
    `https://www.youtube.com/watch?vi=${id}`,
    `https://www.youtube.com/shorts/${id}?feature=share`,
    `https://www.youtube.com/live/${id}?si=x`,
    `https://www.youtube.com/embed/${id}?start=3`,
    `https://www.youtube-nocookie.com/embed/${id}`,
    `https://www.youtube.com/v/${id}?version=3`,
    `https://www.youtube.com/e/${id}`,
    `https://www.youtube.com/attribution_link?a=x&u=%2Fwatch%3Fv%3D${id}%26feature%3Dshare`,
    `https://www.youtube.com/redirect?q=https%3A%2F%2Fyoutu.be%2F${id}`,
    `https://www.youtube.com/oembed?url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3D${id}&format=json`,
  ])
    it(`is found in ${reference}`, () => {
      assert.equal(parseVideoId(reference), id);
    });

  // S45: references to other hosts
  // S46: ids that are paths, NUL, endless or names of `Object.prototype`
  for (const reference of [
    '',
    ' ',
    'abc',
    `${id}x`,
    `${id.slice(0, 10)}!`,
    `https://evil.example/watch?v=${id}`,
    `https://www.youtube.com.evil.io/watch?v=${id}`,
    `https://evilyoutube.com/watch?v=${id}`,
    `https://youtube.com@evil.example/watch?v=${id}`,
    `https://user:pw@www.youtube.com/watch?v=${id}`,
    `https://www.youtube.com:8443/watch?v=${id}`,
    `https://www.youtube.com./watch?v=${id}`,
    `https://www.youtube%2ecom/watch?v=${id}`,
    `https://evil.example\\@www.youtube.com/watch?v=${id}`,
    `https://evil.example#@www.youtube.com/watch?v=${id}`,
    `https://уoutube.com/watch?v=${id}`,
    `//evil.example/watch?v=${id}`,
    `///www.youtube.com/watch?v=${id}`,
    '@host',
    'http://127.0.0.1/x',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/watch?v=dQw4w9WgXcQ',
    'file:///etc/passwd',
    `ftp://www.youtube.com/watch?v=${id}`,
    `javascript://www.youtube.com/watch?v=${id}`,
    '../../etc',
    '%2e%2e%2f',
    `dQw4w9W\u0000XcQ`,
    '😀😀😀',
    'constructor',
    '__proto__',
    'x'.repeat(10_000),
    `https://www.youtube.com/watch?v=${'x'.repeat(10_000)}`,
    'https://www.youtube.com/embed/videoseries?list=PL601B2E69B03FAB9D',
    'https://www.youtube.com/embed/live_stream?channel=UCEnBXANsKmyj2r9xVyKoDiQ',
    'https://www.youtube.com/playlist?list=PL601B2E69B03FAB9D',
    `https://www.youtube.com/redirect?q=https%3A%2F%2Fevil.example%2Fwatch%3Fv%3D${id}`,
    `https://i.ytimg.com/vi/${id}/hqdefault.jpg`,
    `https://youtu.be/${id}x&t=43`,
    `https://www.youtube.com/watch?v=${id.slice(0, 5)}%00${id.slice(5)}`,
    `https://www.youtube.com/watch?vv=${id}`,
  ])
    it(`is refused as ${JSON.stringify(reference.slice(0, 60))}`, () => {
      assert.equal(parseVideoId(reference), null);
      assert.throws(
        () => requireVideoId(reference),
        (error) =>
          error instanceof Refusal && error.code === 'INVALID_VIDEO_ID' && error.details?.['reason'] === 'malformed',
      );
    });

  // S45: references to other hosts
  it('never leaves anything but an id of eleven characters', () => {
    const reference = fc.oneof(
      fc.string(),
      fc.string().map((text) => `https://www.youtube.com/watch?v=${text}`),
      fc.webUrl({ withQueryParameters: true }),
      fc.string().map((text) => `https://youtu.be/${text}`),
    );
    fc.assert(
      fc.property(reference, (text) => {
        const found = parseVideoId(text);
        return found === null || /^[A-Za-z0-9_-]{11}$/.test(found);
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });
});

describe('a channel reference', () => {
  const channelId = 'UCEnBXANsKmyj2r9xVyKoDiQ';
  const url = (path: string) => ({ kind: 'address', url: `https://www.youtube.com/${path}` });

  for (const [reference, found] of [
    [channelId, { kind: 'id', channelId }],
    [`https://www.youtube.com/channel/${channelId}/videos`, { kind: 'id', channelId }],
    ['@TheDailyShow', url('@TheDailyShow')],
    ['TheDailyShow', url('@TheDailyShow')],
    ['https://www.youtube.com/@TheDailyShow/videos?x=1', url('@TheDailyShow')],
    ['youtube.com/c/Tyrrrz', url('c/Tyrrrz')],
    ['https://www.youtube.com/user/creativecommons', url('user/creativecommons')],
    ['https://www.youtube.com/thedailyshow', url('thedailyshow')],
    ['@Меланія', url('@%D0%9C%D0%B5%D0%BB%D0%B0%D0%BD%D1%96%D1%8F')],
    ['@हिन्दी', url('@%E0%A4%B9%E0%A4%BF%E0%A4%A8%E0%A5%8D%E0%A4%A6%E0%A5%80')],
    ['youtube.com/@ไทยรัฐ', url('@%E0%B9%84%E0%B8%97%E0%B8%A2%E0%B8%A3%E0%B8%B1%E0%B8%90')],
    ['@日本', url('@%E6%97%A5%E6%9C%AC')],
    ['@E\u0301cole', url('@%C3%89cole')],
  ] as const)
    it(`is read from ${reference}`, () => {
      assert.deepEqual(parseChannelReference(reference), found);
    });

  for (const reference of [
    '',
    '@',
    '@ab',
    'https://evil.example/@TheDailyShow',
    'https://www.youtube.com/feed',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'http://127.0.0.1/@x',
    '../../etc',
    'a b c',
    'https://www.youtube.com/@a%2F..%2Fb',
    'https://www.youtube.com/channel/UCshort',
  ])
    it(`is refused as ${JSON.stringify(reference)}`, () => {
      assert.equal(parseChannelReference(reference), null);
      assert.throws(() => requireChannelReference(reference), { code: 'INVALID_REQUEST' });
    });
});

describe('a playlist reference', () => {
  it('loses the browse prefix of pages', () => {
    assert.equal(parsePlaylistId('VLPL601B2E69B03FAB9D'), 'PL601B2E69B03FAB9D');
  });

  it('is refused where it holds anything but id characters', () => {
    for (const reference of ['../x', 'PL 1', 'https://evil.example/playlist?list=PL601B2E69B03FAB9D'])
      assert.throws(() => requirePlaylistId(reference), { code: 'INVALID_REQUEST' });
  });
});
