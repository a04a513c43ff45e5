/** Too many commands wait for one key, or conflicts with other processes lasted too long: try again later. */
export class ConcurrencyError extends Error {
  override readonly name = 'ConcurrencyError';
}

/** A command and its caller. */
export type QueuedCommand<Command, Result> = {
  readonly command: Command;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Queues commands by key, and handles those of one key in one group after the other: the commands that come while a group
 * is handled form the next one.
 */
export const commandQueue = <Command, Result>({
  maxWaiting,
  takeGroup,
  handle,
}: {
  /** Commands that wait for one key at most; a further one is refused at once. */
  readonly maxWaiting: number;
  /** Removes the next group from the waiting commands. */
  readonly takeGroup: (waiting: QueuedCommand<Command, Result>[]) => readonly QueuedCommand<Command, Result>[];
  /** Answers every command of a group; what it throws is the answer to those that it has not answered. */
  readonly handle: (key: string, group: readonly QueuedCommand<Command, Result>[]) => Promise<void>;
}): ((key: string, command: Command) => Promise<Result>) => {
  const queues = new Map<string, QueuedCommand<Command, Result>[]>();

  const drain = async (key: string, waiting: QueuedCommand<Command, Result>[]): Promise<void> => {
    while (waiting.length > 0) {
      const group = takeGroup(waiting);
      try {
        await handle(key, group);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    queues.delete(key);
  };

  return (key, command) =>
    new Promise((resolve, reject) => {
      const waiting = queues.get(key) ?? [];
      if (waiting.length >= maxWaiting) {
        reject(new ConcurrencyError(`${maxWaiting} commands wait for ${key}`));
        return;
      }
      waiting.push({ command, resolve, reject });
      if (queues.has(key)) return;
      queues.set(key, waiting);
      // The commands of one event loop turn form one group.
      setImmediate(() => void drain(key, waiting));
    });
};
