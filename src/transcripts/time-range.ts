import { invalidRequest } from '../kernel/refusal.ts';
import { timestampOf } from './timestamp.ts';
import type { Cue } from './transcript.ts';

/** A part of a video; `untilMs` null: to its end. */
export type TimeRange = { readonly fromMs: number; readonly untilMs: number | null };

type TimeSpan = Pick<Cue, 'startMs' | 'endMs'>;

/** Refuses a range in which no caption is shown: one beyond the end of the video, or a part without speech. */
export const requireCaptionsIn = (
  { fromMs, untilMs }: TimeRange,
  { durationS, cues }: { readonly durationS: number | null; readonly cues: readonly TimeSpan[] },
): void => {
  const isShown = ({ startMs, endMs }: TimeSpan): boolean =>
    (untilMs === null || startMs < untilMs) && (endMs > fromMs || startMs >= fromMs);
  const isWhole = fromMs === 0 && untilMs === null;
  if (isWhole || cues.some(isShown)) return;
  const lastMs = cues.reduce((last, { endMs }) => Math.max(last, endMs), 0);
  const endMs = durationS === null ? lastMs : durationS * 1_000;
  const code = fromMs >= endMs ? 'too_big' : 'invalid_value';
  const place = `between ${timestampOf(fromMs)} and ${timestampOf(untilMs ?? endMs)}`;
  const message =
    code === 'too_big'
      ? `start is not valid: the video ends at ${timestampOf(endMs)}`
      : `there are no captions ${place}: the last one ends at ${timestampOf(lastMs)}`;
  throw invalidRequest(message, { path: 'start', code });
};
