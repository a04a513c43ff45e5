import { appendFile, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../kernel/make-folder.ts';
import { writing } from './write-file.ts';

/** The finished videos, one id per line, so that the same command resumes where it stopped. */
export type Archive = {
  has(videoId: string): boolean;
  add(videoId: string): Promise<void>;
};

/** Reads the file, if it is there. A line may begin with the name of the platform (`youtube ID`), as other tools write it. */
export const openArchive = async (path: string): Promise<Archive> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const ids = new Set(text.split('\n').map((line) => line.trim().split(/\s+/).at(-1) ?? ''));
  // An interrupted write leaves an incomplete last line.
  let isWhole = text === '' || text.endsWith('\n');
  return {
    has: (videoId) => ids.has(videoId),
    async add(videoId) {
      if (ids.has(videoId)) return;
      ids.add(videoId);
      await writing(path, async () => {
        makeFolder(dirname(path), 0o777);
        await appendFile(path, `${isWhole ? '' : '\n'}${videoId}\n`);
      });
      isWhole = true;
    },
  };
};
