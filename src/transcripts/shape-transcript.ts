import type { TextFormat, TranscriptFormat } from '../contract/formats.ts';
import type { Extraction, TrackKind } from '../extraction/captions/caption-track.ts';
import { videoLink } from '../extraction/platform-links.ts';
import { clean } from './clean.ts';
import { writers } from './formats/subtitles.ts';
import { withTimestamps } from './timestamp.ts';
import type { Cue, Transcript, TranscriptSource } from './transcript.ts';

/** How the caller wants the captions. */
export type Shape = {
  readonly format: TranscriptFormat;
  readonly timestamps: boolean;
  readonly clean: boolean;
  /** Lines have the times of their words, where they are known. */
  readonly words?: boolean;
};

/** A transcript as it was asked for; `text` is the body of the format, null for json. */
export type ShapedTranscript = { readonly transcript: Transcript; readonly text: string | null };

const sources: Readonly<Record<TrackKind, TranscriptSource>> = {
  manual: 'manual',
  automatic: 'platform_auto',
  translated: 'translated',
  recognized: 'asr',
};

/** What was shaped before from the same extraction: it lives as long as the engine keeps the extraction. */
const shapedBefore = new WeakMap<Extraction, Map<string, ShapedTranscript>>();

/**
 * Shapes an extraction. The same extraction in the same shape gives the same object, so that a cached
 * transcript is written out once and not for every request; there are at most 40 shapes.
 */
export const shapeTranscript = (extraction: Extraction, shape: Shape): ShapedTranscript => {
  const shapes = shapedBefore.get(extraction) ?? new Map<string, ShapedTranscript>();
  shapedBefore.set(extraction, shapes);
  const key = `${shape.format}${shape.timestamps ? ' timestamps' : ''}${shape.clean ? ' clean' : ''}${shape.words === true ? ' words' : ''}`;
  const known = shapes.get(key);
  if (known !== undefined) return known;
  const shaped = shapedNow(extraction, shape);
  shapes.set(key, shaped);
  return shaped;
};

const shapedNow = (extraction: Extraction, shape: Shape): ShapedTranscript => {
  const transcript = toTranscript(extraction, shape);
  if (shape.format !== 'json')
    return { transcript, text: renderTranscript(transcript, { ...shape, format: shape.format }) };
  const cues = shape.timestamps ? withTimestamps(transcript.cues) : transcript.cues;
  return { transcript: { ...transcript, cues }, text: null };
};

/** The text of a transcript, or of a part of its cues, in a format. */
export const renderTranscript = (
  transcript: Transcript,
  { format, timestamps }: { readonly format: TextFormat; readonly timestamps: boolean },
): string => writers[format](transcript, { timestamps });

const toTranscript = (extraction: Extraction, { clean: isClean, words: hasWords = false }: Shape): Transcript => {
  const { video, track, segments, requestedLanguage } = extraction;
  const cues: readonly Cue[] = segments.map(({ text, startMs, endMs, words = null }) => ({
    text,
    startMs,
    endMs,
    ...(hasWords ? { words } : {}),
  }));
  const { videoId, title, channel, channelId, durationS } = video;
  const kept = isClean ? clean(cues) : cues;
  return {
    ...{ videoId, title, channel, channelId, url: videoLink(videoId), durationS },
    language: track.language,
    requestedLanguage,
    source: sources[track.kind],
    cues: kept,
    ...(isClean ? { leftOut: cues.length - kept.length } : {}),
  };
};
