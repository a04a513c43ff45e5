import { z } from 'zod';
import { noBody, type OpenEndpoint, openRoute, type Route } from '../endpoint.ts';
import type { StatusReport } from '../meta/status.ts';
import { bytes } from '../middleware/response.ts';
import { statusWords } from './messages/status-words.ts';
import { page, type WebsiteDeps } from './page.ts';
import { statusPage } from './pages/status.tsx';

/** The status as a page, as a feed of incidents, and as a badge. */
export const statusPages = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/status' }, async ({ context }) =>
    statusPage(context, await deps.readStatus()),
  ),
  file('/status.atom', 'application/atom+xml; charset=utf-8', async () =>
    feed(deps.publicUrl, await deps.readStatus()),
  ),
  file('/status.svg', 'image/svg+xml; charset=utf-8', async () => badge(await deps.readStatus())),
];

const file = (path: string, contentType: string, text: () => Promise<string>): Route =>
  openRoute(
    {
      ...{ id: path, access: 'anyone', rateLimit: 'public', method: 'GET', path, tag: 'Pages' },
      ...{ summary: path, params: z.object({}), query: z.looseObject({}), body: noBody },
      ...{ answers: {}, refusals: [], cacheControl: 'public, max-age=60' },
    } as const satisfies OpenEndpoint,
    async () => bytes(await text(), { contentType }),
  );

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** RFC 4287. An incident keeps its id while it goes on. */
export const feed = (publicUrl: string, { brand, generated_at, history }: StatusReport): string => {
  const [newest] = history.incidents;
  const entries = history.incidents.map(({ id, summary, started_at, last_seen_at }) =>
    [
      '<entry>',
      `<id>${escaped(`${publicUrl}/status#${id}-${started_at}`)}</id>`,
      `<title>${escaped(summary)}</title>`,
      `<published>${started_at}</published><updated>${last_seen_at}</updated>`,
      `<link href="${escaped(publicUrl)}/status"/>`,
      `<content type="text">${escaped(`${summary} ${started_at} – ${last_seen_at}`)}</content>`,
      '</entry>',
    ].join(''),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${escaped(publicUrl)}/status</id>`,
    `<title>${escaped(brand)}: ${statusWords.title}</title>`,
    `<author><name>${escaped(brand)}</name></author>`,
    `<updated>${newest?.last_seen_at ?? generated_at}</updated>`,
    `<link rel="self" href="${escaped(publicUrl)}/status.atom"/>`,
    ...entries,
    '</feed>',
    '',
  ].join('\n');
};

const badgeColours = { operational: '#11653c', degraded: '#7a4b00', outage: '#a3212c' } as const;

/** The state as a small picture for other pages: in English, as wide as its words. */
export const badge = ({ status }: StatusReport): string => {
  const left = 54;
  const right = 14 + status.length * 7;
  const width = left + right;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="status: ${status}"><title>status: ${status}</title><rect width="${width}" height="20" rx="3" fill="#16212b"/><path d="M${left} 0h${right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${right - 3}z" fill="${badgeColours[status]}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"><text x="8" y="14">status</text><text x="${left + 7}" y="14">${status}</text></g></svg>\n`;
};
