import { catalogues } from '../../../../contract/languages.ts';
import type { StatusReport } from '../../../../contract/meta.ts';
import { Refusal } from '../../../../kernel/refusal.ts';
import type { Route } from '../../middleware/route.ts';
import { page, textRoute, type WebsiteDeps, xmlText } from '../page.ts';
import { daysOf, statusPage } from './status-page.tsx';

/** The status as a page, as a feed of incidents, and as a badge. */
export const statusRoutes = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/status' }, async ({ context, query }) => {
    const report = await deps.readStatus();
    const day = query.get('day');
    if (day !== null && daysOf(report).every((one) => one.day !== day)) {
      throw new Refusal('NOT_FOUND', 'This is not one of the days shown.');
    }
    return statusPage(context, report, day);
  }),
  textRoute('/status.atom', { contentType: 'application/atom+xml; charset=utf-8', maxAgeS }, async () =>
    feed(deps.publicUrl, await deps.readStatus()),
  ),
  textRoute('/status.svg', { contentType: 'image/svg+xml; charset=utf-8', maxAgeS }, async () =>
    badge(await deps.readStatus()),
  ),
];

const maxAgeS = 60;

/** The feed is in English. */
const { severities } = catalogues.en.serviceStatus;

type Entry = {
  readonly id: string;
  readonly title: string;
  readonly content: string;
  readonly published: string;
  readonly updated: string;
};

const incidentEntry = (incident: StatusReport['history']['incidents'][number]): Entry => {
  const { id, summary, started_at, last_seen_at } = incident;
  return {
    id: `${id}-${started_at}`,
    title: summary,
    content: `${summary} ${started_at} – ${last_seen_at}`,
    published: started_at,
    updated: last_seen_at,
  };
};

/** A note is new when it is written, and again when it has ended. */
const noteEntry = (note: StatusReport['notes'][number], now: string): Entry => {
  const { id, text, severity, component, started_at, ends_at } = note;
  const title = component === null ? severities[severity] : `${severities[severity]}, ${component}`;
  return {
    id,
    title: `${title}: ${text}`,
    content: `${text} ${started_at} – ${ends_at ?? ''}`.trimEnd(),
    published: started_at,
    updated: ends_at !== null && ends_at <= now ? ends_at : started_at,
  };
};

/** RFC 4287, newest first. An incident and a note keep their ids while they go on. */
export const feed = (publicUrl: string, report: StatusReport): string => {
  const { brand, generated_at, history, notes } = report;
  const entries = [
    ...history.incidents.map(incidentEntry),
    ...notes.map((note) => noteEntry(note, generated_at)),
  ].toSorted((a, b) => Date.parse(b.updated) - Date.parse(a.updated));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${xmlText(publicUrl)}/status</id>`,
    `<title>${xmlText(brand)}: Status</title>`,
    `<author><name>${xmlText(brand)}</name></author>`,
    `<updated>${entries[0]?.updated ?? generated_at}</updated>`,
    `<link rel="self" href="${xmlText(publicUrl)}/status.atom"/>`,
    ...entries.map((entry) => entryXml(`${publicUrl}/status`, entry, daysOf(report)[0]?.day ?? '')),
    '</feed>',
    '',
  ].join('\n');
};

/** What began before the first day that is shown leads to the page alone. */
const entryXml = (pageUrl: string, { id, title, content, published, updated }: Entry, firstDay: string): string => {
  const day = published.slice(0, 10);
  return [
    '<entry>',
    `<id>${xmlText(`${pageUrl}#${id}`)}</id>`,
    `<title>${xmlText(title)}</title>`,
    `<published>${published}</published><updated>${updated}</updated>`,
    `<link href="${xmlText(day < firstDay ? pageUrl : `${pageUrl}?day=${day}#day`)}"/>`,
    `<content type="text">${xmlText(content)}</content>`,
    '</entry>',
  ].join('');
};

const badgeColours = { operational: '#11653c', degraded: '#7a4b00', outage: '#a3212c' } as const;

/** The state as a small picture for other pages: in English, as wide as its words. */
export const badge = ({ status }: StatusReport): string => {
  const left = 54;
  const right = 14 + status.length * 7;
  const width = left + right;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="status: ${status}"><title>status: ${status}</title><rect width="${width}" height="20" rx="3" fill="#16212b"/><path d="M${left} 0h${right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${right - 3}z" fill="${badgeColours[status]}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"><text x="8" y="14">status</text><text x="${left + 7}" y="14">${status}</text></g></svg>\n`;
};
