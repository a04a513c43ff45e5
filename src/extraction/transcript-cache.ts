import type { Extraction, TrackListing } from './captions/caption-track.ts';
import type { Failure } from './failures.ts';

/** A video and its tracks as the platform described them at `fetchedAt` (RFC 3339). */
export type KnownVideo = Omit<TrackListing, 'isCacheHit'>;

/** The captions of one track; equal content is stored once, under its hash. */
export type KnownTranscript = Pick<Extraction, 'segments' | 'contentSha256' | 'fetchedAt'> & {
  readonly trackId: string;
};

/** A refusal for the video (`trackId` null) or one of its tracks, cached until `expiresAt`. */
export type KnownRefusal = { readonly trackId: string | null; readonly failure: Failure; readonly expiresAt: string };

/**
 * The cache of the engine. It returns entries of any age: the engine decides which are fresh. Blocks, rate limits,
 * timeouts and unknown response shapes are never cached.
 */
export type TranscriptCache = {
  readVideo(
    videoId: string,
  ): Promise<{ readonly known: KnownVideo | null; readonly refusals: readonly KnownRefusal[] }>;
  readTranscript(videoId: string, trackId: string): Promise<KnownTranscript | null>;
  /** Stores a video with its tracks, and a transcript if one was read; removes older refusals of the same. */
  save(known: KnownVideo, transcript: KnownTranscript | null): Promise<void>;
  saveRefusal(videoId: string, refusal: KnownRefusal): Promise<void>;
};
