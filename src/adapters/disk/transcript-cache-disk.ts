import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnownRefusal, KnownTranscript, KnownVideo, TranscriptCache } from '../../extraction/transcript-cache.ts';
import { newUuid } from '../../kernel/ids.ts';
import { makeFolder } from '../../kernel/make-folder.ts';

/** All that is known of one video, in one file. Files of another format are not read. */
type Entry = {
  readonly format: 1;
  readonly videoId: string;
  readonly known: KnownVideo | null;
  readonly refusals: readonly KnownRefusal[];
  readonly transcripts: readonly KnownTranscript[];
};

/** Some 50 kB each. */
const maxFiles = 500;

/**
 * The cache in a folder of the user, for work without a database. It never fails: what cannot be read is not known, and
 * where nothing can be written nothing is kept. Disposing it deletes the oldest files beyond the bound.
 */
export const fileTranscriptCache = (
  folder: string,
  /** Of the platform, if it is not the usual one: its videos have files of their own. */
  origin: string | null,
): TranscriptCache & AsyncDisposable => {
  let saves = 0;
  const prefix = origin === null ? '' : `${createHash('sha256').update(origin).digest('hex').slice(0, 8)}.`;
  const pathOf = (videoId: string): string => join(folder, `${prefix}${videoId}.json`);
  const read = async (videoId: string): Promise<Entry> => {
    const empty = { format: 1, videoId, known: null, refusals: [], transcripts: [] } as const;
    try {
      const entry = JSON.parse(await readFile(pathOf(videoId), 'utf8')) as Entry;
      // A file system without upper and lower case has one file for two ids.
      return entry.format === 1 && entry.videoId === videoId ? entry : empty;
    } catch {
      return empty;
    }
  };
  const write = async (entry: Entry): Promise<void> => {
    const unfinished = join(folder, `${newUuid()}.part`);
    try {
      makeFolder(folder, 0o700);
      await writeFile(unfinished, JSON.stringify(entry), { mode: 0o600 });
      await rename(unfinished, pathOf(entry.videoId));
      saves += 1;
    } catch {
      await rm(unfinished, { force: true }).catch(() => undefined);
    }
  };
  return {
    async readVideo(videoId) {
      const { known, refusals } = await read(videoId);
      return { known, refusals };
    },
    async readTranscript(videoId, wanted) {
      const { transcripts } = await read(videoId);
      return transcripts.find(({ trackId }) => trackId === wanted) ?? null;
    },
    async save(known, transcript) {
      const entry = await read(known.video.videoId);
      const isOther = ({ trackId }: { readonly trackId: string | null }): boolean => trackId !== transcript?.trackId;
      await write({
        ...entry,
        known,
        refusals: entry.refusals.filter((each) => each.trackId !== null && isOther(each)),
        transcripts: [...entry.transcripts.filter(isOther), ...(transcript === null ? [] : [transcript])],
      });
    },
    async saveRefusal(videoId, refusal) {
      const entry = await read(videoId);
      const others = entry.refusals.filter(({ trackId }) => trackId !== refusal.trackId);
      await write({ ...entry, refusals: [...others, refusal] });
    },
    async [Symbol.asyncDispose]() {
      if (saves > 0) await deleteOldest(folder).catch(() => undefined);
    },
  };
};

const deleteOldest = async (folder: string): Promise<void> => {
  const names = await readdir(folder);
  if (names.length <= maxFiles) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { path, at: (await stat(path)).mtimeMs };
    }),
  );
  const oldest = files.toSorted((a, b) => b.at - a.at).slice(maxFiles);
  for (const { path } of oldest) await rm(path, { force: true });
};
