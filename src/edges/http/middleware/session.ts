import type { IncomingMessage } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Commands } from '../../../commands.ts';
import type { OpenEndpoint } from '../../../contract/endpoint.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import type { Queries } from '../../../queries.ts';
import { callAs } from './build-call.ts';
import { refuseOtherSites } from './csrf.ts';
import type { HttpResponse } from './response.ts';
import type { Application, Authenticate, Input, RequestInfo, Route } from './route.ts';

/** Dependencies of the routes for signed-in users. */
export type SessionDeps<Command extends keyof Commands = never, Query extends keyof Queries = never> = Application<
  'authenticate' | 'noteOrigin' | Command,
  Query
> & {
  readonly clock: Clock;
  /** Absolute base of the service: where its own pages come from. */
  readonly publicUrl: string;
  /** Whether this request came by https: then its cookies are `Secure`. */
  readonly isSecure: (request: IncomingMessage) => boolean;
};

const sessionName = 'session';
const maxUserAgent = 200;

/** The first cookie of this name, or null. Values are not decoded: those of this service need no encoding. */
const cookieOf = (request: IncomingMessage, name: string): string | null =>
  parseCookie(request.headers.cookie ?? '', { decode: (value) => value })[name] ?? null;

type Sender = { readonly request: IncomingMessage };

/** The session token of a request, valid or not. */
export const sessionToken = ({ request }: Sender): string | null => cookieOf(request, sessionName);

type Secured = Pick<SessionDeps, 'isSecure'>;

/** A host-only `HttpOnly` cookie with `SameSite`. */
const cookie = (
  { isSecure }: Secured,
  { request }: Sender,
  {
    maxAgeS,
    ...named
  }: { readonly name: string; readonly value: string; readonly path: string; readonly maxAgeS: number },
): string =>
  stringifySetCookie({ ...named, maxAge: maxAgeS, httpOnly: true, sameSite: 'lax', secure: isSecure(request) });

/** The session cookie; it expires with an unused session. */
export const sessionCookie = (
  deps: Pick<SessionDeps, 'isSecure' | 'clock'>,
  sender: Sender,
  { token, idleEndsAt }: { readonly token: string; readonly idleEndsAt: Date },
): string => {
  const maxAgeS = Math.max(0, Math.round((idleEndsAt.getTime() - deps.clock().getTime()) / 1000));
  return cookie(deps, sender, { name: sessionName, value: token, path: '/', maxAgeS });
};

/** Deletes the session cookie. */
export const noSessionCookie = (deps: Secured, sender: Sender): string =>
  cookie(deps, sender, { name: sessionName, value: '', path: '/', maxAgeS: 0 });

/** A cookie that a browser keeps for so many days. */
const lastingCookie = (name: string, days: number) => ({
  read: ({ request }: Sender): string | null => cookieOf(request, name),
  write: (deps: Secured, sender: Sender, value: string): string =>
    cookie(deps, sender, { name, value, path: '/', maxAgeS: days * 86_400 }),
});

/** The cookie of a visitor without account, for the allowance of the day. */
export const visitorCookie = lastingCookie('visitor', 365);

/** A browser that was signed in: strangers who fail do not make it wait. Browsers keep no cookie for longer than 400 days. */
export const deviceCookie = lastingCookie('device', 400);

/** The language of the pages that was chosen. */
export const uiCookie = lastingCookie('ui', 365);

/** The cookies of a browser that signs in. */
export const signedInCookies = (
  deps: Pick<SessionDeps, 'isSecure' | 'clock'>,
  sender: Sender,
  { token, session: { idleEndsAt }, deviceToken }: Awaited<ReturnType<Commands['logIn']>>,
): readonly string[] => [
  sessionCookie(deps, sender, { token, idleEndsAt }),
  deviceCookie.write(deps, sender, deviceToken),
];

/** The cookies after a password was set by a link: no session, and that of a browser whose owner reads the mailbox. */
export const passwordResetCookies = (deps: Secured, sender: Sender, deviceToken: string): readonly string[] => [
  noSessionCookie(deps, sender),
  deviceCookie.write(deps, sender, deviceToken),
];

/** Where a request came from, as the owner of an account is shown it. */
export const originOf = ({ address, request }: RequestInfo): { ip: string; userAgent: string | null } => ({
  ip: address,
  userAgent: request.headers['user-agent']?.slice(0, maxUserAgent) ?? null,
});

/** Binds an endpoint that allows anonymous requests, except those of other sites: for changes before sign-in. */
export const ownOriginRoute = <E extends OpenEndpoint>(
  deps: Pick<SessionDeps, 'publicUrl'>,
  endpoint: E,
  answer: (input: Input<E>) => Promise<HttpResponse>,
): Route => ({
  endpoint,
  answer,
  async authenticate({ request }) {
    refuseOtherSites(deps, request);
    return null;
  },
});

/** Who is signed in, with the cookie that is set again where the session was renewed; null: nobody. */
export const signedInBy = async (
  deps: Pick<SessionDeps, 'commands' | 'isSecure' | 'clock'>,
  requestInfo: RequestInfo,
) => {
  const token = sessionToken(requestInfo);
  const found = token === null ? null : await deps.commands.authenticate(token);
  if (token === null || found === null) return null;
  const { session, userId, isRenewed } = found;
  const { accountId, sessionId, idleEndsAt } = session;
  const cookies = isRenewed ? [sessionCookie(deps, requestInfo, { token, idleEndsAt })] : [];
  return { user: { accountId, userId }, sessionId, cookies };
};

/** Allows signed-in users; their changes only from pages of this service and from programs. */
const requireUser =
  (deps: SessionDeps): Authenticate =>
  async (requestInfo, headers): Promise<Call> => {
    if (!isRead(requestInfo.request)) refuseOtherSites(deps, requestInfo.request);
    const signedIn = await signedInBy(deps, requestInfo);
    if (signedIn === null) throw new Refusal('UNAUTHENTICATED', 'Sign in required.');
    const { user, cookies } = signedIn;
    if (cookies.length > 0) headers['Set-Cookie'] = cookies;
    return callAs(requestInfo, { accountId: user.accountId, actor: { type: 'user', id: user.userId } });
  };

/** Binds an endpoint of a signed-in user. */
export const userRoute = <E extends OpenEndpoint>(
  deps: SessionDeps,
  endpoint: E,
  answer: (input: Input<E, Call>) => Promise<HttpResponse>,
): Route => asUser(deps, { endpoint, answer });

/**
 * A route for signed-in users only. Where a change came from is kept beside the log, for the owner to see; it is kept
 * after the change and only for one that was made, so that refusals fill nothing.
 */
export const asUser = (deps: SessionDeps, route: Route): Route => ({
  ...route,
  authenticate: requireUser(deps),
  async answer(input) {
    const { call, requestInfo } = input;
    const answered = await route.answer(input);
    if (call !== null && !isRead(requestInfo.request)) {
      const { accountId, requestId } = call;
      // The change is made: its response, which may hold a new key, is sent even if this fails.
      await deps.commands.noteOrigin({ ...originOf(requestInfo), accountId, requestId }).catch(() => undefined);
    }
    return answered;
  },
});

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';
