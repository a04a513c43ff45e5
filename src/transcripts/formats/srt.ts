import { clockTime } from '../timestamp.ts';
import type { Transcript } from '../transcript.ts';
import { shownCues, shownUntilMs } from './cue-lines.ts';

/** SRT knows no escapes: a zero-width space keeps an arrow in the text from being read as a timing. */
const disarmed = (line: string): string => line.replaceAll('-->', '--\u200b>');

/** SubRip: numbered cues with the original times, hours always written, lines ended by LF. */
export const toSrt = (
  transcript: Pick<Transcript, 'cues'>,
  { timestamps }: { readonly timestamps: boolean },
): string => {
  const cues = shownCues(transcript.cues, timestamps);
  return cues
    .map(({ cue, lines }, index) => {
      const timing = `${clockTime(cue.startMs, ',')} --> ${clockTime(shownUntilMs(cue), ',')}`;
      return `${index + 1}\n${timing}\n${lines.map(disarmed).join('\n')}\n`;
    })
    .join('\n');
};
