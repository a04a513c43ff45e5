import { catalogues } from '../../../../contract/languages.ts';
import { ownValue } from '../../../../kernel/own-value.ts';
import { apiChanges } from '../../middleware/api-changes.ts';
import { notFound } from '../../middleware/error-handler.ts';
import { bytes } from '../../middleware/response.ts';
import type { Route } from '../../middleware/route.ts';
import { recordedExamples } from '../../openapi/recorded-examples.ts';
import type { PageContext } from '../layout.tsx';
import { page, redirect, textRoute, type WebsiteDeps, xmlText } from '../page.ts';
import type { PageUser } from '../page-charges.ts';
import { plainText } from '../parts/markdown.tsx';
import { changelogPage } from './changelog-page.tsx';
import { errorPage, retryOf } from './error-page.tsx';
import {
  changelogDocument,
  documentFiles,
  type ErrorEntry,
  errorEntries,
  type Guide,
  guides,
  linksOf,
  readDocumentFile,
} from './guides.ts';
import { guidePage, guidesPage, longestSearch } from './guides-page.tsx';
import { searchGuides } from './search-guides.ts';

/** Guides, error codes and changes, as pages and as Markdown; what search engines and agents read first. */
export const documentRoutes = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/docs' }, ({ context, query }) => {
    const asked = (query.get('q') ?? '').trim().slice(0, longestSearch);
    const search = { query: asked, found: asked === '' ? null : searchGuides(asked) };
    return guidesPage(context, guides(), errorEntries(), search);
  }),
  page(deps, { method: 'GET', path: '/docs/analytics' }, () => redirect('/docs/analysts')),
  page(deps, { method: 'GET', path: '/docs/:name' }, async ({ context, params, user }) => {
    const name = params['name'] ?? '';
    const contentType = ownValue(documentFiles, name);
    if (contentType !== undefined) return bytes(readDocumentFile(name), { contentType });
    if (name.endsWith('.md')) return markdown(guideOf(name.slice(0, -3)).markdown);
    const guide = guideOf(name);
    const next = guides()[guides().indexOf(guide) + 1] ?? null;
    return guidePage(user === null ? context : await withKeyOf(deps, context, user), guide, { next });
  }),
  page(deps, { method: 'GET', path: '/docs/errors/:code' }, ({ context, params }) => {
    const [, code = '', ending] = /^(\w+)(\.md)?$/.exec(params['code'] ?? '') ?? [];
    const entry = errorEntries().find((known) => known.code === code) ?? notFound();
    if (ending !== undefined) return markdown(errorMarkdown(entry));
    const { linkOf } = guideOf('errors');
    return errorPage(context, entry, { example: exampleOf(entry), linkOf });
  }),
  page(deps, { method: 'GET', path: '/changelog' }, ({ context }) =>
    changelogPage(context, { changes: apiChanges(), document: changelogDocument(), linkOf: linksOf('CHANGELOG.md') }),
  ),
  textRoute('/llms.txt', { contentType: 'text/plain; charset=utf-8', maxAgeS }, () => llmsText(deps.publicUrl)),
  textRoute('/sitemap.xml', { contentType: 'application/xml; charset=utf-8', maxAgeS }, () => sitemap(deps.publicUrl)),
];

/** The page with the newest key of its reader that works. */
const withKeyOf = async (
  { queries, clock }: WebsiteDeps,
  context: PageContext,
  { accountId }: PageUser,
): Promise<PageContext> => {
  const now = clock().toISOString();
  const keys = await queries.keys(accountId);
  const key = keys.find(({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt ?? now) >= now) ?? null;
  return { ...context, user: { accountId, key } };
};

const maxAgeS = 3_600;

const guideOf = (name: string): Guide => guides().find((known) => known.name === name) ?? notFound();

const markdown = (text: string) => bytes(text, { contentType: 'text/markdown; charset=utf-8' });

/** The body of an error with this code, as it was answered. */
const exampleOf = ({ code }: ErrorEntry): string => JSON.stringify(recordedExamples().errors[code], null, 2);

/** Markdown is in English. */
const { retries } = catalogues.en.documents;

const errorMarkdown = (entry: ErrorEntry): string => {
  const { code, status, meaning, caller, operator, reasons } = entry;
  const listed = reasons.map(({ reason, canPass }) => `- \`${reason}\`${canPass ? ' (may be temporary)' : ''}`);
  return [
    `# ${code}`,
    `Status ${status}: ${plainText(meaning)}.`,
    `- Try again: ${retries[retryOf(entry)]}\n- The caller: ${plainText(caller)}\n- The operator: ${plainText(operator)}`,
    `\`\`\`json\n${exampleOf(entry)}\n\`\`\``,
    ...(listed.length === 0 ? [] : ['Reasons:', listed.join('\n')]),
    '',
  ].join('\n\n');
};

/** https://llmstxt.org: what an agent reads first, with the Markdown of each document. */
const llmsText = (publicUrl: string): string =>
  [
    '# Steno',
    '',
    '> Steno turns the captions of public videos into transcripts: one HTTP request, one credit, and a ledger entry that proves it.',
    '',
    `The API is described at ${publicUrl}/openapi.json. Agents may use its tools at ${publicUrl}/mcp (Model Context Protocol).`,
    '',
    '## Documents',
    '',
    ...guides().map(({ name, document, lead }) => `- [${document.title}](${publicUrl}/docs/${name}.md): ${lead}`),
    '',
    '## Error codes',
    '',
    ...errorEntries().map(({ code, status }) => `- [${code}](${publicUrl}/docs/errors/${code}.md): status ${status}`),
    '',
  ].join('\n');

const sitemap = (publicUrl: string): string => {
  const paths = [
    ...['/', '/many', '/docs', '/api/docs', '/changelog', '/status', '/register'],
    ...guides().map(({ name }) => `/docs/${name}`),
    ...errorEntries().map(({ code }) => `/docs/errors/${code}`),
  ];
  const urls = paths.map((path) => `<url><loc>${xmlText(`${publicUrl}${path}`)}</loc></url>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}\n</urlset>\n`;
};
