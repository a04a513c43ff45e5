import { logIn } from '../../../../contract/sign-in.ts';
import { ownValue } from '../../../../kernel/own-value.ts';
import { credentialsIn, endSession } from '../../middleware/account-requests.ts';
import type { Route } from '../../middleware/route.ts';
import { noSessionCookie, signedInCookies } from '../../middleware/session.ts';
import { type PageRequest, page, redirect, repeatable, type WebsiteDeps } from '../page.ts';
import { bodyOf } from '../parts/form-body.ts';
import { loginPage } from './sign-in-page.tsx';

/** Signing in and out. */
export const signInRoutes = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/login' }, ({ context, query, user }) => {
    const next = nextOf(query);
    if (user !== null) return redirect(next);
    const { auth, security } = context.words;
    const notices = { registered: auth.registered, erased: security.erased, password: security.changed };
    const notice = ownValue<string>(notices, query.get('told') ?? '') ?? null;
    return loginPage(context, { next, email: '', wrong: null, notice });
  }),
  page(
    deps,
    {
      ...{ method: 'POST', path: '/login', isOnce: repeatable },
      refused: ({ context, form }, wrong) =>
        loginPage(context, { next: nextOf(form), email: form.get('email') ?? '', wrong, notice: null }),
    },
    async ({ form, requestInfo }) => {
      const signedIn = await logInBy(deps, requestInfo, form);
      return redirect(nextOf(form), { 'Set-Cookie': signedInCookies(deps, requestInfo, signedIn) });
    },
  ),
  page(deps, { method: 'POST', path: '/logout', isOnce: repeatable }, async ({ requestInfo }) => {
    await endSession(deps.commands, requestInfo);
    return redirect('/', { 'Set-Cookie': noSessionCookie(deps, requestInfo) });
  }),
];

/** A path of this site, so that nobody is led elsewhere by a link to the login page. */
const nextOf = (fields: URLSearchParams): string => {
  const next = fields.get('next') ?? '';
  return /^\/(?![/\\])/.test(next) && !/[\s\\]/.test(next) ? next : '/account';
};

/** Signs in with the fields `email` and `password` of a form. Throws `Refusal` as the command does. */
export const logInBy = async (
  { commands }: WebsiteDeps,
  requestInfo: PageRequest['requestInfo'],
  form: URLSearchParams,
) =>
  commands.logIn(
    credentialsIn(requestInfo, bodyOf(logIn, { email: form.get('email') ?? '', password: form.get('password') ?? '' })),
  );
