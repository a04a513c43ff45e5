import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

const conf = readFileSync('infra/nginx.conf', 'utf8');

/** Directives by block, such as `http server location /v1/`; a directive that stands twice has two entries. */
const directivesOf = (text: string): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  const blocks: string[] = [];
  for (const [, words = '', end] of text.replaceAll(/#.*$/gm, '').matchAll(/\s*([^;{}]*?)\s*([;{}])/g)) {
    if (end === '{') blocks.push(words);
    else if (end === '}') blocks.pop();
    else found.set(blocks.join(' '), [...(found.get(blocks.join(' ')) ?? []), words]);
  }
  assert.deepEqual(blocks, [], 'every block is closed');
  return found;
};

/** A server on a free port that counts its requests. */
const counting = async (answer: RequestListener) => {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** The nginx of this machine with our file, in front of these ports. */
const startNginx = async (ports: readonly number[], maxFails = 0) => {
  await using free = await counting(() => undefined);
  const { port } = free;
  await free[Symbol.asyncDispose]();
  const folder = mkdtempSync(join(tmpdir(), 'steno-nginx-'));
  const text = conf
    .replace(/^ *resolver .*$/m, '')
    .replace('access_log /dev/stdout', `access_log ${folder}/access.log`)
    .replace(/^ *server api:3000 .*$/m, ports.map((one) => `server 127.0.0.1:${one} max_fails=${maxFails};`).join('\n'))
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('worker_processes auto;', 'worker_processes 1;')
    .replace('http {', `http { client_body_temp_path ${folder};`);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `daemon off;\npid ${folder}/pid;\n${text}`);
  const child = spawn('nginx', ['-p', folder, '-e', `${folder}/error.log`, '-c', file]);
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  for (let turn = 0; turn < 200; turn += 1) {
    if (await fetch(`${url}/ready`).then(Boolean, () => false)) break;
    await pause(25);
  }
  return {
    url,
    accessLog: () => readFileSync(`${folder}/access.log`, 'utf8'),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGQUIT');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
};

const isInstalled = spawnSync('nginx', ['-v']).status === 0;

describe('nginx in front of the API', () => {
  const directives = directivesOf(conf);
  const inBlock = (block: string): readonly string[] => directives.get(block) ?? [];

  it('sends a request under /v1 once', () => {
    assert.ok(inBlock('http server location /v1/').includes('proxy_next_upstream off'));
    const unsent = 'http server location @unsent';
    const ifSent = `${unsent} if ($upstream_bytes_sent ~ [1-9])`;
    const unsentBlocks = [ifSent, unsent];
    assert.ok(inBlock('http server').includes('error_page 502 504 = @unsent'));
    assert.ok(inBlock(unsent).includes('proxy_next_upstream off'));
    assert.deepEqual(inBlock(ifSent), ['return 502']);
    const others = [...directives].filter(([block]) => block.includes('location'));
    assert.deepEqual(
      others.map(([block]) => block),
      ['http server location /', 'http server location /v1/', ...unsentBlocks],
    );
  });

  it('resolves the names of API processes again', () => {
    assert.ok(inBlock('http').some((words) => /^resolver \S+ valid=\d+s$/.test(words)));
    assert.ok(inBlock('http upstream api').some((words) => /^server \S+ resolve /.test(words)));
    assert.ok(inBlock('http upstream api').some((words) => words.startsWith('zone ')));
  });

  it('distinguishes the addresses of one name when it chooses the process of a caller', () => {
    // `consistent` would choose by the name.
    assert.ok(inBlock('http upstream api').includes('hash $caller'));
  });

  it('allows 10,000 connections and as many to the API', () => {
    assert.deepEqual(inBlock('events'), ['worker_connections 20480']);
    assert.ok(inBlock('').includes('worker_rlimit_nofile 40960'));
  });

  it('closes an idle connection before an API process that ends does', () => {
    // That takes 3 s.
    assert.ok(inBlock('http upstream api').includes('keepalive_timeout 2s'));
  });

  // The text of the file is checked everywhere, its effect where nginx is installed.
  if (isInstalled) {
    it('repeats a lost read elsewhere, and never one under /v1', async () => {
      await using lost = await counting((request) => request.socket.destroy());
      await using alsoLost = await counting((request) => request.socket.destroy());
      await using nginx = await startNginx([lost.port, alsoLost.port]);
      const reached = (): number => lost.requests() + alsoLost.requests();
      for (const [path, times] of [
        ['/v1/transcripts/x', 1],
        ['/api/status', 2],
      ] as const) {
        const before = reached();
        assert.equal((await fetch(nginx.url + path)).status, 502);
        assert.equal(reached() - before, times, path);
      }
    });

    it('sends a request under /v1 elsewhere if it reached no process', async () => {
      await using gone = await counting(() => undefined);
      await gone[Symbol.asyncDispose]();
      const bodies: string[] = [];
      await using alive = await counting(async (request, response) => {
        bodies.push(`${request.method} ${Buffer.concat(await request.toArray()).toString()}`);
        response.end();
      });
      await using nginx = await startNginx([gone.port, alive.port], 1);
      bodies.length = 0;
      for (const body of ['{"n":1}', '{"n":2}', '{"n":3}']) {
        const answer = await fetch(`${nginx.url}/v1/jobs`, { method: 'POST', body });
        assert.equal(answer.status, 200);
      }
      assert.deepEqual(bodies, ['POST {"n":1}', 'POST {"n":2}', 'POST {"n":3}']);
    });

    it('leads each caller to one process, and callers to different ones', async () => {
      await using one = await counting((_, response) => response.end('one'));
      await using other = await counting((_, response) => response.end('other'));
      await using nginx = await startNginx([one.port, other.port]);
      const answerTo = async (caller: number): Promise<string> => {
        const headers = { Authorization: `Bearer caller-${caller}` };
        return (await fetch(`${nginx.url}/v1/usage`, { headers })).text();
      };
      const callers = Array.from({ length: 20 }, (_, n) => n);
      const first = await Promise.all(callers.map(answerTo));
      assert.deepEqual(await Promise.all(callers.map(answerTo)), first);
      assert.deepEqual(new Set(first), new Set(['one', 'other']));
    });

    it('logs a request without its query, which may hold the token of a link', async () => {
      await using alive = await counting((_, response) => response.end());
      await using nginx = await startNginx([alive.port]);
      await fetch(`${nginx.url}/reset?token=secret`);
      assert.match(nginx.accessLog(), / "GET \/reset" 200 /);
      assert.doesNotMatch(nginx.accessLog(), /secret/);
    });

    it('passes a 503 on without asking another process, which would answer the same', async () => {
      await using away = await counting((_, response) => response.writeHead(503).end());
      await using alsoAway = await counting((_, response) => response.writeHead(503).end());
      await using nginx = await startNginx([away.port, alsoAway.port]);
      const before = away.requests() + alsoAway.requests();
      assert.equal((await fetch(`${nginx.url}/api/health/ready`)).status, 503);
      assert.equal(away.requests() + alsoAway.requests() - before, 1);
    });
  }
});
