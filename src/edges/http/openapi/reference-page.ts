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

/** The names that the renderer has for the colours and fonts of the site, which `tokens.css` holds. */
const tokens = Object.entries({
  'background-1': 'paper',
  'background-2': 'sheet',
  'background-3': 'line',
  'border-color': 'line',
  'color-1': 'ink',
  'color-2': 'ink-2',
  'color-3': 'ink-2',
  'color-accent': 'link',
  'link-color': 'link',
  'color-blue': 'link',
  'color-purple': 'link',
  'color-green': 'ok',
  'color-orange': 'warn',
  'color-yellow': 'warn',
  'color-red': 'bad',
  'sidebar-background-1': 'sheet',
  'sidebar-border-color': 'line',
  'sidebar-color-1': 'ink',
  'sidebar-color-2': 'ink-2',
  'sidebar-color-active': 'link',
  'button-1': 'link',
  'button-1-color': 'on-link',
  font: 'font',
  'font-code': 'mono',
})
  .map(([name, token]) => `--scalar-${name}:var(--${token})`)
  .join(';');

const style = `:root{--scalar-custom-header-height:3rem}
body{margin:0;font:1rem/1.5 var(--font);background:var(--paper)}
.top{position:sticky;top:0;z-index:20;height:3rem;box-sizing:border-box;display:flex;gap:1.5rem;align-items:center;padding:0 1.5rem;
background:var(--paper);border-bottom:2px solid var(--line);font-size:1.0625rem;white-space:nowrap;overflow-x:auto}
.top a{color:var(--ink);text-decoration:none}.top :is(a:hover,[aria-current]){text-decoration:underline 2px;text-underline-offset:.2em}
.top .brand{font-weight:750;font-size:var(--large);letter-spacing:-.02em;margin-inline-end:.5rem}
.plain{max-width:60ch;margin:3rem auto;padding:0 1.5rem}.plain a{color:var(--link)}
@media (max-width:30rem){.top{gap:1rem;padding:0 .75rem;font-size:.875rem}}
.light-mode{color-scheme:light}.dark-mode{color-scheme:dark}
.light-mode,.dark-mode,.light-mode .t-doc__sidebar,.dark-mode .t-doc__sidebar{${tokens}}`;

const attribute = (value: unknown): string => JSON.stringify(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** The reference for people: the renderer and the address of the description, from which it makes everything. */
export const referencePage = ({
  script,
  tokens: sheet,
}: {
  readonly script: string;
  readonly tokens: string;
}): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>API reference · Steno</title>
<meta name="description" content="Every operation with its fields, responses and examples, ready to try.">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${sheet}">
<style>${style}</style></head>
<body><nav class="top" aria-label="Steno"><a class="brand" href="/">Steno</a><a href="/many">Many videos</a><a href="/docs">Documentation</a><a href="/api/docs" aria-current="page">API reference</a><a href="/status">Status</a><a href="/account">Account</a></nav>
<noscript><div class="plain"><h1>API reference</h1><p>This page needs scripts. Without them: <a href="/docs/api">the API in plain text</a>,
<a href="/docs/errors">the error codes</a>, and <a href="/openapi.json">openapi.json</a>.</p></div></noscript>
<script id="api-reference" type="application/json" data-url="/openapi.json" data-configuration="${attribute(configuration)}"></script>
<script src="${script}"></script>
</body></html>
`;
