import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const name = '@modelcontextprotocol/inspector@2.12.0';

const calls = (tool: string, args: object): readonly string[] => [
  ...['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)],
];

/** What the Inspector is asked of `/mcp` with a key, and how it ends: 0 fine, 5 a tool refused. */
const asked = [
  [0, ['--method', 'tools/list', '--strict']],
  [0, calls('search', { video_id: 'lighthouse1', query: 'lamp' })],
  [0, ['--protocol-era', 'modern', ...calls('summarize', { video_id: 'lighthouse1' })]],
  [5, calls('get_transcript', { video_id: 'private-001' })],
  [0, ['--method', 'prompts/list']],
  [0, ['--method', 'resources/templates/list']],
] as const;

/** How it ends where a server wants a key and gets none. */
const noKey = 3;

type Program = { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv };

const ended = (file: string, { args, env }: Program): Promise<{ code: number; said: string }> =>
  new Promise((resolve) => {
    execFile(file, args, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: `${stdout}${stderr}` }),
    );
  });

/** Runs the command line of the Inspector of the Model Context Protocol against a server. */
export const inspect = async (url: string, key: string, given: NodeJS.ProcessEnv) => {
  const folder = await mkdtemp(join(tmpdir(), 'steno-inspector-'));
  // It keeps files in the home folder.
  const env = { ...given, HOME: folder };
  try {
    const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', name];
    const { code, said } = await ended('npm', { args: install, env: given });
    assert.equal(code, 0, said);
    const program = join(folder, 'node_modules/.bin/mcp-inspector');
    const server = ['--cli', '--server-url', `${url}/mcp`, '--transport', 'http', '-q'];
    const header = ['--header', `Authorization: Bearer ${key}`];
    const anonymous = ['--stored-auth-only', '--method', 'tools/list'];
    for (const [wanted, args] of [
      ...asked.map(([code, more]) => [code, [...header, ...more]] as const),
      [noKey, anonymous] as const,
    ]) {
      const found = await ended(program, { args: [...server, ...args], env });
      assert.equal(found.code, wanted, `${args.join(' ').replace(key, '')}: ${found.said}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
