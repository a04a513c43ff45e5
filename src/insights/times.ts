import { timestampOf } from '../transcripts/timestamp.ts';

/** `mm:ss`, from one hour on `h:mm:ss`. */
export const timestampOfSeconds = (seconds: number): string => timestampOf(seconds * 1_000);
