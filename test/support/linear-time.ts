import assert from 'node:assert/strict';
import { readCaptions } from '#src/extraction/captions/captions.ts';
import { captionAddress } from '#src/extraction/captions/timedtext.ts';
import { classifyPlayer, classifyTimedtext } from '#src/extraction/classify.ts';
import { listProfile } from '#src/extraction/clients/client-profiles.ts';
import { readUploadsTab } from '#src/extraction/lists/channel-tab.ts';
import { errorAlertOf, readChannelHeader, readPlaylistHeader } from '#src/extraction/lists/list-header.ts';
import { readContinuation, readFirstPage } from '#src/extraction/lists/list-pages.ts';
import { parseChannelReference, parsePlaylistId } from '#src/extraction/lists/list-reference.ts';
import { parseVideoId } from '#src/extraction/video-id.ts';
import { clean } from '#src/transcripts/clean.ts';

type Parser = (text: string) => unknown;

const captions =
  (wrap: (text: string) => string, isAutomatic = false): Parser =>
  (text) =>
    readCaptions(wrap(text), { isAutomatic });

const json3 = (text: string): string =>
  JSON.stringify({ events: [{ tStartMs: 0, dDurationMs: 1, segs: [{ utf8: text }] }] });

const rollingCues = (text: string): string =>
  `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}b\n\n00:01.000 --> 00:02.000\n${text}\n`;

const page = (text: string) => {
  const row = { playlistVideoRenderer: { videoId: text, title: { simpleText: text } } };
  const many = Array.from({ length: text.length / 40 }, () => row);
  return {
    contents: { list: [{ [text]: [] }, many] },
    header: { playlistHeaderRenderer: { title: text, numVideosText: text, ownerText: text } },
    metadata: { channelMetadataRenderer: { title: text, vanityChannelUrl: `/${text}` } },
    alerts: [{ alertRenderer: { type: 'ERROR', text } }],
    onResponseReceivedActions: [{ appendContinuationItemsAction: { continuationItems: many } }],
  };
};

const player = (text: string): string =>
  JSON.stringify({
    playabilityStatus: { status: 'UNPLAYABLE', reason: text, messages: [text] },
    videoDetails: { videoId: 'lighthouse1', title: text, author: text, lengthSeconds: text },
  });

const playerWithTracks = (text: string): string =>
  JSON.stringify({
    playabilityStatus: { status: 'OK' },
    videoDetails: { videoId: 'lighthouse1', title: text },
    captions: {
      playerCaptionsTracklistRenderer: {
        captionTracks: [{ baseUrl: text, languageCode: 'en', name: { simpleText: text } }],
        translationLanguages: [{ languageCode: text, languageName: { simpleText: text } }],
      },
    },
  });

const answer = (body: string) => ({ status: 200, body, location: null, retryAfterS: null });

/** What reads texts of the platform. */
export const parsers: Readonly<Record<string, Parser>> = {
  'XML around lines': captions((text) => `<transcript>${text}</transcript>`),
  'the text of XML': captions((text) => `<timedtext><body><p t="0" d="1">${text}</p></body></timedtext>`),
  'the attributes of XML': captions((text) => `<transcript><text ${text}</transcript>`),
  'a root without end': captions((text) => `<transcript ${text}/>`),
  'lines of WebVTT': captions((text) => `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}\n`),
  'times of WebVTT': captions((text) => `WEBVTT\n\n${text} --> 00:01.000\n`),
  'rolling cues of WebVTT': captions(rollingCues, true),
  'the text of json3': captions(json3),
  'the structure of json3': captions((text) => `{"events":[{"tStartMs":0,"segs":[${text}]}]}`),
  cleaning: (text) => clean([{ text, startMs: 0, endMs: 1 }]),
  'a page of a listing': (text) => {
    const document = page(text);
    return [
      readFirstPage(document),
      readContinuation(document),
      readUploadsTab(document),
      readPlaylistHeader(document),
      readChannelHeader(document),
      errorAlertOf(document),
    ];
  },
  'a player that refuses': (text) => classifyPlayer(answer(player(text)), 'lighthouse1', listProfile),
  'a player with tracks': (text) => classifyPlayer(answer(playerWithTracks(text)), 'lighthouse1', listProfile),
  'a page in place of captions': (text) => classifyTimedtext(answer(text), 'WEB'),
  'an address of captions': (text) =>
    captionAddress(`/api/timedtext?${text}`, { videoId: 'lighthouse1', format: 'json3' }),
  'links of videos, playlists and channels': (text) => [
    parseVideoId(`https://www.youtube.com/${text}`),
    parsePlaylistId(`https://www.youtube.com/${text}`),
    parseChannelReference(`https://www.youtube.com/${text}`),
  ],
};

/** Each is repeated to the wanted length: what patterns and hand-written scanners can begin to read again and again. */
const fragments = [
  ...['a', ' ', '\n', 'a\n', '<', '>', '</', '<a', '<p ', '<s>', '<br', '<!', '"', "'", '='],
  ...['<b =', '<p t="', '<p t="0" ', ' a="', '<text start="0">', '&', '&#', '&amp;', '&gt;'],
  ...['\\', '\\"', '{"utf8":"', '{', '[', '[[', '(', '( ', ']', '【', '♪', '~', ' ~', '♪~', '>>'],
  ...['>> [', '-->', '00:', '0', '0.', '.', '.)', ':', '/', '%41', '@', 'www.', 'claim by ', '-'],
  ...['content from ', 'on level', 'tlang=', 'too many requests', '<html', '\u001b[', '\u200e'],
];

const repeated = (fragment: string, length: number): string => fragment.repeat(Math.ceil(length / fragment.length));

/** Processor time of this thread, which other processes of a busy machine do not lengthen. */
const durationMs = (parse: Parser, text: string): number => {
  const before = process.threadCpuUsage();
  try {
    parse(text);
  } catch {
    // A refusal is an answer too: only its time counts.
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};

/** Asserts that a parser takes less than `maxMs` for each fragment repeated to this length. */
export const assertFast = (parse: Parser, length: number, maxMs: number): void => {
  for (const fragment of fragments) {
    const ms = durationMs(parse, repeated(fragment, length));
    assert.ok(ms < maxMs, `${fragment}: ${Math.round(ms)} ms for ${length} characters`);
  }
};
