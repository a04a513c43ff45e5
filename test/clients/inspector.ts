import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openWindow } from '#test/support/browser-page.ts';
import { startChromium } from '#test/support/chromium.ts';
import { freePort } from '#test/support/free-port.ts';
import { agreeInBrowser } from '#test/support/oauth.ts';

const name = '@modelcontextprotocol/inspector@2.12.0';

const calls = (tool: string, args: object): readonly string[] => [
  ...['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)],
];

/** What the Inspector is asked of `/mcp` with a key, and how it ends: 0 fine, 5 a tool refused. */
const asked = [
  [0, ['--method', 'tools/list', '--strict']],
  [0, calls('search', { video_id: 'lighthouse1', query: 'lamp' })],
  [0, ['--app-info', '--method', 'tools/call', '--tool-name', 'get_transcript']],
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

/** What the Inspector lists after its user has signed in by OAuth, in a browser without a window. */
const listedAfterSignIn = async (program: string, server: readonly string[], { url, env, owner }: SignIn) => {
  const callback = ['--callback-url', `http://127.0.0.1:${await freePort()}/oauth/callback`];
  const child = execFile(program, [...server, ...callback, '--format', 'json', '--method', 'tools/list'], {
    // It opens the address in a browser of PATH too; there is none.
    env: { ...env, PATH: dirname(process.execPath), MCP_AUTO_OPEN_ENABLED: 'true' },
  });
  const { promise: asked, resolve: ask, reject: fail } = Promise.withResolvers<string>();
  let [listed, said] = ['', ''];
  child.stdout?.on('data', (data: string) => {
    listed += data;
  });
  child.stderr?.on('data', (data: string) => {
    said += data;
    const [address] = /http\S+\/oauth\/authorize\S+/.exec(said) ?? [];
    if (address !== undefined) ask(address);
  });
  const ended = once(child, 'close').then(([code]) => {
    fail(new Error(said));
    return code;
  });
  const browser = await startChromium();
  try {
    await using window = await openWindow(browser, url);
    await agreeInBrowser(window.page, await asked, owner);
    assert.equal(await ended, 0, said);
    return listed;
  } finally {
    child.kill();
    await browser.close();
  }
};

type SignIn = {
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  readonly owner: { readonly email: string; readonly password: string };
};

/** Runs the command line of the Inspector of the Model Context Protocol against a server, with a key and as its user. */
export const inspect = async (url: string, key: string, given: NodeJS.ProcessEnv, owner: SignIn['owner']) => {
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
    assert.match(await listedAfterSignIn(program, server, { url, env, owner }), /"get_transcript"/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
