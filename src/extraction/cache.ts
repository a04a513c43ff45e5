import type { Failure } from './failures.ts';
import type { Segment, Track, Video } from './types.ts';

/** What the platform said of a video and its tracks, and when (RFC 3339). */
export type KnownVideo = {
  readonly video: Video;
  readonly tracks: readonly Track[];
  readonly defaultTrackId: string | null;
  readonly fetchedAt: string;
};

/** The captions of one track; equal content is stored once, under its hash. */
export type KnownTranscript = {
  readonly trackId: string;
  readonly segments: readonly Segment[];
  readonly contentSha256: string;
  readonly fetchedAt: string;
};

/** A no about the video (`trackId` null) or one of its tracks, given again until `expiresAt`. */
export type KnownRefusal = {
  readonly trackId: string | null;
  readonly failure: Failure;
  readonly expiresAt: string;
};

/**
 * What is kept between two readings. It answers what it has, however old: ages are judged by the engine. Blocks,
 * limits, time-outs and unknown shapes are never handed to it.
 */
export type TranscriptCache = {
  readVideo(
    videoId: string,
  ): Promise<{ readonly known: KnownVideo | null; readonly refusals: readonly KnownRefusal[] }>;
  readTranscript(videoId: string, trackId: string): Promise<KnownTranscript | null>;
  /** Keeps a video with its tracks, and a transcript where one was read; older refusals of the same are dropped. */
  save(known: KnownVideo, transcript: KnownTranscript | null): Promise<void>;
  saveRefusal(videoId: string, refusal: KnownRefusal): Promise<void>;
};

type Entry = {
  known: KnownVideo | null;
  readonly refusals: Map<string | null, KnownRefusal>;
  readonly transcripts: Map<string, KnownTranscript>;
};

/** A cache in this process, bounded by the number of videos; the least recently used goes first. */
export const memoryCache = ({ maxVideos = 1_000 } = {}): TranscriptCache => {
  const entries = new Map<string, Entry>();
  const entryOf = (videoId: string): Entry => {
    const known = entries.get(videoId);
    const entry = known ?? { known: null, refusals: new Map(), transcripts: new Map() };
    entries.delete(videoId);
    entries.set(videoId, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= maxVideos) break;
      entries.delete(oldest);
    }
    return entry;
  };
  return {
    async readVideo(videoId) {
      const entry = entries.get(videoId);
      return { known: entry?.known ?? null, refusals: [...(entry?.refusals.values() ?? [])] };
    },
    async readTranscript(videoId, trackId) {
      return entries.get(videoId)?.transcripts.get(trackId) ?? null;
    },
    async save(known, transcript) {
      const entry = entryOf(known.video.videoId);
      entry.known = known;
      entry.refusals.delete(null);
      if (transcript === null) return;
      entry.transcripts.set(transcript.trackId, transcript);
      entry.refusals.delete(transcript.trackId);
    },
    async saveRefusal(videoId, refusal) {
      entryOf(videoId).refusals.set(refusal.trackId, refusal);
    },
  };
};
