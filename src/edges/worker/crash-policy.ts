import type { Job } from 'graphile-worker';
import { z } from 'zod';
import { parseTraceparent } from '../../kernel/tracing.ts';
import { attemptsOfTask, crashesUntilDeadLetter, crashesUntilQuarantine, quarantine, type Task } from './task.ts';

/*
 * The death of a process interrupts all its tasks, so one crash says little about a single task. From the
 * second crash on, a task waits in a serial queue, `quarantine`: of all quarantined tasks one runs at a time, so that a
 * task that kills its process is told apart from healthy ones. From the fifth crash on, a task is dead-lettered.
 */

/** A task as the queue hands it over, with this attempt counted. */
export type QueuedTask = Pick<
  Job,
  'key' | 'payload' | 'priority' | 'flags' | 'attempts' | 'max_attempts' | 'job_queue_id'
>;

/** The name `deaths` is stored in queues. */
const Payload = z.looseObject({ deaths: z.int().default(0) });

const crashesOf = ({ payload }: Pick<QueuedTask, 'payload'>): number => Payload.parse(payload).deaths;

/** The span that caused a task; null: none, or one that is not known. */
export const traceparentIn = ({ payload }: Pick<QueuedTask, 'payload'>): string | null =>
  parseTraceparent(Payload.parse(payload)['traceparent']);

/** The concurrency keys of a task, which the queue stores as flags. */
export const concurrencyKeysOf = ({ flags }: Pick<QueuedTask, 'flags'>): readonly string[] => Object.keys(flags ?? {});

/** Attempts of this task with this one, including those before it came back into the queue. */
export const attemptOf = ({ attempts, max_attempts: max }: Pick<QueuedTask, 'attempts' | 'max_attempts'>): number =>
  attemptsOfTask - (max - attempts);

/** Why the task is not run any more; null: it is run. */
export const deadLetterReasonOf = (task: Pick<QueuedTask, 'payload'>): Error | null => {
  const crashes = crashesOf(task);
  return crashes < crashesUntilDeadLetter ? null : new Error(`${crashes} processes ended while they ran this task`);
};

/**
 * The same task again, without counting this attempt. Under its key it replaces the row that was taken. Nothing when the
 * row has no key: the same work, or its parts, was queued again meanwhile, and newer rows stand for it.
 */
export const requeued = (identifier: string, task: QueuedTask): readonly Task[] => {
  const { key, payload, priority, attempts, max_attempts: max, job_queue_id: queueId } = task;
  if (key === null) return [];
  return [
    {
      task: identifier,
      key,
      payload: Payload.parse(payload),
      priority,
      concurrencyKeys: concurrencyKeysOf(task),
      attemptsLeft: max - attempts + 1,
      ...(queueId === null ? {} : { queueName: quarantine }),
    },
  ];
};

/**
 * The tasks that take the place of this one in quarantine; null: it stays where it is. `parts`: the payloads that it can
 * be divided into. Each part starts with the crashes that put it into quarantine, however many met all parts together,
 * because it has not run alone yet. The first part has the key of the task, so that it replaces the row. A process that ends
 * before the row is removed would otherwise leave it to be divided again, which would reset the crashes of the parts.
 */
export const quarantined = (
  identifier: string,
  task: QueuedTask,
  parts: readonly Task['payload'][],
): readonly Task[] | null => {
  if (crashesOf(task) < crashesUntilQuarantine) return null;
  if (parts.length <= 1 && task.job_queue_id !== null) return null;
  return requeued(identifier, task).flatMap((work) => {
    const alone = { ...work, queueName: quarantine, concurrencyKeys: [quarantine] };
    if (parts.length <= 1) return [alone];
    const traceparent = traceparentIn(task);
    return parts.map((payload, part) => ({
      ...alone,
      key: part === 0 ? work.key : `${work.key}|${part}`,
      payload: { ...payload, ...(traceparent === null ? {} : { traceparent }), deaths: crashesUntilQuarantine },
    }));
  });
};
