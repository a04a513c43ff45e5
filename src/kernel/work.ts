/** A piece of work for a queue. `key`: what is asked for twice under one key is done once, while it waits. */
export type Work = {
  readonly task: string;
  readonly key: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** RFC 3339; null: now. */
  readonly runAt: string | null;
  /** Smaller goes first. */
  readonly priority: number;
  /** Names, without spaces, of what it shares with other work: of one a worker does only so much at once. */
  readonly uses: readonly string[];
  /** Tries that are left; all when it says nothing. What comes back into the queue does not begin anew. */
  readonly tries?: number;
};

/** The attempt that a piece of work comes after: 0 before the first; null: whichever was the last. */
export type After = number | null;

/**
 * Whether what work is about has gone on: `postponed` is its newest attempt that is followed by another. What comes after
 * that one is another piece of work, queued for the end of its wait.
 */
export const hasGoneOn = (postponed: number, after: After): boolean =>
  after !== null && postponed > after;

/** How long work under way may go on once its worker is to stop; then its signal aborts. */
export const lastWorkMs = 8_000;

/** Tries of one piece of work; each later one waits longer, up to some six hours. */
export const mostTries = 25;

/**
 * From so many deaths on, a piece of work goes on alone. `deaths` of its payload counts the processes that died while they
 * worked at it. All that a process works at shares its death, so that one says little of a piece.
 */
export const deathsUntilAlone = 2;
/** From so many deaths on, it is given up untried: five of them met it while nothing else was under suspicion there. */
export const deathsUntilGivenUp = 7;

/** What is under suspicion uses this: of it one goes on at a time in a process. */
export const alone = 'alone';

/** The kind of use of what was met by deaths. */
export const deathsUse = 'deaths';

/** What was met by so many deaths uses this: a process takes it the later, the more they are. */
export const metBy = (deaths: number): string => `${deathsUse}:${deaths}`;
