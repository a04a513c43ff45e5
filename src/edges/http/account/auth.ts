import { z } from 'zod';
import type { Commands } from '../../../commands.ts';
import type { OpenEndpoint } from '../../../contract/endpoint.ts';
import { shownName } from '../../../kernel/shown-name.ts';
import type { Queries } from '../../../queries.ts';
import { requestOf } from '../middleware/build-call.ts';
import { countedAddress } from '../middleware/client-address.ts';
import { isTrapped } from '../middleware/honeypots.ts';
import { json, noContent } from '../middleware/response.ts';
import { openRoute, type Route } from '../middleware/route.ts';
import {
  deviceCookie,
  noSessionCookie,
  ofUser,
  originOf,
  requireOwnOrigin,
  type SessionDeps,
  sessionCookie,
  sessionToken,
  signedInCookies,
} from '../middleware/session.ts';
import { planJson, planSchema, signedInSchema, userJson, userSchema } from './auth-json.ts';

/** What every endpoint has that is asked before anybody is signed in. */
export const signedOut = {
  ...ofUser,
  access: 'anyone',
  tag: 'Account',
} as const;

const captchaSchema = z
  .union([
    z.object({ token: z.string(), question: z.string(), min_solve_ms: z.int() }),
    z.object({ provider: z.string(), site_key: z.string() }),
  ])
  .meta({ id: 'Captcha' });

const getCaptcha = {
  ...signedOut,
  id: 'getCaptcha',
  method: 'GET',
  path: '/api/auth/captcha',
  summary: 'A captcha for a registration',
  description: 'A question in words, good once and for ten minutes; or the widget of a provider.',
  answers: { 200: { description: 'What to solve.', schema: captchaSchema } },
} satisfies OpenEndpoint;

const personName = z.string().trim().max(100).regex(shownName, { error: 'takes no control characters' });

/** Loose: other fields of a form are ignored, except the honeypots. */
const registerBody = z.looseObject({
  email: z.string().max(320).meta({ format: 'email' }),
  password: z.string().meta({ format: 'password', minLength: 8, maxLength: 256 }),
  name: personName.nullish(),
  captcha_token: z.string().max(2048).optional(),
  captcha_answer: z.union([z.string().max(100), z.int()], { error: 'takes a text or a whole number' }).optional(),
  captcha_response: z.string().max(4096).optional(),
});

const registerAccount = {
  ...signedOut,
  id: 'register',
  method: 'POST',
  path: '/api/auth/register',
  summary: 'Make an account on the free plan',
  description: 'It does not sign in. A refusal does not say whether the address has an account.',
  body: registerBody,
  answers: { 201: { description: 'The account exists.', schema: signedInSchema } },
  refusals: ['CAPTCHA_FAILED', 'REGISTRATION_BLOCKED'],
} satisfies OpenEndpoint;

const logIn = {
  ...signedOut,
  id: 'login',
  method: 'POST',
  path: '/api/auth/login',
  summary: 'Sign in',
  description:
    'Sets the cookies `session` and `device`. An unknown address and a wrong password get the same answer. Too many failures from one address have to wait; a client that sends the `device` of an earlier sign-in back does not wait for the failures of others.',
  body: z.object({ email: z.string().max(1_000), password: z.string() }),
  answers: {
    200: {
      description: 'Signed in.',
      schema: signedInSchema,
      headers: { 'Set-Cookie': 'The cookies `session` and `device`: HttpOnly, SameSite=Lax.' },
    },
  },
  refusals: ['ACCOUNT_SUSPENDED', 'INVALID_CREDENTIALS'],
} satisfies OpenEndpoint;

const logOut = {
  ...signedOut,
  access: 'session',
  id: 'logout',
  method: 'POST',
  path: '/api/auth/logout',
  summary: 'Sign out',
  description: 'Ends the session of the cookie, if it has one.',
  answers: { 204: { description: 'Signed out.' } },
} satisfies OpenEndpoint;

const meSchema = z
  .object({
    authenticated: z.boolean(),
    user: userSchema.nullable(),
    plan: planSchema.nullable(),
  })
  .meta({ id: 'Me' });

const getMe = {
  ...signedOut,
  id: 'getMe',
  method: 'GET',
  path: '/api/auth/me',
  summary: 'Whether somebody is signed in, and who',
  description: 'Answers 200 for everybody: `authenticated` says whether somebody is signed in.',
  answers: { 200: { description: 'Who it is.', schema: meSchema } },
} satisfies OpenEndpoint;

export const authEndpoints = [getCaptcha, registerAccount, logIn, logOut, getMe] as const;

type Deps = SessionDeps & {
  readonly commands: Pick<Commands, 'captchaChallenge' | 'register' | 'logIn' | 'logOut' | 'authenticate' | 'profile'>;
  readonly queries: Pick<Queries, 'planOfAccount'>;
};

/** Registration and sessions. */
export const auth = (deps: Deps): Route[] => [...registration(deps), ...signingIn(deps)];

const registration = ({ commands, queries, publicUrl }: Deps): Route[] => [
  openRoute(getCaptcha, async () => {
    const challenge = commands.captchaChallenge('en');
    const body: z.input<typeof captchaSchema> =
      challenge.kind === 'puzzle'
        ? {
            token: challenge.token,
            question: challenge.question,
            min_solve_ms: challenge.minSolveMs,
          }
        : { provider: challenge.provider, site_key: challenge.siteKey };
    return json(body);
  }),

  openRoute(
    registerAccount,
    async ({ body, requestInfo }) => {
      const profile = await commands.register({
        email: body.email,
        password: body.password,
        name: body.name || null,
        proof: {
          token: body.captcha_token,
          answer: body.captcha_answer,
          response: body.captcha_response,
        },
        isTrapped: isTrapped(Object.entries(body)),
        network: countedAddress(requestInfo.address),
        origin: originOf(requestInfo),
        cause: requestOf(requestInfo),
      });
      const plan = await queries.planOfAccount(profile.accountId);
      return json({ user: userJson(profile), plan: planJson(plan) }, { status: 201 });
    },
    requireOwnOrigin({ publicUrl }),
  ),
];

const signingIn = (deps: Deps): Route[] => [
  openRoute(
    logIn,
    async ({ body, requestInfo }) => {
      const signedIn = await deps.commands.logIn({
        email: body.email,
        password: body.password,
        formerToken: sessionToken(requestInfo),
        deviceToken: deviceCookie.read(requestInfo),
        network: countedAddress(requestInfo.address),
        origin: originOf(requestInfo),
        cause: requestOf(requestInfo),
      });
      const { profile } = signedIn;
      const plan = await deps.queries.planOfAccount(profile.accountId);
      const headers = { 'Set-Cookie': signedInCookies(deps, requestInfo, signedIn) };
      return json({ user: userJson(profile), plan: planJson(plan) }, { headers });
    },
    requireOwnOrigin(deps),
  ),

  openRoute(
    logOut,
    async ({ requestInfo }) => {
      const token = sessionToken(requestInfo);
      if (token !== null) {
        await deps.commands.logOut({
          token,
          origin: originOf(requestInfo),
          cause: requestOf(requestInfo),
        });
      }
      return noContent({ 'Set-Cookie': noSessionCookie(deps, requestInfo) });
    },
    requireOwnOrigin(deps),
  ),

  openRoute(getMe, async ({ requestInfo }) => {
    const token = sessionToken(requestInfo);
    const signedIn = token === null ? null : await deps.commands.authenticate(token);
    if (token === null || signedIn === null) {
      return json({ authenticated: false, user: null, plan: null });
    }
    const { session, isRenewed } = signedIn;
    const [profile, plan] = await Promise.all([
      deps.commands.profile(session.accountId),
      deps.queries.planOfAccount(session.accountId),
    ]);
    const { idleEndsAt } = session;
    const headers = isRenewed ? { 'Set-Cookie': sessionCookie(deps, requestInfo, { token, idleEndsAt }) } : {};
    return json({ authenticated: true, user: userJson(profile), plan: planJson(plan) }, { headers });
  }),
];
