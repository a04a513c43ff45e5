import { existsSync } from 'node:fs';
import { orAborted } from '../../kernel/abortable.ts';
import { semaphore } from '../../kernel/semaphore.ts';
import type { Source } from '../source.ts';
import type { Extract } from './extract.ts';
import { extractThread, threadFile } from './extract-thread.ts';

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

/**
 * Makes extracts in a thread of their own, because reading a transcript of three hours takes longer than the event loop may
 * stand still. Callers take turns; one that aborts leaves the queue, or ends its task.
 */
export const extractInWorker = () => {
  const thread = extractThread();
  const turns = semaphore({ total: 1 });

  return {
    extractFor: ({ caller, signal, onBegun }: ExtractFor): Extractor => {
      const extract: Extractor = async <Result>(
        { file }: { readonly file: string },
        source: Source,
        ...options: readonly unknown[]
      ) => {
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
      };
      return extract;
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
  const extract: Extractor = async (wanted, source, ...given) => {
    const length = source.segments.reduce((sum, { text }) => sum + text.length, 0);
    if (length > shortText && hasThread) return await inThread(wanted, source, ...given);
    options.signal.throwIfAborted();
    options.onBegun?.();
    return wanted.run(source, ...given);
  };
  return extract;
};
