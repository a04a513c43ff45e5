import { z } from 'zod';
import type { Work } from '../../../kernel/work.ts';

/** What an earlier version queued, and what is queued again because it was forgotten, comes after whichever attempt. */
export const after = z.int().nullable().default(null);

/** How a task is run. */
export type TaskRun = {
  readonly signal: AbortSignal;
  /** When this try fails the work is given up, by tasks that can say so where somebody sees it. */
  readonly isLastTry: boolean;
  /** What the work is given up with before it is tried; null: it is tried. */
  readonly deadly: Error | null;
};

/** One kind of work: parse the payload, call a command, let it throw. It runs twice without harm. */
export type Task = {
  readonly run: (payload: unknown, run: TaskRun) => Promise<void>;
  /** Payloads that together are this one, each as small as can be; unset: there is nothing to divide. */
  readonly divide?: (payload: unknown) => readonly Work['payload'][];
};

/** Throws what work throws, so that the queue tries again; what the last try throws goes to `giveUp`. */
export const orGiveUp = async (
  { signal, isLastTry, deadly }: TaskRun,
  work: () => Promise<void>,
  giveUp: (error: unknown) => Promise<void>,
): Promise<void> => {
  if (deadly !== null) return await giveUp(deadly);
  try {
    await work();
  } catch (error) {
    if (!isLastTry || signal.aborted) throw error;
    await giveUp(error);
  }
};

/** A task that calls one command. Where nothing ends what it is about, it is tried as long as the queue tries it. */
export const task = <Payload>(
  schema: z.ZodType<Payload>,
  command: (payload: Payload, run: TaskRun) => Promise<void>,
  giveUp?: (payload: Payload, fault: unknown) => Promise<void>,
): Task => ({
  run: async (given, run) => {
    const payload = schema.parse(given);
    const work = () => command(payload, run);
    if (giveUp === undefined) await work();
    else await orGiveUp(run, work, (fault) => giveUp(payload, fault));
  },
});
