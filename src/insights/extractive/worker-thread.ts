import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Source } from '../source.ts';
import { type CancelledTask, runCancellable } from './cancellation.ts';
import type { Extract, Task, ThreadMessage } from './extract.ts';

/** Characters of JSON that are kept; a transcript takes some 60 bytes for each when it has been read. */
const mostCharacters = 3_000_000;

const cancelled: CancelledTask = workerData;

const tell = (message: ThreadMessage): void => parentPort?.postMessage(message);

/** Transcripts with what was computed of them, by their hash. */
const known = new LRUCache<string, { readonly source: Source; readonly length: number }>({
  maxSize: mostCharacters,
  sizeCalculation: ({ length }) => length,
  dispose: (_, hash, reason) => {
    if (reason === 'evict') tell({ forgot: hash });
  },
});

const sourceOf = ({ hash, json }: Task): Source => {
  const kept = known.get(hash);
  if (kept !== undefined) return kept.source;
  if (json === null) throw new Error('the transcript was not sent');
  const source: Source = JSON.parse(json);
  known.set(hash, { source, length: json.length });
  // One that is larger than the cache is used once.
  if (!known.has(hash)) tell({ forgot: hash });
  return source;
};

const extractOf = async (file: string): Promise<Extract<readonly unknown[], unknown>> =>
  (await import(new URL(`${file}.ts`, import.meta.url).href)).extract;

parentPort?.on('message', async (task: Task) => {
  const { id, file, options } = task;
  try {
    const { run } = await extractOf(file);
    const source = sourceOf(task);
    tell({ id, result: runCancellable(id, cancelled, () => run(source, ...options)) });
  } catch (error) {
    tell({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
