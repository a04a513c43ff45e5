import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Answer } from '#src/extraction/classify.ts';

/** The folder of the recordings, which may be missing. */
export const recordings = resolve(import.meta.dirname, '../../../shared/platform-recordings');

/** Why tests on recordings cannot run; false if the folder exists. */
export const recordingsMissing: string | false = existsSync(recordings)
  ? false
  : `NO PLATFORM RECORDINGS at ${recordings}: nothing of this was tested`;

/** The body of a recorded response, byte for byte as UTF-8. */
export const recording = (path: string): string => readFileSync(resolve(recordings, path), 'utf8');

export const recordedJson = (path: string): unknown => JSON.parse(recording(path)) as unknown;

/** A recorded response of the platform. */
export const recordedAnswer = (path: string, status = 200): Answer => ({
  status,
  body: recording(path),
  location: null,
  retryAfterS: null,
});
