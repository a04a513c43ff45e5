/** The set-up of four clients of the Model Context Protocol, to paste into a `file`; null: it is a command. */
export const mcpSnippets = (publicUrl: string, key: string) => {
  const url = `${publicUrl}/mcp`;
  const headers = { Authorization: `Bearer ${key}` };
  const json = (value: unknown): string => JSON.stringify(value, null, 2);
  return [
    {
      client: 'Claude Code',
      file: null,
      text: `claude mcp add --transport http steno ${url} --header "Authorization: Bearer ${key}"`,
    },
    {
      client: 'Claude Desktop',
      file: 'claude_desktop_config.json',
      text: json({
        mcpServers: { steno: { command: 'steno', args: ['mcp', '--url', url], env: { STENO_API_KEY: key } } },
      }),
    },
    { client: 'Cursor', file: '~/.cursor/mcp.json', text: json({ mcpServers: { steno: { url, headers } } }) },
    { client: 'VS Code', file: '.vscode/mcp.json', text: json({ servers: { steno: { type: 'http', url, headers } } }) },
  ];
};
