import { z } from 'zod';
import type { Work } from '../../../kernel/task-payload.ts';

/**
 * The attempt that a task follows; `after` in stored payloads. Tasks of earlier versions, and tasks that are queued again
 * because they were lost, name none and follow any.
 */
export const after = z.int().nullable().default(null);

/** How a task is run. */
export type TaskRun = {
  readonly signal: AbortSignal;
  /** An error of this attempt is final. */
  readonly isLastAttempt: boolean;
  /** Why the task is not run but failed; null: it is run. */
  readonly deadLetterReason: Error | null;
};

/** A kind of task: parses the payload, calls a command and lets it throw. Must be idempotent. */
export type Task = {
  readonly run: (payload: unknown, run: TaskRun) => Promise<void>;
  /** Splits a payload into its smallest parts; unset: it cannot be divided. */
  readonly divide?: (payload: unknown) => readonly Work['payload'][];
};

/** Throws what `work` throws, so that the queue tries again. The error of the last attempt goes to `fail`. */
export const runOrFail = async (
  { signal, isLastAttempt, deadLetterReason }: TaskRun,
  work: () => Promise<void>,
  fail: (error: unknown) => Promise<void>,
): Promise<void> => {
  if (deadLetterReason !== null) return await fail(deadLetterReason);
  try {
    await work();
  } catch (error) {
    if (!isLastAttempt || signal.aborted) throw error;
    await fail(error);
  }
};

/** A task that calls one command. Without `fail` it is retried until the queue's limit of attempts. */
export const task = <Payload>(
  schema: z.ZodType<Payload>,
  command: (payload: Payload, run: TaskRun) => Promise<void>,
  fail?: (payload: Payload, fault: unknown) => Promise<void>,
): Task => ({
  run: async (given, run) => {
    const payload = schema.parse(given);
    const work = () => command(payload, run);
    if (fail === undefined) await work();
    else await runOrFail(run, work, (fault) => fail(payload, fault));
  },
});
