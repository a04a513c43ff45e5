import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestApp, type TestApp } from '#test/support/app.ts';

const suite = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/conformance/package.json')),
);

/** Scenarios that need nothing of a server but the protocol; the others call tools that only test servers have. */
const scenarios: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    ...['server-initialize', 'server-session-lifecycle', 'ping', 'tools-list', 'prompts-list'],
    ...['resources-list', 'dns-rebinding-protection', 'server-sse-multiple-streams'],
  ],
  '2026-07-28': [
    ...['server-stateless', 'tools-list', 'prompts-list', 'resources-list', 'caching'],
    ...['http-header-validation', 'dns-rebinding-protection', 'server-sse-multiple-streams'],
    ...['sep-2164-resource-not-found', 'input-required-result-unsupported-methods'],
  ],
};

/** Checks within these scenarios that call a tool of a test server. */
const untestable: ReadonlySet<string> = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
]);

/** What the scenarios of tasks check without a tool of a test server. */
const taskChecks = [
  ...['tasks-extension-advertised', 'sep-2663-tasks-methods-non-declaring', 'tasks-removed-tasks-list'],
  ...['sep-2663-tasks-result-removed-method-not-found', 'sep-2663-tasks-get-invalid-task-id-32602'],
  'tasks-headers-reject-mismatched-method',
];

type Check = {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
};

/** The suite sends no key: this passes its requests on with one, and with their own host and origin. */
const startKeyProxy = async (url: string, key: string) => {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const passed = request(`${url}${incoming.url}`, { method: incoming.method ?? '', headers });
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
};

/** The checks of each scenario that the suite runs for a revision. */
const checksOf = async (url: string, revision: string): Promise<ReadonlyMap<string, Check[]>> => {
  const folder = await mkdtemp(join(tmpdir(), 'steno-conformance-'));
  try {
    const args = [suite, 'server', '--url', url, '--requirements', revision, '-o', folder];
    // It ends with 1, because it counts what only test servers have.
    await new Promise<void>((resolve) => execFile(process.execPath, args, () => resolve()));
    const results = (await readdir(folder)).map(async (name) => {
      const checks = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8'));
      return [name.replace(/^server-|-\d{4}-\d{2}-\d{2}T.*$/g, ''), checks as Check[]] as const;
    });
    return new Map(await Promise.all(results));
  } finally {
    await rm(folder, { recursive: true });
  }
};

describe('the conformance suite of the Model Context Protocol', () => {
  let app: TestApp;
  let key: string;
  before(async () => {
    app = await startTestApp();
    ({ key } = await app.createAccount({ plan: 'enterprise' }));
  });
  after(() => app[Symbol.asyncDispose]());

  for (const [revision, wanted] of Object.entries(scenarios)) {
    it(`finds nothing wrong with revision ${revision}, and every message of any scenario well-formed`, async () => {
      await using proxy = await startKeyProxy(app.url, key);
      const found = await checksOf(proxy.url, revision);
      const failed = wanted.flatMap((scenario) =>
        (found.get(scenario) ?? [{ id: `${scenario} did not run`, status: 'FAILURE' }]).filter(
          ({ id, status }) => status === 'FAILURE' && !untestable.has(id),
        ),
      );
      assert.deepEqual(failed, []);
      if (revision === '2026-07-28') {
        const passed = [...found.values()].flat().filter(({ status }) => status === 'SUCCESS');
        const ids = new Set(passed.map(({ id }) => id));
        assert.deepEqual(
          taskChecks.filter((id) => !ids.has(id)),
          [],
        );
      }
      const schemas = [...found.values()].flat().filter(({ id }) => id === 'wire-schema-valid');
      assert.ok(schemas.length > 20, `${schemas.length} scenarios compared messages`);
      assert.deepEqual(
        schemas.filter(({ status }) => status !== 'SUCCESS'),
        [],
      );
    });
  }
});
