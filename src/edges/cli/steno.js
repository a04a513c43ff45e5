#!/usr/bin/env node
// The bin `steno`: runs the program by the pinned Node of this checkout, whatever Node the machine has.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const node = join(dirname(require.resolve('node/package.json')), 'bin', 'node');
const start = fileURLToPath(new URL('../../start.js', import.meta.url));

const child = spawn(node, [start, ...process.argv.slice(2)], { stdio: 'inherit' });
// Ctrl-C reaches both by the terminal; the child decides how to end, and we end as it did.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(`steno: ${node} does not run (${error.message}): run npm ci in its folder`);
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  if (signal !== null) console.error(`steno: ended by ${signal}`);
  process.exitCode = code ?? 1;
});
