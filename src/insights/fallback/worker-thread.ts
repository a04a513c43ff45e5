import { parentPort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Source } from '../source.ts';
import { type Answer, runExtractive, type Task } from './operations.ts';

/** Sources as they were sent, so that a known one need not be parsed and read again. */
const known = new LRUCache<string, Source>({ max: 12 });

const sourceOf = (json: string): Source => {
  const source: Source = known.get(json) ?? JSON.parse(json);
  known.set(json, source);
  return source;
};

const answerOf = ({ id, name, source, options }: Task): Answer => {
  try {
    return { id, result: runExtractive(name, sourceOf(source), options) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

parentPort?.on('message', (task: Task) => parentPort?.postMessage(answerOf(task)));
