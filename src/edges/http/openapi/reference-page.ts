/** What the renderer is told: only this description, no fonts and no services of other hosts. */
const configuration = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  operationTitleSource: 'summary',
  persistAuth: false,
};

/**
 * Of this page alone. The renderer writes styles while it runs, so inline styles are allowed; scripts and requests
 * stay with this host, and no script is inline.
 */
export const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; " +
  "img-src 'self' data: blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const style = `:root{color-scheme:light dark;--scalar-custom-header-height:3rem}
body{margin:0;font:1rem/1.5 system-ui,sans-serif}
.top{position:sticky;top:0;z-index:20;height:3rem;box-sizing:border-box;display:flex;gap:1.5rem;align-items:center;padding:0 1.5rem;
background:light-dark(#f7f9fa,#10161b);border-bottom:1px solid light-dark(#d5dde3,#2b3742)}
.top a{color:light-dark(#16212b,#e6edf2);text-decoration:none}.top a:hover{text-decoration:underline}.top .brand{font-weight:700;font-size:1.2rem}
.plain{max-width:60ch;margin:3rem auto;padding:0 1.5rem}.plain a{color:light-dark(#0b5a75,#7ccbe6)}
@media (max-width:30rem){.top{gap:1rem;padding:0 .75rem;font-size:.875rem}}
.light-mode{--scalar-color-accent:#0b5a75;--scalar-color-3:#5b6b79;--scalar-color-green:#11653c;--scalar-color-orange:#9a4a00}
.dark-mode{--scalar-color-accent:#7ccbe6;--scalar-color-3:#a3b3c0;--scalar-color-orange:#f0c169}`;

const attribute = (value: unknown): string => JSON.stringify(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** The reference for people: the renderer and the address of the description, from which it makes everything. */
export const referencePage = (script: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>API reference · Steno</title>
<meta name="description" content="Every operation with its fields, answers and examples, to try in the page.">
<link rel="icon" href="data:,">
<style>${style}</style></head>
<body><nav class="top" aria-label="Steno"><a class="brand" href="/">Steno</a><a href="/docs">Documents</a><a href="/docs/errors">Errors</a><a href="/status">Status</a></nav>
<noscript><div class="plain"><h1>API reference</h1><p>This page needs scripts. Without them: <a href="/docs/api">the API in short</a>,
<a href="/docs/errors">the error codes</a>, and <a href="/openapi.json">openapi.json</a>.</p></div></noscript>
<script id="api-reference" type="application/json" data-url="/openapi.json" data-configuration="${attribute(configuration)}"></script>
<script src="${script}"></script>
</body></html>
`;
