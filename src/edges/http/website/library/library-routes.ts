import { librarySearchQuery, mostExported } from '../../../../contract/library.ts';
import { ownValue } from '../../../../kernel/own-value.ts';
import { Refusal } from '../../../../kernel/refusal.ts';
import { libraryArchive } from '../../middleware/library-archive.ts';
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
      filled: filledIn(query),
    });
  }),
  userPage(deps, { method: 'GET', path: `${path}/export` }, async ({ call }) =>
    libraryArchive(deps.commands, call, { limit: mostExported, before: null }),
  ),
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

const filledIn = (query: UserRequest['query']) => {
  const value = (name: string): string => (query.get(name) ?? '').trim();
  return { q: value('q'), lang: value('lang'), channel: value('channel'), from: value('from'), to: value('to') };
};

/** A day in UTC, from its first moment to its last. */
const moments = { from: 'T00:00:00Z', to: 'T23:59:59.999Z' } as const;

/** Null: nothing is searched for, or nothing that can be found. */
const search = async (deps: WebsiteDeps, { call, query }: UserRequest) => {
  const named = Object.entries(filledIn(query)).filter(([, value]) => value !== '');
  const asked = librarySearchQuery.safeParse(
    Object.fromEntries(named.map(([name, value]) => [name, `${value}${ownValue(moments, name) ?? ''}`])),
  );
  if (!asked.success) return null;
  const { q, lang = null, channel = null, from = null, to = null } = asked.data;
  const filter = { language: lang, channel, from, to };
  try {
    return await deps.commands.browseLibrary(call, { query: q, limit: passagesShown, filter });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'INVALID_REQUEST') return [];
    throw error;
  }
};
