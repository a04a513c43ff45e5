import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const script = new URL('apart-thread.ts', import.meta.url);

/**
 * Calls an exported function of a module in a thread of its own, and fails as it does. The test runner follows every
 * promise of the thread that it runs in: millions of them take three times as long there.
 */
export const apart = async (module: URL, name: string): Promise<void> => {
  const worker = new Worker(script, { workerData: { module: module.href, name } });
  // An error of the thread rejects this.
  const [code] = await once(worker, 'exit');
  if (code !== 0) throw new Error(`the thread of ${name} ended with ${code}`);
};
