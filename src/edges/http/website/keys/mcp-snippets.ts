/** How a client of the Model Context Protocol is set up with this server and a key. */
export type McpSnippet = {
  readonly client: string;
  /** The file that it goes into; null: a command. */
  readonly file: string | null;
  readonly text: string;
};

/** The set-up of four clients, ready to paste. */
export const mcpSnippets = (publicUrl: string, key: string): readonly McpSnippet[] => {
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
