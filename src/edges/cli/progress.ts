import { elapsedMs } from '../../kernel/clock.ts';
import type { PartProgress } from './operator-interface.ts';
import { canRedraw, clearLastLine, say, sayOnLastLine, type Terminal } from './terminal.ts';

const barWidth = 24;
const drawEveryMs = 100;
/** Shorter work prints no progress lines. */
const briefMs = 2_000;
/** Where nothing can be redrawn, a wait is announced after this time. */
const longMs = 10_000;

/**
 * How far a verb has come, with the rate and the time left. `total` null: not known. On a terminal one line that is
 * written over, until `done` or the next line of data or talk; elsewhere, for work of more than two seconds with a
 * total, a line at one half and at the end. Nothing with `--quiet`.
 *
 * It is no package: `cli-progress` returns the cursor to where its bar began, and so erases data printed since; `ora` has
 * no total, rate or time left.
 */
export const progress = (
  terminal: Pick<Terminal, 'stderr' | 'environment' | 'isQuiet'>,
  what: string,
  total: number | null = null,
) => {
  const startedAt = elapsedMs();
  const isLive = canRedraw(terminal, terminal.stderr);
  let drawnAt: number | null = null;
  let [last, told] = [0, 0];

  const draw = (count: number): void => {
    const now = elapsedMs();
    if (drawnAt !== null && now - drawnAt < drawEveryMs && count !== total) return;
    drawnAt = now;
    // Some terminals report 0 columns.
    const width = terminal.stderr.columns || 80;
    sayOnLastLine(terminal, lineOf(what, count, { total, ms: now - startedAt }).slice(0, width - 1));
  };
  const tell = (count: number): void => {
    const ms = elapsedMs() - startedAt;
    if (total === null || ms < briefMs) return;
    const half = Math.floor((2 * count) / total);
    if (half > told) say(terminal, `${what}: ${count} of ${total}${paceOf(count, { total, ms })}`);
    told = Math.max(told, half);
  };
  return {
    at: (count: number): void => {
      last = count;
      if (terminal.isQuiet()) return;
      if (isLive) draw(count);
      else tell(count);
    },
    /** One more. */
    step(): void {
      this.at(last + 1);
    },
    [Symbol.dispose]: (): void => clearLastLine(terminal),
  };
};

/**
 * Says what a verb waits for, until disposed: on a terminal with the elapsed seconds, after two seconds; elsewhere in one
 * line, after ten seconds.
 */
export const waiting = (
  terminal: Pick<Terminal, 'stderr' | 'environment' | 'isQuiet'>,
  what = 'the server',
): Disposable => {
  if (terminal.isQuiet()) return { [Symbol.dispose]: () => {} };
  if (!canRedraw(terminal, terminal.stderr)) {
    const notice = setTimeout(() => say(terminal, `waiting for ${what}`), longMs);
    return { [Symbol.dispose]: () => clearTimeout(notice) };
  }
  const startedAt = elapsedMs();
  const timer = setInterval(() => {
    const ms = elapsedMs() - startedAt;
    if (ms >= briefMs) sayOnLastLine(terminal, `waiting for ${what}, ${Math.round(ms / 1_000)} s`);
  }, 1_000);
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      clearLastLine(terminal);
    },
  };
};

/** The same for work that is done in parts, one after the other: what such work is given. */
export const progressInParts = (terminal: Pick<Terminal, 'signal'> & Parameters<typeof progress>[0]) => {
  let part = '';
  let shown: ReturnType<typeof progress> | null = null;
  return {
    signal: terminal.signal,
    onProgress: ({ what, done, total }: PartProgress): void => {
      if (shown === null || what !== part) shown = progress(terminal, what, total);
      part = what;
      shown.at(done);
    },
    [Symbol.dispose]: (): void => clearLastLine(terminal),
  };
};

type Pace = { readonly total: number | null; readonly ms: number };

const lineOf = (what: string, count: number, reached: Pace): string => {
  const { total } = reached;
  if (total === null) return `${what}: ${count}${paceOf(count, reached)}`;
  return `${what} ${barOf(count, total, barWidth)} ${count} of ${total}${paceOf(count, reached)}`;
};

/** A bar of `width` characters in brackets, filled in proportion to `count` of `total`. */
export const barOf = (count: number, total: number, width: number): string => {
  const filled = Math.floor((Math.min(count, total) / Math.max(1, total)) * width);
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}]`;
};

/** The rate and the time left, once they can be estimated. */
export const paceOf = (count: number, { total, ms }: Pace): string => {
  if (count === 0 || ms < briefMs) return '';
  const perS = (count * 1_000) / ms;
  const rate = `, ${perS >= 10 ? Math.round(perS) : perS.toFixed(1)}/s`;
  return total === null || count >= total ? rate : `${rate}, ${durationOf((total - count) / perS)} left`;
};

const durationOf = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  return whole < 3_600
    ? `${Math.floor(whole / 60)} min ${whole % 60} s`
    : `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
};
