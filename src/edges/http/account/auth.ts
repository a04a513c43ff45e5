import type { z } from 'zod';
import { type captchaSchema, getCaptcha, getMe, logIn, logOut, registerAccount } from '../../../contract/sign-in.ts';
import { signedInAnswer } from '../middleware/account-answers.ts';
import { credentialsIn, endSession, registrationIn } from '../middleware/account-requests.ts';
import { json, noContent } from '../middleware/response.ts';
import { openRoute, type Route } from '../middleware/route.ts';
import {
  noSessionCookie,
  ownOriginRoute,
  type SessionDeps,
  signedInBy,
  signedInCookies,
} from '../middleware/session.ts';

/** Registration and sessions. */
export const auth = (
  deps: SessionDeps<'captchaChallenge' | 'logIn' | 'logOut' | 'profile' | 'register', 'planOfAccount'>,
): Route[] => [
  openRoute(getCaptcha, async () => {
    const challenge = deps.commands.captchaChallenge('en');
    const body: z.input<typeof captchaSchema> =
      challenge.kind === 'puzzle'
        ? { token: challenge.token, question: challenge.question, min_solve_ms: challenge.minSolveMs }
        : { provider: challenge.provider, site_key: challenge.siteKey };
    return json(body);
  }),

  ownOriginRoute(deps, registerAccount, async ({ body, requestInfo }) => {
    const profile = await deps.commands.register(registrationIn(requestInfo, body, Object.entries(body)));
    const plan = await deps.queries.planOfAccount(profile.accountId);
    return json(signedInAnswer(profile, plan), { status: 201 });
  }),

  ownOriginRoute(deps, logIn, async ({ body, requestInfo }) => {
    const signedIn = await deps.commands.logIn(credentialsIn(requestInfo, body));
    const { profile } = signedIn;
    const plan = await deps.queries.planOfAccount(profile.accountId);
    const headers = { 'Set-Cookie': signedInCookies(deps, requestInfo, signedIn) };
    return json(signedInAnswer(profile, plan), { headers });
  }),

  ownOriginRoute(deps, logOut, async ({ requestInfo }) => {
    await endSession(deps.commands, requestInfo);
    return noContent({ 'Set-Cookie': noSessionCookie(deps, requestInfo) });
  }),

  openRoute(getMe, async ({ requestInfo }) => {
    const signedIn = await signedInBy(deps, requestInfo);
    if (signedIn === null) return json({ authenticated: false, user: null, plan: null });
    const { user, cookies } = signedIn;
    const [profile, plan] = await Promise.all([
      deps.commands.profile(user.accountId),
      deps.queries.planOfAccount(user.accountId),
    ]);
    const headers = cookies.length === 0 ? {} : { 'Set-Cookie': cookies };
    return json({ authenticated: true, ...signedInAnswer(profile, plan) }, { headers });
  }),
];
