import { createHash } from 'node:crypto';
import { z } from 'zod';

const text = z.string().default('');
const schema: z.ZodType<SchemaPart> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    type: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    items: schema.optional(),
    default: z.unknown().optional(),
    properties: z.record(z.string(), schema).optional(),
    required: z.array(z.string()).optional(),
    description: z.string().optional(),
  }),
);

type SchemaPart = {
  $ref?: string | undefined;
  type?: unknown;
  enum?: unknown[] | undefined;
  items?: SchemaPart | undefined;
  default?: unknown;
  properties?: Record<string, SchemaPart> | undefined;
  required?: string[] | undefined;
  description?: string | undefined;
};

const content = z.record(z.string(), z.object({ schema: schema.optional() })).optional();
const response = z.object({ $ref: z.string().optional(), description: text, content }).loose();
const operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()).default([]),
  summary: text,
  description: text,
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.boolean().default(false),
        description: text,
        schema: schema.optional(),
      }),
    )
    .default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), response),
});
const Document = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: text }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z
    .object({ responses: z.record(z.string(), response).default({}) })
    .default({ responses: {} }),
});

type Operation = z.output<typeof operation>;
type Responses = Readonly<Record<string, z.output<typeof response>>>;

const style = `body{font:1rem/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}
h2{border-top:2px solid;margin-top:3rem}h3{margin-top:2rem}code,pre{font-family:ui-monospace,monospace}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0}
nav ul{columns:2;padding-left:1rem}`;

/** The only style that the page's policy lets a browser apply. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The reference for people, made of the description for machines: no script, nothing from elsewhere. */
export const referencePage = (description: unknown): { html: string; policy: string } => {
  const { info, paths, components } = Document.parse(description);
  const tags = new Map<string, string[]>();
  const links: string[] = [];
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, one] of Object.entries(methods)) {
      const tag = one.tags[0] ?? 'Other';
      tags.set(tag, [
        ...(tags.get(tag) ?? []),
        section(method.toUpperCase(), path, one, components.responses),
      ]);
      links.push(
        `<li><a href="#${escaped(one.operationId)}"><code>${method.toUpperCase()} ${escaped(path)}</code></a></li>`,
      );
    }
  }
  const chapters = [...tags].map(([tag, ones]) => `<h2>${escaped(tag)}</h2>${ones.join('')}`);
  const title = `${escaped(info.title)} ${escaped(info.version)}`;
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><style>${style}</style></head>
<body><h1>${title}</h1><p>${escaped(info.description)}</p>
<p>For machines: <a href="/openapi.json">openapi.json</a></p><nav><ul>${links.join('')}</ul></nav>
<main>${chapters.join('')}</main></body></html>`;
  return { html, policy };
};

const section = (method: string, path: string, one: Operation, shared: Responses): string => {
  const fields = [
    ...one.parameters.map(({ name, in: place, required, description, schema: shape }) =>
      row(name, place, shape, required, description),
    ),
    ...bodyRows(one),
  ];
  const answers = Object.entries(one.responses).map(([status, own]) => {
    const { description, content: bodies } = shared[own.$ref?.split('/').at(-1) ?? ''] ?? own;
    return `<tr><td><code>${escaped(status)}</code></td><td>${escaped(description)}</td><td><code>${escaped(Object.keys(bodies ?? {}).join(', '))}</code></td></tr>`;
  });
  const inputs =
    fields.length === 0
      ? ''
      : `<table><tr><th>Field</th><th>In</th><th>Type</th><th>Meaning</th></tr>${fields.join('')}</table>`;
  return `<section><h3 id="${escaped(one.operationId)}">${escaped(one.summary)}</h3>
<p><code>${method} ${escaped(path)}</code></p><p>${escaped(one.description)}</p>${inputs}
<table><tr><th>Status</th><th>HttpResponse</th><th>Content</th></tr>${answers.join('')}</table></section>`;
};

const bodyRows = ({ requestBody }: Operation): string[] => {
  const [first] = Object.values(requestBody?.content ?? {});
  const shape = first?.schema;
  return Object.entries(shape?.properties ?? {}).map(([name, part]) =>
    row(name, 'body', part, shape?.required?.includes(name) ?? false, part.description ?? ''),
  );
};

const row = (
  name: string,
  place: string,
  shape: SchemaPart | undefined,
  isRequired: boolean,
  description: string,
): string =>
  `<tr><td><code>${escaped(name)}</code>${isRequired ? ' (required)' : ''}</td><td>${escaped(place)}</td><td>${escaped(typeOf(shape))}</td><td>${escaped(description)}</td></tr>`;

const typeOf = (shape: SchemaPart | undefined): string => {
  if (shape === undefined) return '';
  const values = shape.enum?.map(String).join(', ');
  const name =
    shape.$ref?.split('/').at(-1) ?? (shape.type === undefined ? '' : String(shape.type));
  const items = shape.items === undefined ? '' : ` of ${typeOf(shape.items)}`;
  const base = values === undefined ? `${name}${items}` : values;
  return shape.default === undefined ? base : `${base}; default ${String(shape.default)}`;
};

const signs: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escaped = (plain: string): string => plain.replace(/[&<>"]/g, (sign) => signs[sign] ?? sign);
