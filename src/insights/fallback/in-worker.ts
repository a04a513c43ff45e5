import { Worker } from 'node:worker_threads';
import type { Answer, Extractive, ExtractiveName, OptionsOf, Task } from './operations.ts';
import type { Source } from './source.ts';

type Waiting = {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

/** Memory of the thread: a transcript of twelve hours takes some 100 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 768 };

/**
 * Runs the extractive operations in a thread of their own: reading a transcript of three hours takes longer than the
 * event loop may stand still. The thread starts with the first call, keeps what it has read, and is started again
 * after a crash; calls under way then fail.
 */
export const extractInWorker = () => {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | null = null;
  let last = 0;

  const failAll = (error: Error): void => {
    thread = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const start = (): Worker => {
    const worker = new Worker(new URL('./worker-thread.ts', import.meta.url), { resourceLimits });
    worker.on('message', (answer: Answer) => {
      const call = waiting.get(answer.id);
      waiting.delete(answer.id);
      // A thread without work does not keep the process alive.
      if (waiting.size === 0) worker.unref();
      if ('error' in answer) call?.reject(new Error(answer.error));
      else call?.resolve(answer.result);
    });
    worker.on('error', (cause) => {
      if (thread === worker) failAll(new Error('the thread of extracts failed', { cause }));
    });
    worker.on('exit', (code) => {
      if (thread === worker) failAll(new Error(`the thread of extracts ended with ${code}`));
    });
    return worker;
  };

  const run = <Name extends ExtractiveName>(
    name: Name,
    source: Source,
    ...given: OptionsOf<Name>
  ): Promise<ReturnType<Extractive[Name]>> =>
    new Promise((resolve, reject) => {
      thread ??= start();
      last += 1;
      const [options]: readonly unknown[] = given;
      const task: Task = { id: last, name, source: JSON.stringify(source), options };
      waiting.set(last, {
        resolve: (result) => resolve(result as ReturnType<Extractive[Name]>),
        reject,
      });
      thread.ref();
      thread.postMessage(task);
    });

  return {
    run,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      const ending = thread;
      failAll(new Error('extracts are closed'));
      await ending?.terminate();
    },
  };
};

export type ExtractInWorker = ReturnType<typeof extractInWorker>;
