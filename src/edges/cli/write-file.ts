import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../kernel/make-folder.ts';
import { ownValue } from '../../kernel/own-value.ts';

/** A path of this machine that cannot be written. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'the file would be too large',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
};

const ofFiles = /^(open|write|fsync|close|mkdir|rename|access|stat)$/;

/** Does work that writes to a path. Throws `FileError` with the reason if the file system refuses. */
export const writing = async <Result>(path: string, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
    const reason = ownValue(reasons, code);
    if (reason === undefined || !ofFiles.test(syscall)) throw error;
    throw new FileError(`${path} cannot be written: ${reason}`);
  }
};

/** Writes a file, with its folders. It gets its name once it is complete. */
export const writeWhole = (
  path: string,
  text: string,
  modes: { readonly file: number; readonly folder: number },
): Promise<void> =>
  writing(path, async () => {
    makeFolder(dirname(path), modes.folder);
    const unfinished = `${path}.part`;
    try {
      await writeFile(unfinished, text, { mode: modes.file });
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  });
