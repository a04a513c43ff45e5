import type { z } from 'zod';
import { type captchaSchema, getCaptcha, getMe, logIn, logOut, registerAccount } from '../../../contract/sign-in.ts';
import { signedInAnswer } from '../middleware/account-answers.ts';
import { credentialsIn, endSession, registrationIn } from '../middleware/account-requests.ts';
import { json, noContent } from '../middleware/response.ts';
import { openRoute, type Route } from '../middleware/route.ts';
import {
  noSessionCookie,
  requireOwnOrigin,
  type SessionDeps,
  signedInBy,
  signedInCookies,
} from '../middleware/session.ts';

/** Registration and sessions. */
export const auth = (deps: Parameters<typeof registration>[0] & Parameters<typeof signingIn>[0]): Route[] => [
  ...registration(deps),
  ...signingIn(deps),
];

const registration = ({
  commands,
  queries,
  publicUrl,
}: SessionDeps<'captchaChallenge' | 'register', 'planOfAccount'>): Route[] => [
  openRoute(getCaptcha, async () => {
    const challenge = commands.captchaChallenge('en');
    const body: z.input<typeof captchaSchema> =
      challenge.kind === 'puzzle'
        ? { token: challenge.token, question: challenge.question, min_solve_ms: challenge.minSolveMs }
        : { provider: challenge.provider, site_key: challenge.siteKey };
    return json(body);
  }),

  openRoute(
    registerAccount,
    async ({ body, requestInfo }) => {
      const profile = await commands.register(registrationIn(requestInfo, body, Object.entries(body)));
      const plan = await queries.planOfAccount(profile.accountId);
      return json(signedInAnswer(profile, plan), { status: 201 });
    },
    requireOwnOrigin({ publicUrl }),
  ),
];

const signingIn = (deps: SessionDeps<'logIn' | 'logOut' | 'profile', 'planOfAccount'>): Route[] => [
  openRoute(
    logIn,
    async ({ body, requestInfo }) => {
      const signedIn = await deps.commands.logIn(credentialsIn(requestInfo, body));
      const { profile } = signedIn;
      const plan = await deps.queries.planOfAccount(profile.accountId);
      const headers = { 'Set-Cookie': signedInCookies(deps, requestInfo, signedIn) };
      return json(signedInAnswer(profile, plan), { headers });
    },
    requireOwnOrigin(deps),
  ),

  openRoute(
    logOut,
    async ({ requestInfo }) => {
      await endSession(deps.commands, requestInfo);
      return noContent({ 'Set-Cookie': noSessionCookie(deps, requestInfo) });
    },
    requireOwnOrigin(deps),
  ),

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
