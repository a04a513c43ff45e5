import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startDemo } from '#test/support/demo.ts';
import { dataFolder } from '#test/support/program.ts';
import { inspect } from './inspector.ts';

const run = promisify(execFile);
const clients = fileURLToPath(new URL('../../docs/clients', import.meta.url));

/** What each example says. */
const expected = [
  'How a lighthouse speaks: 50 lines',
  '00:00:01,200 --> 00:00:03,970',
  '404 VIDEO_UNAVAILABLE private',
  'job queued',
  'job processing',
  'job completed',
  'languages-6 complete 1',
  'lighthouse1 complete 1',
];

/** The commands of each client, in a copy of its folder; the last one runs its example. */
const commandsOf = {
  typescript: [
    ['npm', 'ci', '--ignore-scripts'],
    ['npm', 'run', 'generate'],
    ['npm', 'run', 'check'],
    ['npm', 'run', '--silent', 'start'],
  ],
  python: [['python3', 'example.py']],
} as const;

/**
 * `npm run test:clients`: generates, compiles and runs the clients of docs/clients against a demo, and asks its `/mcp` by
 * the Inspector. It needs python3, and npm its registry.
 */
const main = async (): Promise<void> => {
  await using data = await dataFolder();
  await using demo = await startDemo(data.folder);
  const folder = await mkdtemp(join(tmpdir(), 'steno-clients-'));
  try {
    await cp(clients, folder, { recursive: true });
    const env = {
      ...process.env,
      // The Node that this repository pins.
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      STENO_URL: demo.url,
      KEY: demo.lineOf('API key'),
    };
    for (const [name, commands] of Object.entries(commandsOf)) {
      let said = '';
      for (const [command, ...args] of commands) {
        console.log(`${name}: ${command} ${args.join(' ')}`);
        said = (await run(command, args, { cwd: join(folder, name), env })).stdout;
      }
      const lines = said.trim().split('\n');
      assert.deepEqual(lines.slice(0, -1), expected, name);
      assert.match(lines.at(-1) ?? '', /^used \d+ requests$/);
      console.log(`${name}: ok`);
    }
    await inspect(demo.url ?? '', env.KEY, env);
    console.log('inspector: ok');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

await main();
