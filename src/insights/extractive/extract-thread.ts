import { Worker } from 'node:worker_threads';
import type { Source } from '../source.ts';
import type { CancelledTask } from './cancellation.ts';
import type { Task, ThreadMessage } from './extract.ts';

type RunningExtract = {
  readonly id: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

export const threadFile = new URL('./worker-thread.ts', import.meta.url);

/** Memory of the thread: a transcript of twelve hours takes some 100 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 768 };

/** A cancelled task ends within milliseconds; a thread that does not end it is ended. */
const cancelGraceMs = 1_000;

/**
 * A thread that does one task at a time; `run` is called again when the last one has ended. It starts with the first task, and
 * again after a crash; the task under way then fails.
 */
export const extractThread = () => {
  const cancelled: CancelledTask = new Int32Array(new SharedArrayBuffer(4));
  let thread: Worker | null = null;
  let running: RunningExtract | null = null;
  let last = 0;

  const end = (error: Error): void => {
    thread = null;
    running?.reject(error);
    running = null;
  };

  const receive = (message: ThreadMessage): void => {
    const task = running;
    if (task?.id !== message.id) return;
    running = null;
    // A thread without work does not keep the process alive.
    thread?.unref();
    if ('error' in message) task.reject(new Error(message.error));
    else task.resolve(message.result);
  };

  const start = (): Worker => {
    const worker = new Worker(threadFile, { resourceLimits, workerData: cancelled });
    worker.on('message', (message: ThreadMessage) => {
      if (thread === worker) receive(message);
    });
    worker.on('error', (cause) => {
      if (thread === worker) end(new Error('the thread of extracts failed', { cause }));
    });
    worker.on('exit', (code) => {
      if (thread === worker) end(new Error(`the thread of extracts ended with ${code}`));
    });
    return worker;
  };

  return {
    run: (wanted: Pick<Task, 'file' | 'options'>, source: Source): Promise<unknown> =>
      new Promise((resolve, reject) => {
        thread ??= start();
        last += 1;
        const task: Task = { ...wanted, id: last, json: JSON.stringify(source) };
        thread.ref();
        thread.postMessage(task);
        running = { id: last, resolve, reject };
      }),
    /** Ends the task under way, and the thread where the task does not end. */
    cancel: (): void => {
      const [task, worker] = [running, thread];
      if (task === null) return;
      Atomics.store(cancelled, 0, task.id);
      setTimeout(() => {
        if (running === task) void worker?.terminate();
      }, cancelGraceMs).unref();
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      const ending = thread;
      end(new Error('extracts are closed'));
      await ending?.terminate();
    },
  };
};
