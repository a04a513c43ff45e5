import { parentPort } from 'node:worker_threads';
import { type Answer, type ExtractiveName, extractive, type Task } from './operations.ts';
import type { Source } from './source.ts';

/** Sources as they were sent, so that a known one need not be parsed and read again. */
const known = new Map<string, Source>();
const sourcesKept = 12;

const sourceOf = (json: string): Source => {
  const source: Source = known.get(json) ?? JSON.parse(json);
  known.delete(json);
  known.set(json, source);
  const [oldest] = known.keys();
  if (known.size > sourcesKept && oldest !== undefined) known.delete(oldest);
  return source;
};

/** The caller's types fit name and options together; here they are one message. */
const operations: Readonly<Record<ExtractiveName, (source: Source, options: never) => unknown>> =
  extractive;

const answerOf = ({ id, name, source, options }: Task): Answer => {
  try {
    return { id, result: operations[name](sourceOf(source), options as never) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

parentPort?.on('message', (task: Task) => parentPort?.postMessage(answerOf(task)));
