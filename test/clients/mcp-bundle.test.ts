import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { unzipSync } from 'fflate';
import { z } from 'zod';
import { key, readReceipt, startEdge, transcript, videoId } from '#test/support/http.ts';
import { packBundle } from '../../clients/mcp-bundle/pack.ts';

const version = (JSON.parse(await readFile('package.json', 'utf8')) as { version: string }).version;

/** The members of a `server.json` with remotes, as the registry of the Model Context Protocol takes them. */
const input = z.strictObject({
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  placeholder: z.string().optional(),
  value: z.string().optional(),
});
const serverJson = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().max(255),
  remotes: z.array(
    z.strictObject({
      type: z.literal('streamable-http'),
      url: z.string(),
      variables: z.record(z.string(), input),
      headers: z.array(input.extend({ name: z.string(), variables: z.record(z.string(), input) })),
    }),
  ),
});

describe('the bundle for clients of the Model Context Protocol', () => {
  it('is described to registries with the host as a variable', async () => {
    const { version: described, remotes } = serverJson.parse(JSON.parse(await readFile('server.json', 'utf8')));
    assert.equal(described, version);
    for (const { url, variables, headers } of remotes) {
      assert.deepEqual(
        [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        Object.keys(variables),
      );
      for (const { value = '', variables: inside } of headers) {
        assert.deepEqual(
          [...value.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
          Object.keys(inside),
        );
      }
    }
  });

  it('passes the calls of a client on to the server', async () => {
    const folder = await mkdtemp(join(process.env['STENO_TEST_SCRATCH'] ?? tmpdir(), 'bundle-'));
    try {
      await packBundle(join(folder, 'steno.mcpb'));
      const files = unzipSync(await readFile(join(folder, 'steno.mcpb')));
      for (const [path, bytes] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), bytes);
      }
      const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
      assert.equal(manifest.version, version);
      await using edge = await startEdge({
        commands: { readTranscript: async () => ({ ...readReceipt, transcript, text: 'words\n' }) },
        queries: { creditsRemaining: async () => 9 },
      });
      const client = new Client({ name: 'test', version: '1.0.0' });
      const entry = join(folder, manifest.server.entry_point);
      const env = { STENO_URL: edge.url, STENO_API_KEY: key };
      await client.connect(new StdioClientTransport({ command: process.execPath, args: [entry], env }));
      const read = await client.callTool({ name: 'get_transcript', arguments: { video_id: videoId, format: 'txt' } });
      await client.close();
      assert.deepEqual(read.content, [{ type: 'text', text: 'words\n' }]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
