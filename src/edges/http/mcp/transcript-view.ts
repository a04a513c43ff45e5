import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { videoLink } from '../../../commands.ts';
import { once } from '../../../kernel/memoize.ts';

/** The resource that hosts of MCP Apps show beside results of tools. */
export const transcriptViewUri = 'ui://steno/transcript';

/** The `_meta` of a tool whose results it shows. Clients without the extension ignore it. */
export const shownInView = { ui: { resourceUri: transcriptViewUri } } as const;

/** The extension of the protocol in which pages are shown, MCP Apps. */
export const viewExtension = 'io.modelcontextprotocol/ui';

const mimeType = 'text/html;profile=mcp-app';

/** Nothing is loaded from anywhere, and the host says so to the browser. */
const _meta = {
  ui: { csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] }, prefersBorder: true },
};

/** The entry of `resources/list`. */
export const transcriptViewResource = {
  uri: transcriptViewUri,
  name: 'transcript_view',
  title: 'Transcript to look at',
  description: 'Shows results of get_transcript and search: lines at their times, and what the call cost.',
  mimeType,
  _meta,
} as const;

const folder = fileURLToPath(new URL('view', import.meta.url));

/** The result of `resources/read`. The page is built by the first that reads it, in some 20 ms. */
export const transcriptView = () => ({ contents: [{ uri: transcriptViewUri, mimeType, text: page(), _meta }] });

const page = once((): string => {
  const { outputFiles } = buildSync({
    entryPoints: ['transcript-view.ts', 'transcript-view.css'],
    absWorkingDir: folder,
    outdir: folder,
    minify: true,
    write: false,
    format: 'iife',
    bundle: true,
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'silent',
  });
  const textOf = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text.trimEnd() ?? '';
  const [script, style] = [textOf('.js'), textOf('.css')];
  const policy = [
    `default-src 'none'; script-src ${sourceOf(script)}; style-src ${sourceOf(style)}`,
    "base-uri 'none'; form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>Transcript</title>
<style>${style}</style>
</head>
<body data-video-link="${videoLink('')}">
<main>
<h1>Transcript</h1>
<p role="status">The result is awaited.</p>
<ol tabindex="0" aria-label="Lines"></ol>
</main>
<footer><dl></dl></footer>
<script>${script}</script>
</body>
</html>
`;
});

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
