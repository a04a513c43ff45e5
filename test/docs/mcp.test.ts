import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, it } from 'node:test';
import { toolsFor } from '#src/edges/http/mcp/tools/all-tools.ts';
import { mcpSnippets } from '#src/edges/http/website/keys/mcp-snippets.ts';

const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
  language,
  code: code.trimEnd(),
}));

describe('docs/mcp.md', () => {
  it('shows the same setup of each client as the page of a new key', () => {
    for (const { client, file, text } of mcpSnippets('https://steno.example', 'YOUR_API_KEY')) {
      assert.ok(page.includes(client), client);
      if (file !== null) assert.ok(page.includes(`\`${file}\``), file);
      assert.ok(
        blocks.some(({ code }) => code === text),
        `${client}: ${text}`,
      );
    }
  });

  it('contains snippets that can be parsed', () => {
    for (const { language, code } of blocks) {
      if (language === 'json') assert.ok(Object.keys(JSON.parse(code)).length > 0);
      if (language === 'ts') assert.ok(stripTypeScriptTypes(code).includes('callTool'));
      if (language === 'sh') assert.match(code, /^claude mcp add --transport http steno https:/);
    }
    assert.deepEqual(blocks.map(({ language }) => language).sort(), [
      'json',
      'json',
      'json',
      'json',
      'sh',
      'sh',
      'text',
      'ts',
    ]);
  });

  it('lists every tool with its arguments', () => {
    for (const { name, definition } of toolsFor({} as Parameters<typeof toolsFor>[0]).values()) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
      for (const argument of Object.keys(definition.inputSchema.properties)) {
        if (['video_id', 'lang', 'captions', 'asr', 'keep', 'accept_price'].includes(argument)) continue;
        assert.ok(row.includes(`\`${argument}\``), `${name}: ${argument}`);
      }
    }
  });
});
