import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Source } from '../source.ts';
import { type CancelledTask, runCancellable } from './cancellation.ts';
import type { Extract, Task, ThreadMessage } from './extract.ts';

/** Characters of JSON that are kept; a transcript takes some 60 bytes for each when it has been read. */
const mostCharacters = 3_000_000;

const cancelled: CancelledTask = workerData;

const tell = (message: ThreadMessage): void => parentPort?.postMessage(message);

/** Transcripts by their JSON: what was computed of one is kept with its object. */
const sources = new LRUCache<string, Source>({
  maxSize: mostCharacters,
  sizeCalculation: (_, { length }) => length,
  memoMethod: (json) => JSON.parse(json),
});

const extractOf = async (file: string): Promise<Extract<readonly unknown[], unknown>> =>
  (await import(new URL(`${file}.ts`, import.meta.url).href)).extract;

parentPort?.on('message', async (task: Task) => {
  const { id, file, options, json } = task;
  try {
    const { run } = await extractOf(file);
    const source = sources.memo(json);
    tell({ id, result: runCancellable(id, cancelled, () => run(source, ...options)) });
  } catch (error) {
    tell({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
