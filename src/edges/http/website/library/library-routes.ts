import { librarySearchQuery } from '../../../../contract/library.ts';
import { Refusal } from '../../../../kernel/refusal.ts';
import type { Route } from '../../middleware/route.ts';
import { redirect, type UserRequest, userPage, type WebsiteDeps } from '../page.ts';
import { libraryPage } from './library-page.tsx';

const path = '/account/library';

/** What an account keeps of what it read, and a search over it. */
export const libraryRoutes = (deps: WebsiteDeps): Route[] => [
  userPage(deps, { method: 'GET', path }, async (request) => {
    const { context, user, query } = request;
    const [videos, defaults, found] = await Promise.all([
      deps.commands.listLibrary(user, { limit: videosShown, before: null }),
      deps.commands.requestDefaults(user.accountId),
      search(deps, request),
    ]);
    return libraryPage(context, {
      videos,
      found,
      ...defaults,
      query: query.get('q') ?? '',
      lang: query.get('lang') ?? '',
    });
  }),
  userPage(deps, { method: 'POST', path: `${path}/clear` }, async ({ call }) => {
    await deps.commands.clearLibrary(call);
    return redirect(path);
  }),
  userPage(deps, { method: 'POST', path: `${path}/default` }, async ({ user, form }) => {
    await deps.commands.chooseRequestDefaults(user.accountId, { keepByDefault: form.get('keep') === 'true' });
    return redirect(path);
  }),
  userPage(deps, { method: 'POST', path: `${path}/:id/remove` }, async ({ call, params }) => {
    await deps.commands.removeFromLibrary(call, { reference: params['id'] ?? '' });
    return redirect(path);
  }),
];

const videosShown = 100;
const passagesShown = 20;

/** Null: nothing is searched for, or nothing that can be found. */
const search = async (deps: WebsiteDeps, { call, query }: UserRequest) => {
  const named = ['q', 'lang', 'channel'].map((name) => [name, (query.get(name) ?? '').trim()] as const);
  const asked = librarySearchQuery.safeParse(Object.fromEntries(named.filter(([, value]) => value !== '')));
  if (!asked.success) return null;
  const { q, lang = null, channel = null } = asked.data;
  const filter = { language: lang, channel, from: null, to: null };
  try {
    return await deps.commands.browseLibrary(call, { query: q, limit: passagesShown, filter });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'INVALID_REQUEST') return [];
    throw error;
  }
};
