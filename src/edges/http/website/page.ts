import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { endpointsWith, type OpenEndpoint } from '../../../contract/endpoint.ts';
import type { StatusReport } from '../../../contract/meta.ts';
import { beforePosition } from '../../../contract/schemas.ts';
import { captionsWanted, readTranscript } from '../../../contract/transcripts.ts';
import type { Call } from '../../../kernel/call.ts';
import { uuidOf } from '../../../kernel/ids.ts';
import { invalidRequest, Refusal } from '../../../kernel/refusal.ts';
import { readForm } from '../middleware/body.ts';
import { callAs } from '../middleware/build-call.ts';
import { refuseOtherOrigins } from '../middleware/csrf.ts';
import type { MiddlewareDeps } from '../middleware/dependencies.ts';
import { notFound } from '../middleware/error-handler.ts';
import { failureOf } from '../middleware/error-response.ts';
import type { JobEventStream } from '../middleware/job-event-streams.ts';
import { acceptsCoding, bytes, type HttpResponse, inPieces } from '../middleware/response.ts';
import { openRoute, type RequestInfo, type Route, type WholeApplication } from '../middleware/route.ts';
import { originOf, type SessionDeps, signedInBy, uiCookie } from '../middleware/session.ts';
import type { HttpSettings } from '../settings.ts';
import { answerFormOnce, type FormAnswer, hasSecretField, OnceRefusal, secretFields } from './answer-form-once.ts';
import type { Assets } from './assets.ts';
import { signedOutPage } from './failure/failure-page.tsx';
import type { PageContext } from './layout.tsx';
import { chargesOf, type PageCharges, type PageUser } from './page-charges.ts';
import { bodyOf } from './parts/form-body.ts';
import { daysOld } from './parts/form-key.ts';
import { toldIn } from './refusal-text.ts';
import { chooseLanguage, wordsOf } from './words.ts';

/** What every page stands on. */
export type WebsiteDeps = WholeApplication &
  Pick<MiddlewareDeps, 'clock' | 'idempotency' | 'isUnavailable'> &
  Pick<HttpSettings, 'publicUrl' | 'anonymousCreditsPerDay' | 'mail' | 'examples'> &
  Pick<SessionDeps, 'isSecure'> & {
    /** Built with the first page that is asked for. */
    readonly assets: () => Promise<Assets>;
    readonly eventStream: JobEventStream;
    readonly readStatus: () => Promise<StatusReport>;
  };

/** One request of a page. */
export type PageRequest = PageCharges & {
  readonly requestInfo: RequestInfo;
  readonly context: PageContext;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Fields of a form that was sent; empty for a GET. */
  readonly form: URLSearchParams;
  readonly user: PageUser | null;
};

/** Where a page of a list begins: a position of the log; null for the first page. */
export const beforeIn = (query: URLSearchParams): string | null =>
  beforePosition.safeParse(query.get('before')).data ?? null;

const captionsFields = readTranscript.query.pick({ lang: true, captions: true, asr: true, words: true });

/** Which captions a form or an address asks for; what is empty is not asked for. Throws INVALID_REQUEST. */
export const captionsIn = (options: URLSearchParams) => {
  const names = Object.keys(captionsFields.shape);
  const given = names.map((name) => [name, (options.get(name) ?? '').trim()]).filter(([, value]) => value !== '');
  return captionsWanted(bodyOf({ body: captionsFields }, Object.fromEntries(given)));
};

/** How a transcript is shown that costs nothing more: what is not paid for is offered. */
export const readAgain = {
  ...{ agreedCredits: 0, isConfirmed: false, recognizesSpeech: false },
  ...{ paidSha256: null, quotedSecond: null, further: null },
} as const;

/** A page for which somebody must be signed in. */
export type UserRequest = PageRequest & { readonly user: PageUser; readonly call: Call };

/** A page with a secret that is shown once. */
export type SecretPage = { readonly secretHtml: string };

/** HTML, or an answer of another kind: a redirect, a file. */
export type PageResult = string | HttpResponse | SecretPage;

type Answer<Request> = (request: Request) => Promise<PageResult> | PageResult;

type PageAnswer = string | HttpResponse;

/** The route of a page, and how its form is answered. */
export type Definition<Request> = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Which window counts it; that of public documents unless said otherwise. */
  readonly rateLimit?: 'public' | 'session';
  /**
   * Whether a form that is sent again under its `once` gets its first answer: each one, unless a repeat does no harm,
   * or is one operation by itself.
   */
  readonly isOnce?: (form: URLSearchParams) => boolean;
  /** The `once` of a form belongs to the account; else to whoever has it, since some forms sign in or out. */
  readonly isOfUser?: boolean;
  /** Answers a repeat in place of the stored answer; a secret is shown again as long as it may be. */
  readonly again?: Answer<Request>;
  /** Answers a refusal: the form again with this text. The status is that of the refusal, unless this is a whole response. */
  readonly refused?: (request: Request, text: string, refusal: Refusal) => Promise<PageAnswer> | PageAnswer;
};

/** For `isOnce`: each repeat is answered anew. */
export const repeatable = (): boolean => false;

/** Five thousand lines of 150 characters, of which a form writes each character of an address as three. */
const formLimit = 1024 * 1024;

/**
 * What pages may load: their own styles, scripts and fonts, nothing from other hosts. No inline script or style runs, so
 * text of captions or visitors never becomes code.
 */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Pages of a transcript also have the player of the platform, in a frame that is loaded on a click. */
const playerPolicy = `${contentSecurityPolicy}; frame-src https://www.youtube-nocookie.com`;

export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** An answer in HTML. */
export const html = (body: string, status = 200, headers: HttpResponse['headers'] = {}) =>
  bytes(body, { status, contentType: 'text/html; charset=utf-8', headers: { ...pageHeaders, ...headers } });

/**
 * A page in one piece, compressed where the browser takes that. Pages of an account are not: their length would tell
 * what they hold to somebody who sees it and adds text by a link (BREACH).
 */
const compressed = async ({ user, requestInfo }: PageRequest, response: HttpResponse): Promise<HttpResponse> => {
  const { body, contentType, headers } = response;
  if (user !== null || typeof body !== 'string' || contentType?.startsWith('text/html') !== true) return response;
  const isCompressed = acceptsCoding(requestInfo.request, 'gzip');
  const sent = isCompressed ? await promisify(gzip)(body) : body;
  const coding = isCompressed ? { 'Content-Encoding': 'gzip' } : {};
  return { ...response, body: sent, headers: { ...headers, Vary: 'Accept-Encoding', ...coding } };
};

/**
 * A page of a transcript, whose bulk is kept as bytes: it is sent as it is, after what comes before it, compressed where
 * the browser takes that. The weakest level makes a sixth of such a page; each piece is on its way before the next is
 * compressed.
 */
export const pageInPieces = (request: IncomingMessage, pieces: readonly (string | Buffer)[]): HttpResponse => {
  const isCompressed = acceptsCoding(request, 'gzip');
  async function* sent() {
    if (!isCompressed) return yield* pieces;
    const gzip = createGzip({ level: 1, flush: constants.Z_SYNC_FLUSH });
    pipeline(Readable.from(pieces), gzip, () => {});
    yield* gzip;
  }
  const coding = isCompressed ? { 'Content-Encoding': 'gzip' } : {};
  return inPieces(sent, {
    contentType: 'text/html; charset=utf-8',
    headers: { ...pageHeaders, 'Content-Security-Policy': playerPolicy, Vary: 'Accept-Encoding', ...coding },
  });
};

/** Sends the browser to another page, which it asks for with GET (303). */
export const redirect = (location: string, headers: HttpResponse['headers'] = {}): HttpResponse =>
  bytes('', { status: 303, contentType: 'text/plain; charset=utf-8', headers: { Location: location, ...headers } });

/** What the endpoints of pages and of their files share; they are not in the reference. */
export const ofPages = endpointsWith({ access: 'anyone', tag: 'Pages', summary: 'For people', answers: {} });

type TextKind = { readonly contentType: string; readonly maxAgeS: number; readonly rateLimit?: 'public' | 'none' };

/** A text that is the same for everybody, also for programs. */
export const textRoute = (
  path: string,
  { contentType, maxAgeS, rateLimit = 'public' }: TextKind,
  text: () => Promise<string> | string,
): Route =>
  openRoute(
    { ...ofPages(path, 'GET', path), rateLimit, cacheControl: `public, max-age=${maxAgeS}` } satisfies OpenEndpoint,
    async () => bytes(await text(), { contentType }),
  );

/** A text within XML. */
export const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** What a request says of its sender: language, and who is signed in. */
export const contextOfRequest = async (
  deps: Pick<WebsiteDeps, 'assets' | 'publicUrl'>,
  request: IncomingMessage,
  user: PageUser | null,
): Promise<PageContext> => {
  const url = request.url ?? '/';
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  const wanted = [query.get('ui'), uiCookie.read({ request })];
  const language = chooseLanguage(wanted, request.headers['accept-language'] ?? '');
  return {
    words: wordsOf(language),
    assets: await deps.assets(),
    url,
    publicUrl: deps.publicUrl,
    user: user === null ? null : { accountId: user.accountId },
  };
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
  return { ...call, deduplicationKey: uuidOf(name), isRepeatable: true };
};

const endpointOf = <Request>({ method, path, rateLimit = 'public' }: Definition<Request>) =>
  ({
    ...ofPages(`page ${method} ${path}`, method, path),
    rateLimit,
    cacheControl: 'private, no-store',
    params: z.object({}).catchall(z.string()),
  }) satisfies OpenEndpoint;

/** The form that a request sent: the page of its failure offers to send it again. */
export const sentForms = new WeakMap<IncomingMessage, URLSearchParams>();

/** Binds a page. What it throws is answered as a page by the error handler. */
export const page = (deps: WebsiteDeps, definition: Definition<PageRequest>, answer: Answer<PageRequest>): Route =>
  openRoute(endpointOf(definition), async ({ requestInfo, params }) => {
    const { request } = requestInfo;
    // Express answers HEAD by GET; nothing may be charged for an answer without content.
    if (request.method === 'HEAD') return html('');
    let form = new URLSearchParams();
    if (definition.method === 'POST') {
      refuseOtherOrigins(deps, request);
      form = await readForm(request, formLimit);
      sentForms.set(request, form);
    }
    const query = new URLSearchParams(request.url.split('?')[1]);
    refuseNul(query);
    refuseNul(form);
    refuseControlCharacters(params);
    const signed = await signedInBy(deps, requestInfo);
    const user = signed?.user ?? null;
    const cookies: string[] = [...(signed?.cookies ?? [])];
    const context = await contextOfRequest(deps, request, user);
    const asked = query.get('ui');
    if (asked === context.words.language) cookies.push(uiCookie.write(deps, requestInfo, asked));
    const pageRequest: PageRequest = {
      ...{ requestInfo, context, params, query, form, user },
      ...chargesOf(deps, requestInfo, {
        route: `${definition.method} ${definition.path}`,
        ...{ form, user, cookies },
        callOf: (by) => callOf(deps, requestInfo, form, by),
      }),
    };
    const response = await responseTo(deps, definition, pageRequest, signed?.sessionId ?? null, answer).catch(
      (error: unknown) => refusedForm(deps, definition, pageRequest, error),
    );
    if (cookies.length === 0) return response;
    const own = response.headers['Set-Cookie'] ?? [];
    const all = [...cookies, ...(typeof own === 'string' ? [own] : own)];
    return { ...response, headers: { ...response.headers, 'Set-Cookie': all } };
  });

/** The answer of a page; of a form, its first one. */
const responseTo = async (
  deps: WebsiteDeps,
  { method, path, isOnce = () => method === 'POST', isOfUser = false, again }: Definition<PageRequest>,
  request: PageRequest,
  sessionId: string | null,
  answer: Answer<PageRequest>,
): Promise<HttpResponse> => {
  const { form, user, requestInfo } = request;
  const work = async () => formAnswerOf(await answer(request));
  if (!isOnce(form)) return await compressed(request, (await work()).response);
  const accountId = isOfUser ? (user?.accountId ?? null) : null;
  return answerFormOnce(
    deps,
    { accountId, sessionId, route: `${method} ${path}`, form, requestInfo },
    { work, again: again === undefined ? null : async () => formAnswerOf(await again(request)).response },
  );
};

/** Shows a refusal in the form that it is about. A definition without `refused` throws it, as any other error. */
const refusedForm = async (
  { isUnavailable }: WebsiteDeps,
  { refused }: Definition<PageRequest>,
  request: PageRequest,
  error: unknown,
): Promise<HttpResponse> => {
  if (refused === undefined || !(error instanceof Refusal) || request.requestInfo.signal.aborted) throw error;
  const { code } = error;
  // A captcha is used up by each attempt, and its form makes one account for each mailbox.
  if (error instanceof OnceRefusal && code !== 'CAPTCHA_FAILED') throw error;
  const { status, retryAfterS } = failureOf(error, isUnavailable);
  const shown = await refused(request, toldIn(request.context.words, error), error);
  if (typeof shown !== 'string') return { ...shown, code };
  const headers = retryAfterS === null ? {} : { 'Retry-After': String(retryAfterS) };
  return { ...(await compressed(request, html(shown, status, headers))), code };
};

const formAnswerOf = (result: PageResult): FormAnswer => {
  if (typeof result === 'string') return { response: html(result), hasSecret: false };
  return 'secretHtml' in result
    ? { response: html(result.secretHtml), hasSecret: true }
    : { response: result, hasSecret: false };
};

/** Binds a page of a signed-in user; others are sent to sign in, and back. */
export const userPage = (
  deps: WebsiteDeps,
  { again, refused, ...definition }: Definition<UserRequest>,
  answer: Answer<UserRequest>,
): Route => {
  const isForm = definition.method === 'POST';
  const asUser =
    <More extends unknown[], Result>(work: (request: UserRequest, ...more: More) => Result) =>
    (request: PageRequest, ...more: More): Result | HttpResponse => {
      const { user, requestInfo, form, context } = request;
      if (user !== null) {
        const { accountId, userId } = user;
        const call = callOf(deps, requestInfo, form, { accountId, actor: { type: 'user', id: userId } });
        return work({ ...request, user, call }, ...more);
      }
      if (!isForm) return redirect(`/login?next=${encodeURIComponent(requestInfo.request.url)}`);
      // A redirect would lose what was typed. Secrets are typed again.
      if (hasSecretField(form)) throw new Refusal('UNAUTHENTICATED', 'Sign in required.');
      return html(signedOutPage(context, form), 401);
    };
  const withOrigin: Answer<UserRequest> = async (request) => {
    const result = await answer(request);
    if (!isForm) return result;
    const { requestId, accountId } = request.call;
    const origin = { ...originOf(request.requestInfo), accountId, requestId };
    // The change is made; that its origin could not be kept takes nothing back.
    await deps.commands.noteOrigin(origin).catch(() => undefined);
    return result;
  };
  const others = {
    ...(again === undefined ? {} : { again: asUser(again) }),
    ...(refused === undefined ? {} : { refused: asUser(refused) }),
  };
  return page(deps, { rateLimit: 'session', ...definition, ...others, isOfUser: true }, asUser(withOrigin));
};

/** No address of a page has a control character. */
const refuseControlCharacters = (params: PageRequest['params']): void => {
  if (Object.values(params).some((text) => /\p{Cc}/u.test(text))) notFound();
};

/** No text that is stored or searched for has a NUL: Postgres takes none. Passwords are only hashed. */
const refuseNul = (fields: URLSearchParams): void => {
  for (const [name, value] of fields) {
    if (secretFields.has(name) || !value.includes('\0')) continue;
    throw invalidRequest(`${name} must not contain NUL.`, { path: name.slice(0, 100), code: 'malformed' });
  }
};

/** Who acts, for commands on the own account. */
export const own = ({ user, call }: UserRequest) => ({ accountId: user.accountId, cause: call });

/**
 * The address of the page holds a token, which no other host is told. Without any referrer a browser would not say either
 * where the form comes from (`Origin: null`), and it would be refused.
 */
export const ownReferrer = { 'Referrer-Policy': 'same-origin' } as const;
