import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { z } from 'zod';
import type { Commands } from '../../../commands.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { uuidOf } from '../../../kernel/ids.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import { currentTraceparent } from '../../../kernel/tracing.ts';
import type { Queries } from '../../../queries.ts';
import { type OpenEndpoint, openRoute, type RequestInfo, type Route } from '../endpoint.ts';
import type { StatusReport } from '../meta/status.ts';
import { readForm } from '../middleware/body.ts';
import { callAs } from '../middleware/build-call.ts';
import { countedAddress } from '../middleware/client-address.ts';
import { bytes, type HttpResponse, inPieces } from '../middleware/response.ts';
import {
  cookie,
  cookieOf,
  originOf,
  refuseOtherOrigins,
  sessionCookie,
  sessionToken,
  visitorCookie,
} from '../middleware/session.ts';
import type { HttpSettings } from '../settings.ts';
import type { JobEventStream } from '../v1/job-events.ts';
import type { Assets } from './assets.ts';
import type { PageContext } from './layout.tsx';
import { chooseLanguage, wordsOf } from './messages/language.ts';
import { signedOutPage } from './pages/failure.tsx';
import { daysOld } from './parts/once.ts';

/** What every page stands on. */
export type WebsiteDeps = {
  readonly commands: Commands;
  readonly queries: Queries;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly isSecure: (request: IncomingMessage) => boolean;
  /** Built with the first page that is asked for. */
  readonly assets: () => Promise<Assets>;
  readonly anonymousCreditsPerDay: number;
  readonly eventStream: JobEventStream;
  readonly readStatus: () => Promise<StatusReport>;
  readonly mail: HttpSettings['mail'];
  /** Videos that the start page offers to try. */
  readonly examples: readonly { readonly videoId: string; readonly title: string }[];
};

/** A signed-in user. */
export type PageUser = { readonly accountId: string; readonly userId: string };

/** One request of a page. */
export type PageRequest = {
  readonly requestInfo: RequestInfo;
  readonly context: PageContext;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Fields of a form that was sent; empty for a GET. */
  readonly form: URLSearchParams;
  readonly user: PageUser | null;
  /**
   * Does paid work for the user, or for a visitor within the allowance of the day. A form that carries `once` is
   * charged once, however often it is sent within a day with the same fields.
   */
  readonly pay: <Result>(credits: number, work: (call: Call) => Promise<Result>) => Promise<Result>;
};

/** Where a page of a list begins: a position of the log; null for the first page. */
export const beforeIn = (query: URLSearchParams): string | null => {
  const before = query.get('before') ?? '';
  return /^[0-9]{1,18}$/.test(before) ? before : null;
};

const languageForm = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/;

/** The language of captions that a form or an address asks for; null: their default. Throws INVALID_REQUEST. */
export const languageIn = (options: URLSearchParams): string | null => {
  const language = (options.get('lang') ?? '').trim();
  if (language === '') return null;
  if (languageForm.test(language)) return language;
  throw invalidRequest('This is not a language code.', { path: 'lang', code: 'malformed' });
};

/** A page for which somebody must be signed in. */
export type UserRequest = PageRequest & { readonly user: PageUser; readonly call: Call };

/** HTML, or an answer of another kind: a redirect, a file. */
export type PageResult = string | HttpResponse;

type Definition = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Shared caches may keep it: the same for everybody, in one language. */
  readonly cacheControl?: string;
  /** Which window counts it; that of public documents unless said otherwise. */
  readonly rateLimit?: 'public' | 'session';
};

const uiCookie = 'ui';
/** Fields that no page ever shows again. */
const secretFields: ReadonlySet<string> = new Set(['password', 'current', 'next', 'secret']);
const yearS = 365 * 86_400;
/** Five thousand lines of 150 characters, of which a form writes each sign of an address as three. */
const formLimit = 1024 * 1024;

/**
 * What pages may load: their own styles, scripts and fonts, nothing from other hosts; a frame only of the player, which
 * is loaded on a click. No inline script or style runs, so text of captions or visitors never becomes code.
 */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; " +
  "frame-src https://www.youtube-nocookie.com; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** An answer in HTML. */
export const html = (body: string, status = 200, headers: HttpResponse['headers'] = {}) =>
  bytes(body, {
    status,
    contentType: 'text/html; charset=utf-8',
    headers: { ...pageHeaders, ...headers },
  });

/**
 * A page whose bulk is kept as bytes: it is sent as it is, after what comes before it, compressed where the browser takes
 * that. The weakest level makes a sixth of such a page; each piece is on its way before the next is compressed.
 */
export const pageInPieces = (
  request: IncomingMessage,
  pieces: readonly (string | Buffer)[],
): HttpResponse => {
  const isCompressed = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  async function* sent() {
    if (!isCompressed) return yield* pieces;
    const gzip = createGzip({ level: 1, flush: constants.Z_SYNC_FLUSH });
    pipeline(Readable.from(pieces), gzip, () => {});
    yield* gzip;
  }
  const coding = isCompressed ? { 'Content-Encoding': 'gzip' } : {};
  return inPieces(sent, {
    contentType: 'text/html; charset=utf-8',
    headers: { ...pageHeaders, Vary: 'Accept-Encoding', ...coding },
  });
};

/** Sends the browser to another page, which it asks for with GET (303). */
export const redirect = (location: string, headers: HttpResponse['headers'] = {}): HttpResponse =>
  bytes('', {
    status: 303,
    contentType: 'text/plain; charset=utf-8',
    headers: { Location: location, ...headers },
  });

/** A text that is the same for everybody, also for programs. */
export const textRoute = (
  path: string,
  {
    contentType,
    maxAgeS,
    rateLimit = 'public',
  }: {
    readonly contentType: string;
    readonly maxAgeS: number;
    readonly rateLimit?: 'public' | 'none';
  },
  text: () => Promise<string> | string,
): Route =>
  openRoute(
    {
      ...{ id: path, access: 'anyone', rateLimit, method: 'GET', path, tag: 'Pages' },
      ...{ summary: path, answers: {}, cacheControl: `public, max-age=${maxAgeS}` },
    } as const satisfies OpenEndpoint,
    async () => bytes(await text(), { contentType }),
  );

/** A text within XML. */
export const xmlText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** What a request says of its sender: language, and who is signed in. */
export const contextOfRequest = async (
  deps: Pick<WebsiteDeps, 'assets' | 'publicUrl'>,
  request: IncomingMessage,
  user: PageUser | null,
): Promise<PageContext> => {
  const url = request.url ?? '/';
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  const language = chooseLanguage(
    [query.get('ui'), cookieOf(request, uiCookie)],
    request.headers['accept-language'] ?? '',
  );
  return {
    words: wordsOf(language),
    assets: await deps.assets(),
    url,
    publicUrl: deps.publicUrl,
    user: user === null ? null : { accountId: user.accountId },
  };
};

type Signed = { readonly user: PageUser; readonly cookies: readonly string[] };

/** The user of the session cookie; renewed with the answer where it is time. */
const signedIn = async (deps: WebsiteDeps, requestInfo: RequestInfo): Promise<Signed | null> => {
  const token = sessionToken(requestInfo);
  const found = token === null ? null : await deps.commands.authenticate(token);
  if (token === null || found === null) return null;
  const { session, userId, isRenewed } = found;
  const { accountId, idleEndsAt } = session;
  const cookies = isRenewed ? [sessionCookie(deps, requestInfo, { token, idleEndsAt })] : [];
  return { user: { accountId, userId }, cookies };
};

/** A call of this page; under the `once` of its form, the same call for the same fields, for a day. */
const callOf = (
  { clock }: Pick<WebsiteDeps, 'clock'>,
  requestInfo: RequestInfo,
  form: URLSearchParams,
  by: { readonly accountId: string; readonly actor: Call['actor'] },
): Call => {
  const call = callAs(requestInfo, by);
  const once = form.get('once');
  if (once === null || once === '') return call;
  const day = daysOld(once, clock());
  const name = `page|${by.accountId}|${requestInfo.request.url}|${day}|${form}`;
  return { ...call, operationKey: uuidOf(name), isRepeatable: true };
};

const endpointOf = ({ method, path, cacheControl, rateLimit = 'public' }: Definition) =>
  ({
    id: `page ${method} ${path}`,
    access: 'anyone',
    rateLimit,
    cacheControl: cacheControl ?? 'private, no-store',
    tag: 'Pages',
    method,
    path,
    summary: path,
    params: z.looseObject({}),
    answers: {},
  }) satisfies OpenEndpoint;

/** Binds a page. What it throws is answered as a page by the error handler. */
export const page = (
  deps: WebsiteDeps,
  definition: Definition,
  answer: (request: PageRequest) => Promise<PageResult> | PageResult,
): Route =>
  openRoute(endpointOf(definition), async ({ requestInfo, params }) => {
    const { request } = requestInfo;
    // Express answers HEAD by GET; nothing may be charged for an answer without content.
    if (request.method === 'HEAD') return html('');
    if (definition.method === 'POST') refuseOtherOrigins(deps, request);
    const form =
      definition.method === 'POST' ? await readForm(request, formLimit) : new URLSearchParams();
    const signed = await signedIn(deps, requestInfo);
    const user = signed?.user ?? null;
    const cookies: string[] = [...(signed?.cookies ?? [])];
    const context = await contextOfRequest(deps, request, user);
    const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
    const asked = query.get('ui');
    if (asked === context.words.language) {
      cookies.push(
        cookie(deps, requestInfo, { name: uiCookie, value: asked, path: '/', maxAgeS: yearS }),
      );
    }
    const result = await answer({
      requestInfo,
      context,
      params: textsOf(params),
      query,
      form,
      user,
      pay: paying(deps, requestInfo, form, user, cookies),
    });
    const response = typeof result === 'string' ? html(result) : result;
    if (cookies.length === 0) return response;
    const own = response.headers['Set-Cookie'] ?? [];
    const all = [...cookies, ...(typeof own === 'string' ? [own] : own)];
    return { ...response, headers: { ...response.headers, 'Set-Cookie': all } };
  });

/** Binds a page of a signed-in user; others are sent to sign in, and back. */
export const userPage = (
  deps: WebsiteDeps,
  definition: Definition,
  answer: (request: UserRequest) => Promise<PageResult> | PageResult,
): Route =>
  page(deps, { rateLimit: 'session', ...definition }, async (request) => {
    const { user, requestInfo, form } = request;
    if (user === null) {
      if (definition.method === 'POST') {
        // A redirect would lose what was typed. Secrets are typed again.
        if ([...form.keys()].some((name) => secretFields.has(name))) {
          throw new Refusal('UNAUTHENTICATED', 'Sign in required.');
        }
        return html(signedOutPage(request.context, form), 401);
      }
      return redirect(`/login?next=${encodeURIComponent(requestInfo.request.url)}`);
    }
    const { accountId, userId } = user;
    const call = callOf(deps, requestInfo, form, {
      accountId,
      actor: { type: 'user', id: userId },
    });
    const result = await answer({ ...request, user, call });
    if (definition.method === 'POST') {
      // The change is made; that its origin could not be kept takes nothing back.
      await deps.commands
        .noteOrigin({ ...originOf(requestInfo), accountId, requestId: call.requestId })
        .catch(() => undefined);
    }
    return result;
  });

const paying =
  (
    deps: WebsiteDeps,
    requestInfo: RequestInfo,
    form: URLSearchParams,
    user: PageUser | null,
    cookies: string[],
  ): PageRequest['pay'] =>
  async (credits, work) => {
    if (user !== null) {
      const { accountId, userId } = user;
      return work(
        callOf(deps, requestInfo, form, { accountId, actor: { type: 'user', id: userId } }),
      );
    }
    const visiting = {
      token: visitorCookie.read(requestInfo.request),
      network: countedAddress(requestInfo.address),
      cause: { channel: 'web', requestId: requestInfo.ownId, traceparent: currentTraceparent() },
      credits,
    } as const;
    const { result, newToken } = await deps.commands.serveVisitor(
      visiting,
      ({ accountId, cause: { actor } }) =>
        work(callOf(deps, requestInfo, form, { accountId, actor })),
    );
    if (newToken !== null) cookies.push(visitorCookie.write(deps, requestInfo, newToken));
    return result;
  };

const textsOf = (params: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join('/') : String(value),
    ]),
  );
