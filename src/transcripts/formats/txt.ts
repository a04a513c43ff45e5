import type { Transcript } from '../transcript.ts';
import { shownCues } from './cue-lines.ts';

/** Plain text, one line for each caption; with `timestamps`, `[mm:ss] ` before each. Ends with a line feed unless empty. */
export const toTxt = (
  transcript: Pick<Transcript, 'cues'>,
  { timestamps }: { readonly timestamps: boolean },
): string =>
  shownCues(transcript.cues, timestamps)
    .map(({ lines }) => `${lines.join(' ')}\n`)
    .join('');
