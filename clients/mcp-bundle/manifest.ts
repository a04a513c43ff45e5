/** What the manifest takes from `package.json`. */
export type Package = { readonly version: string; readonly description: string; readonly license: string };

/** The oldest Node whose syntax the bundle may use: clients run it by their own. */
export const oldestNode = 20;

/** The manifest of the bundle, in version 0.3 of the format: what a client asks its user for, and how it starts the server. */
export const manifestOf = ({ version, description, license }: Package) => ({
  manifest_version: '0.3',
  name: 'steno',
  display_name: 'Steno',
  version,
  description,
  author: { name: 'Steno' },
  license,
  server: {
    type: 'node',
    entry_point: 'server/server.mjs',
    mcp_config: {
      command: 'node',
      args: [`\${__dirname}/server/server.mjs`],
      env: { STENO_URL: `\${user_config.url}`, STENO_API_KEY: `\${user_config.api_key}` },
    },
  },
  // They are those of the server, which may be newer than the bundle.
  tools_generated: true,
  user_config: {
    url: {
      type: 'string',
      title: 'Address of the server',
      description: 'Such as https://steno.example',
      required: true,
    },
    api_key: {
      type: 'string',
      title: 'API key',
      description: 'Made on the page "API keys" of the account. Calls are charged to it.',
      required: true,
      sensitive: true,
    },
  },
  compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: `>=${oldestNode}.3.0` } },
});
