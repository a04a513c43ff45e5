import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Refusal } from '../kernel/refusal.ts';

const demo = fileURLToPath(new URL('../../test/simulator/demo.ts', import.meta.url));

/**
 * Runs the demo, which is no part of the server, in a process of its own until it ends or the signal aborts; resolves to
 * its exit code. Throws NOT_FOUND in an installation without it, such as an image.
 */
export const runDemo = async (signal: AbortSignal): Promise<number> => {
  if (!existsSync(demo)) throw new Refusal('NOT_FOUND', 'The demo is not part of this installation.');
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx/esm'), demo], { stdio: 'inherit' });
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
};
