import { clockTime } from '../timestamp.ts';
import type { Transcript } from '../transcript.ts';
import { shownCues, shownUntilMs } from './cue-lines.ts';

/** `>` is escaped too, so that no arrow in a text is read as a timing. */
const escaped = (line: string): string =>
  line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** WebVTT: cues with the original times, hours always written, text escaped. Source: W3C WebVTT, section 4. */
export const toVtt = (
  transcript: Pick<Transcript, 'cues'>,
  { timestamps }: { readonly timestamps: boolean },
): string => {
  const cues = shownCues(transcript.cues, timestamps);
  const blocks = cues.map(({ cue, lines }) => {
    const timing = `${clockTime(cue.startMs, '.')} --> ${clockTime(shownUntilMs(cue), '.')}`;
    return `\n${timing}\n${lines.map(escaped).join('\n')}\n`;
  });
  return `WEBVTT\n${blocks.join('')}`;
};
