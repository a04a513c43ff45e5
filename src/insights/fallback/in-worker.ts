import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Source } from '../source.ts';
import {
  type Answer,
  type Extractive,
  type ExtractiveName,
  type OptionsOf,
  runExtractive,
  type Task,
} from './operations.ts';

type Waiting = {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

const threadFile = new URL('./worker-thread.ts', import.meta.url);

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
    const worker = new Worker(threadFile, { resourceLimits });
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

/** A text so short is read faster than a thread is asked. */
const shortText = 20_000;

/** A program bundled into one file has no file for the thread. */
const hasThread = existsSync(threadFile);

/** The one thread of the process: what it has read is of use to all calls. It starts with the first long transcript. */
const shared = extractInWorker();

/** Runs an operation where it does not hold up the event loop: a short transcript here, a long one in the thread. */
export const extract = async <Name extends ExtractiveName>(
  name: Name,
  source: Source,
  ...given: OptionsOf<Name>
): Promise<ReturnType<Extractive[Name]>> => {
  const length = source.segments.reduce((sum, { text }) => sum + text.length, 0);
  if (length > shortText && hasThread) return await shared.run(name, source, ...given);
  const [options]: readonly unknown[] = given;
  return runExtractive(name, source, options) as ReturnType<Extractive[Name]>;
};
