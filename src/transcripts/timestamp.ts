import type { Cue } from './transcript.ts';

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** A position as people read it: `mm:ss`, `h:mm:ss` from one hour on; parts of a second are cut off. */
export const timestampOf = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const hours = Math.floor(seconds / 3600);
  const rest = `${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
};

/** A position as SRT and VTT write it: `hh:mm:ss` and milliseconds after `point`. */
export const clockTime = (ms: number, point: ',' | '.'): string => {
  const whole = Math.max(0, Math.round(ms));
  const seconds = Math.floor(whole / 1000);
  const hours = twoDigits(Math.floor(seconds / 3600));
  const minutes = twoDigits(Math.floor(seconds / 60) % 60);
  return `${hours}:${minutes}:${twoDigits(seconds % 60)}${point}${String(whole % 1000).padStart(3, '0')}`;
};

/** The same cues with `[mm:ss] ` before each text: what the `timestamps` option does to JSON, SRT and VTT. Clean first. */
export const withTimestamps = (cues: readonly Cue[]): Cue[] =>
  cues.map((cue) => ({ ...cue, text: `[${timestampOf(cue.startMs)}] ${cue.text}` }));
