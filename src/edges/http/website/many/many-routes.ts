import { type LinkTarget, listLink, nameLink, targetName } from '../../../../commands.ts';
import { maxItemsPerJob, maxListingsPerJob, maxReferences } from '../../../../contract/jobs.ts';
import type { Call } from '../../../../kernel/call.ts';
import { uuidOf } from '../../../../kernel/ids.ts';
import type { Route } from '../../middleware/route.ts';
import { captionsIn, html, type PageRequest, page, redirect, type WebsiteDeps } from '../page.ts';
import { type Line, type ManyView, manyPage } from './many-page.tsx';

/** A list of links: its price, and the job that is started of it. */
export const manyRoutes = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/many' }, ({ context, query }) =>
    manyPage(context, { ...emptyView, links: query.get('links') ?? '', recognizesSpeech: speechOf(deps, query) }),
  ),
  page(
    deps,
    {
      ...{ method: 'POST', path: '/many' },
      // Counting changes nothing.
      isOnce: (form) => form.get('do') === 'start',
      refused: (request, _, wrong) => manyPage(request.context, { ...viewOf(deps, request), wrong }),
    },
    (request) => many(deps, request),
  ),
];

const emptyView: ManyView = {
  links: '',
  language: '',
  recognizesSpeech: null,
  plan: null,
  wrong: null,
  needsSignIn: false,
};

/** Whether the speech of videos without captions is wanted; null: nothing is there to recognize it with. */
const speechOf = ({ queries }: WebsiteDeps, options: URLSearchParams): boolean | null =>
  queries.aiStatus().recognizesSpeech ? options.get('asr') === 'auto' : null;

/** What was filled in. */
const viewOf = (deps: WebsiteDeps, { form }: PageRequest): ManyView => ({
  ...emptyView,
  links: form.get('links') ?? '',
  language: (form.get('lang') ?? '').trim(),
  recognizesSpeech: speechOf(deps, form),
});

/**
 * Counts the list and shows its price, and which lines the job would be without; with `do=start`, and for whoever is
 * signed in, starts the job of the lines that the price was of.
 */
const many = async (deps: WebsiteDeps, request: PageRequest) => {
  const { context, form, user } = request;
  const view = viewOf(deps, request);
  const { recognizesSpeech } = view;
  const asr = recognizesSpeech === null ? 'off' : (form.get('asr') ?? 'off');
  const lines = linesOf(view.links);
  if (lines.length > maxReferences) return html(manyPage(context, { ...view, wrong: 'tooMany' }), 400);

  const sorted = sortLines(lines);
  const wanted = (references: readonly string[]) =>
    ({
      kind: 'batch',
      references,
      limit: null,
      ...captionsIn(form),
      ...(recognizesSpeech === null ? { asr: 'off' as const } : {}),
      webhookUrl: null,
    }) as const;
  const without = new Set(form.getAll('without'));
  const counted = referencesOf(sorted.valid).filter((reference) => !without.has(reference));
  // A list that was changed after its price was shown is counted again.
  const isStart = form.get('do') === 'start' && form.get('listed') === listName(counted, asr);
  if (isStart && user !== null && counted.length > 0) {
    const start = (call: Call) => deps.commands.startJob(call, wanted(counted));
    const { jobId } = await request.pay(start);
    return redirect(`/jobs/${jobId}`);
  }
  const planned = await request.pay((call) =>
    deps.commands.planJob(call, wanted(referencesOf(sorted.valid)), { leavesOut: true }),
  );
  const refused = new Map(planned.refused.map(({ reference, refusal }) => [reference, refusal]));
  const kept = sorted.valid.filter(({ reference }) => !refused.has(reference));
  const plan = {
    ...sorted,
    refused: sorted.valid.flatMap((line) => {
      const refusal = refused.get(line.reference);
      return refusal === undefined ? [] : [{ ...line, refusal }];
    }),
    videos: planned.listing === null ? planned.items.length : null,
    credits: planned.creditsNeeded,
    listed: listName(referencesOf(kept), asr),
  };
  return manyPage(context, { ...view, plan, needsSignIn: isStart && user === null });
};

/** Names what a job would read, and so its price. */
const listName = (references: readonly string[], asr: string): string => uuidOf(`list|${asr}|${references.join('\n')}`);

/** The lines of a text that are not empty, by the numbers that they have in it. */
const linesOf = (text: string): readonly Line[] =>
  text
    .split('\n')
    .map((line, index) => ({ number: index + 1, text: line.trim() }))
    .filter((line) => line.text !== '');

type NamingLine = Line & { readonly reference: string };

const referencesOf = (lines: readonly NamingLine[]): readonly string[] => lines.map(({ reference }) => reference);

/** What lines name, each video, playlist or channel once, as far as one job holds them: videos first. */
const sortLines = (lines: readonly Line[]) => {
  const found = new Map<string, NamingLine & { readonly isVideo: boolean }>();
  const invalid: Line[] = [];
  for (const line of lines) {
    const named = nameLink(line.text);
    if (named === null) {
      invalid.push(line);
      continue;
    }
    const name = targetName(named);
    if (found.has(name)) continue;
    found.set(name, { ...line, isVideo: named.kind === 'video', reference: referenceOf(line.text, named) });
  }
  const all = [...found.values()];
  const videos = all.filter(({ isVideo }) => isVideo).slice(0, maxItemsPerJob);
  const listings = all.filter(({ isVideo }) => !isVideo);
  const held = new Set([...videos, ...listings.slice(0, videos.length < maxItemsPerJob ? maxListingsPerJob : 0)]);
  const valid = all.filter((line) => held.has(line));
  const beyond = all.filter((line) => !held.has(line));
  return { valid, invalid, beyond, duplicates: lines.length - invalid.length - all.length };
};

/** What a job takes for a line: ids and handles of playlists and channels have to be addresses there. */
const referenceOf = (text: string, named: LinkTarget): string =>
  named.kind === 'video' || text.includes('/') ? text : listLink(named);
