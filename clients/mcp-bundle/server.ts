import { bridge } from '#src/edges/cli/mcp.ts';

// The server of the bundle: passes messages of an agent on to a Steno server, with the address and the key of its settings.

const { STENO_URL: address = '', STENO_API_KEY: key = '' } = process.env;
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

if (!URL.canParse(address) || key === '') {
  process.stderr.write('steno: set the address of the server (such as https://steno.example) and an API key\n');
  process.exitCode = 2;
} else {
  // A server whose address has a path has its endpoint below that path.
  const url = new URL('mcp', address.replace(/(?:\/mcp)?\/*$/, '/')).href;
  const { stdin, stdout, stderr } = process;
  await bridge({ stdin, stdout, stderr, signal: stopping.signal }, { url, key }).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
}
