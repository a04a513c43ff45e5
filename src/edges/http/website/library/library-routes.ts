import * as endpoints from '../../../../contract/library.ts';
import { ownValue } from '../../../../kernel/own-value.ts';
import { Refusal } from '../../../../kernel/refusal.ts';
import { libraryArchive, librarySearchOf } from '../../middleware/library-answers.ts';
import type { Route } from '../../middleware/route.ts';
import { redirect, repeatable, type UserRequest, userPage, type WebsiteDeps } from '../page.ts';
import { bodyOf } from '../parts/form-body.ts';
import { keptVideoPage } from './kept-video-page.tsx';
import { type AskView, type LibraryAnswer, libraryPage } from './library-page.tsx';

const path = '/account/library';

/** What an account keeps of what it read, a search over it, questions about it, and its versions. */
export const libraryRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path }, (request) => shown(deps, request)),
  userPage(deps, { method: 'GET', path: `${path}/export` }, async ({ call }) =>
    libraryArchive(deps.commands, call, { limit: endpoints.mostExported, before: null }),
  ),
  // Its answer is kept, not its page: that has the form of the next question.
  userPage(
    deps,
    {
      ...{ method: 'POST', path: `${path}/ask`, isOnce: repeatable },
      refused: (request, refused) => shown(deps, request, { question: questionIn(request), refused }),
    },
    async (request) => {
      const question = questionIn(request);
      const body = bodyOf(endpoints.askLibrary, { question });
      const answer = await request.payOnce<LibraryAnswer>((call) => deps.commands.askLibrary(call, body));
      return await shown(deps, request, { question, answer });
    },
  ),
  userPage(deps, { method: 'POST', path: `${path}/clear` }, async ({ call }) => {
    await deps.commands.clearLibrary(call);
    return redirect(path);
  }),
  userPage(deps, { method: 'POST', path: `${path}/default` }, async ({ user, form }) => {
    await deps.commands.chooseRequestDefaults(user.accountId, { keepByDefault: form.get('keep') === 'true' });
    return redirect(path);
  }),
  userPage(deps, { method: 'GET', path: `${path}/:id` }, (request) => keptVideo(deps, request)),
  userPage(deps, { method: 'POST', path: `${path}/:id/remove` }, async ({ call, params }) => {
    await deps.commands.removeFromLibrary(call, { reference: params['id'] ?? '' });
    return redirect(path);
  }),
];

const questionIn = ({ form }: UserRequest): string => (form.get('question') ?? '').trim();

const passagesShown = 20;

const shown = async (deps: WebsiteDeps, request: UserRequest, asking: Partial<AskView> = {}): Promise<string> => {
  const { context, user, query } = request;
  const page = endpoints.listLibrary.query.safeParse(query.has('cursor') ? { cursor: query.get('cursor') } : {});
  const { limit, cursor: before = null } = page.data ?? endpoints.listLibrary.query.parse({});
  const [{ rows: videos, hasMore }, defaults, found] = await Promise.all([
    deps.commands.listLibrary(user, { limit, before }),
    deps.commands.requestDefaults(user.accountId),
    search(deps, request),
  ]);
  const { credits: price } = deps.commands.quoteLibrary('ask');
  const isExtractOnly = !deps.queries.aiStatus().isEnabled;
  const isAsked = found !== null || asking.question !== undefined || query.has('cursor');
  return libraryPage(context, {
    isEmpty: videos.length === 0 && !isAsked,
    filled: filledIn(query),
    ...{ videos, hasMore, found, ...defaults },
    asking: { price, isExtractOnly, question: '', answer: null, refused: null, ...asking },
  });
};

/** Without a choice, the newest version is compared with the one before in the same language. */
const keptVideo = async ({ commands }: WebsiteDeps, { context, call, params, query }: UserRequest): Promise<string> => {
  const id = params['id'] ?? '';
  const { videoId, versions } = await commands.libraryVersions(call, id);
  const newest = versions.at(-1);
  const others = versions.slice(0, -1);
  const before = others.findLast(({ language }) => language === newest?.language) ?? others.at(-1);
  const chosen = endpoints.compareVersions.query.parse({
    from: query.get('from') ?? String(before?.version ?? 1),
    to: query.get('to') ?? String(newest?.version ?? 1),
  });
  const { title } = (await commands.newestVersion(call, id)).transcript;
  const { changes } = versions.length === 1 ? { changes: [] } : await commands.compareVersions(call, id, chosen);
  const compared = versions.length === 1 ? null : { ...chosen, changes };
  return keptVideoPage(context, { videoId, title, versions, compared });
};

const filledIn = (query: UserRequest['query']) => {
  const value = (name: string): string => (query.get(name) ?? '').trim();
  return { q: value('q'), lang: value('lang'), channel: value('channel'), from: value('from'), to: value('to') };
};

/** A day in UTC, from its first moment to its last. */
const moments = { from: 'T00:00:00Z', to: 'T23:59:59.999Z' } as const;

/** Null: nothing is searched for, or nothing that can be found. */
const search = async (deps: WebsiteDeps, { call, query }: UserRequest) => {
  const named = Object.entries(filledIn(query)).filter(([, value]) => value !== '');
  const asked = endpoints.librarySearchQuery.safeParse(
    Object.fromEntries(named.map(([name, value]) => [name, `${value}${ownValue(moments, name) ?? ''}`])),
  );
  if (!asked.success) return null;
  try {
    return await deps.commands.browseLibrary(call, librarySearchOf({ ...asked.data, limit: passagesShown }));
  } catch (error) {
    if (error instanceof Refusal && error.code === 'INVALID_REQUEST') return [];
    throw error;
  }
};
