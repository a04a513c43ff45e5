import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { orAborted } from '../../kernel/abortable.ts';
import { semaphore } from '../../kernel/semaphore.ts';
import type { Source } from '../source.ts';
import type { CancelledTask } from './cancellation.ts';
import type { Extract, Task, ThreadMessage } from './extract.ts';

/** For whom extracts are made. */
export type ExtractFor = {
  /** Callers take turns. */
  readonly caller: string;
  readonly signal: AbortSignal;
  /** Called when the work begins, after the wait for its turn. */
  readonly onBegun?: () => void;
};

/** Makes extracts for one caller. */
export type Extractor = <Options extends readonly unknown[], Result>(
  wanted: Extract<Options, Result>,
  source: Source,
  ...options: Options
) => Promise<Result>;

type RunningExtract = Pick<Task, 'id'> & Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>;

const threadFile = new URL('./worker-thread.ts', import.meta.url);

/** Memory of the thread: a transcript of twelve hours takes some 100 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 768 };

/** A cancelled task ends within milliseconds; a thread that does not end it is ended. */
const cancelGraceMs = 1_000;

/**
 * A thread that does one task at a time; `run` is called again when the last one has ended. It starts with the first task, and
 * again after a crash; the task under way then fails.
 */
const extractThread = () => {
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

/**
 * Makes extracts in a thread of their own, because reading a transcript of three hours takes longer than the event loop may
 * stand still. Callers take turns; one that aborts leaves the queue, or ends its task.
 */
export const extractInWorker = () => {
  const thread = extractThread();
  const turns = semaphore({ total: 1 });

  return {
    extractFor:
      ({ caller, signal, onBegun }: ExtractFor): Extractor =>
      async <Result>({ file }: { readonly file: string }, source: Source, ...options: readonly unknown[]) => {
        const turn = await turns.acquire(signal, caller);
        if (signal.aborted) turn[Symbol.dispose]();
        signal.throwIfAborted();
        onBegun?.();
        signal.addEventListener('abort', thread.cancel, { once: true });
        const work = thread.run({ file, options }, source).finally(() => {
          signal.removeEventListener('abort', thread.cancel);
          turn[Symbol.dispose]();
        });
        return (await orAborted(work, signal)) as Result;
      },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
};

export type ExtractInWorker = ReturnType<typeof extractInWorker>;

/** A text so short, some four minutes, is read faster than a thread is asked. */
const shortText = 4_000;

/** A program bundled into one file has no file for the thread. */
const hasThread = existsSync(threadFile);

/** The one thread of the process: what it has read is of use to all calls. It starts with the first long transcript. */
const shared = extractInWorker();

/** Makes extracts where they do not hold up the event loop: of a short transcript here, of a long one in the thread. */
export const extractFor = (options: ExtractFor): Extractor => {
  const inThread = shared.extractFor(options);
  return async (wanted, source, ...given) => {
    const length = source.segments.reduce((sum, { text }) => sum + text.length, 0);
    if (length > shortText && hasThread) return await inThread(wanted, source, ...given);
    options.signal.throwIfAborted();
    options.onBegun?.();
    return wanted.run(source, ...given);
  };
};
