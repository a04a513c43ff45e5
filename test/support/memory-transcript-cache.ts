import type { KnownRefusal, KnownTranscript, KnownVideo, TranscriptCache } from '#src/extraction/transcript-cache.ts';

type Entry = {
  known: KnownVideo | null;
  readonly refusals: Map<string | null, KnownRefusal>;
  readonly transcripts: Map<string, KnownTranscript>;
};

/** The port of the cache without a database. */
export const memoryTranscriptCache = (): TranscriptCache => {
  const entries = new Map<string, Entry>();
  const entryOf = (videoId: string): Entry => {
    const known = entries.get(videoId);
    if (known !== undefined) return known;
    const entry: Entry = { known: null, refusals: new Map(), transcripts: new Map() };
    entries.set(videoId, entry);
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
