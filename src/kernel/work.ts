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
};
