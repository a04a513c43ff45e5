import { existsSync, readFileSync } from 'node:fs';

const folder = new URL('../../shared/platform-recordings/', import.meta.url);

/** Whether the recordings of the real platform lie beside the project; tests that read them say so when not. */
export const hasRecordings = existsSync(folder);

if (!hasRecordings)
  process.stderr.write(
    'WARNING: ../shared/platform-recordings is missing: the tests that compare with the real platform are skipped.\n',
  );

/** For the options of `it` and `describe`: the reason to skip, or nothing. */
export const needsRecordings = hasRecordings
  ? {}
  : { skip: 'no ../shared/platform-recordings beside this project' };

/** The text of one recorded file. */
export const recording = (path: string): string => readFileSync(new URL(path, folder), 'utf8');
