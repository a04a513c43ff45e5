import type { Cue, Transcript } from '#src/transcripts/transcript.ts';

/** A transcript with these cues; everything else is harmless. */
export const transcriptOf = (cues: readonly Cue[], rest: Partial<Omit<Transcript, 'cues'>> = {}): Transcript => ({
  videoId: 'lighthouse1',
  title: 'How a lighthouse speaks',
  channel: 'Harbour Notes',
  channelId: 'UCharbournotes0000000001',
  url: 'https://www.youtube.com/watch?v=lighthouse1',
  durationS: 160,
  language: 'en',
  requestedLanguage: null,
  source: 'manual',
  cues,
  ...rest,
});

/** Cues that follow each other every two seconds. */
export const cuesOf = (...texts: readonly string[]): Cue[] =>
  texts.map((text, index) => ({ text, startMs: index * 2000, endMs: index * 2000 + 1900 }));
