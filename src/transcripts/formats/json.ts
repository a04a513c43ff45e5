import type { Cue, Transcript } from '../transcript.ts';

/** Milliseconds as seconds with at most three decimals. */
const seconds = (ms: number): number => ms / 1000;

/** A transcript as the one object that every edge gives out. */
export const toJson = (transcript: Transcript) => ({
  video_id: transcript.videoId,
  title: transcript.title,
  channel: transcript.channel,
  channel_id: transcript.channelId,
  url: transcript.url,
  duration: transcript.durationS,
  language: transcript.language,
  requested_language: transcript.requestedLanguage,
  source: transcript.source,
  segment_count: transcript.cues.length,
  segments: transcript.cues.map(({ text, startMs, endMs, words }) => ({
    text,
    start: seconds(startMs),
    duration: seconds(endMs - startMs),
    ...(words === undefined ? {} : { words: wordsOf(words) }),
  })),
  ...(transcript.video === undefined ? {} : { video: transcript.video }),
  ...(transcript.tokenCount === undefined ? {} : { token_count: transcript.tokenCount }),
});

const wordsOf = (words: NonNullable<Cue['words']> | null) =>
  words?.map(({ text, startMs }) => ({ text, start: seconds(startMs) })) ?? null;
