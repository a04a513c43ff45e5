import { consentFields, isOAuthScope, type OAuthScope, oauthPaths } from '../../../../contract/oauth.ts';
import { dayMs } from '../../../../kernel/clock.ts';
import type { AuthorizationServer, ConsentRequest } from '../../middleware/authorization-server.ts';
import { notFound } from '../../middleware/error-handler.ts';
import type { HttpResponse } from '../../middleware/response.ts';
import type { Route } from '../../middleware/route.ts';
import {
  html,
  type PageRequest,
  page,
  pageHeaders,
  redirect,
  repeatable,
  type UserRequest,
  userPage,
  type WebsiteDeps,
} from '../page.ts';
import { numberIn } from '../parts/form-body.ts';
import { type ConsentView, consentPage, refusedRequestPage } from './consent-page.tsx';

type Deps = WebsiteDeps & {
  readonly authorizationServer: AuthorizationServer;
  /** The tools of `/mcp`, with the scope that each needs. */
  readonly tools: () => Promise<readonly { readonly name: string; readonly scope: string }[]>;
};

/** What the form of a first request says. */
const offered = { creditsPerDay: 100, creditsTotal: 1_000, days: 30 } as const;

/** Where applications send a browser: the request, its page of consent, and the way back. */
export const consentRoutes = (deps: Deps): Route[] => [
  page(deps, { method: 'GET', path: oauthPaths.authorization, rateLimit: 'session' }, (request) =>
    asked(deps, request),
  ),
  page(deps, { method: 'GET', path: `${oauthPaths.authorization}/:uid`, rateLimit: 'session' }, (request) =>
    passedOn(deps, request),
  ),
  userPage(deps, { method: 'GET', path: `${oauthPaths.consent}/:uid` }, async ({ requestInfo, context }) => {
    const request = await deps.authorizationServer.consentRequest(requestInfo);
    const view = await viewOf(deps, request);
    return html(consentPage(context, view), 200, headersOf(request));
  }),
  userPage(deps, { method: 'POST', path: `${oauthPaths.consent}/:uid`, isOnce: repeatable }, (request) =>
    decided(deps, request),
  ),
];

/** An application that publishes its own description is asked for it only on behalf of somebody who is signed in. */
const asked = async (deps: Deps, request: PageRequest): Promise<HttpResponse> => {
  const isPublished = /^https:/i.test(request.query.get('client_id') ?? '');
  if (isPublished && request.user === null) {
    return redirect(`/login?next=${encodeURIComponent(request.requestInfo.request.url)}`);
  }
  return passedOn(deps, request);
};

const passedOn = async (deps: Deps, { requestInfo, context }: PageRequest): Promise<HttpResponse> => {
  const answer = await deps.authorizationServer.answer(requestInfo, null);
  if (answer.status < 400) return answer;
  if (answer.body === '') notFound();
  const { error, error_description: description } = JSON.parse(String(answer.body));
  return html(refusedRequestPage(context, `${error}: ${description}`), answer.status);
};

/** The page names where its form ends: browsers follow the answer of a form only to hosts that the policy allows. */
const headersOf = ({ redirectUri }: ConsentRequest): HttpResponse['headers'] => {
  const { protocol, host, hostname } = new URL(redirectUri);
  // The policy has no form for an address of IPv6, nor for the scheme of a program with more than its name.
  const target = /^https?:$/.test(protocol) && !hostname.startsWith('[') ? `${protocol}//${host}` : protocol;
  const policy = pageHeaders['Content-Security-Policy'] ?? '';
  return { 'Content-Security-Policy': policy.replace("form-action 'self'", `form-action 'self' ${target}`) };
};

const viewOf = async ({ clock, tools }: Deps, request: ConsentRequest): Promise<ConsentView> => {
  const now = clock().getTime();
  const all = await tools();
  return {
    request,
    toolsOf: (wanted) => all.filter(({ scope }) => scope === wanted).map(({ name }) => name),
    values: {
      credits_per_day: String(offered.creditsPerDay),
      credits_total: String(offered.creditsTotal),
      expires_at: dayAt(now + offered.days * dayMs),
    },
    scopes: request.scopes,
    wrong: [],
    today: dayAt(now),
  };
};

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const decided = async (deps: Deps, { requestInfo, form, call, user, context }: UserRequest): Promise<HttpResponse> => {
  const { authorizationServer: server, commands, clock } = deps;
  const request = await server.consentRequest(requestInfo);
  if (form.get('decision') !== 'allow') {
    return redirect((await server.claim(requestInfo)) ?? (await server.decide(requestInfo, null)));
  }
  const view = await viewOf(deps, request);
  const wanted = readConsent(form, request.scopes, dayAt(clock().getTime()));
  if ('wrong' in wanted) {
    const values = {
      credits_per_day: textOf(form, 'credits_per_day'),
      credits_total: textOf(form, 'credits_total'),
      expires_at: textOf(form, 'expires_at'),
    };
    const shown = { ...view, values, scopes: scopesOf(form), wrong: wanted.wrong };
    return html(consentPage(context, shown), 422, headersOf(request));
  }
  const former = await server.claim(requestInfo);
  if (former !== null) return redirect(former);
  const { clientId, clientName } = request;
  const authorizationId = await commands.grantAuthorization(call, { ...wanted, clientId, clientName });
  const { accountId } = user;
  const { scopes, expiresAt } = wanted;
  return redirect(await server.decide(requestInfo, { accountId, authorizationId, scopes, expiresAt }));
};

const textOf = (form: URLSearchParams, name: string): string => (form.get(name) ?? '').slice(0, 40);

const scopesOf = (form: URLSearchParams): readonly string[] => form.getAll('scope').flatMap((one) => one.split(/\s+/));

/** What the form agrees to, or the names of the fields that are wrong. It ends with the named day, in UTC. */
const readConsent = (form: URLSearchParams, asked: readonly OAuthScope[], today: string) => {
  const expires_at = consentFields.shape.expires_at.refine((day) => day >= today);
  const { data, error } = consentFields
    .extend({ expires_at })
    .safeParse({
      credits_per_day: numberIn(form, 'credits_per_day'),
      credits_total: numberIn(form, 'credits_total'),
      expires_at: form.get('expires_at'),
    });
  const given = scopesOf(form);
  const scopes = asked.filter((scope) => given.includes(scope));
  const isUnasked = given.some((scope) => isOAuthScope(scope) && !asked.includes(scope));
  const isScopeWrong = scopes.length === 0 || isUnasked;
  if (data !== undefined && !isScopeWrong) {
    const expiresAt = new Date(Date.parse(data.expires_at) + dayMs).toISOString();
    return { creditsPerDay: data.credits_per_day, creditsTotal: data.credits_total, expiresAt, scopes };
  }
  const wrong = numbersAndDay.filter((name) => error?.issues.some(({ path }) => path[0] === name));
  return { wrong: isScopeWrong ? [...wrong, 'scope' as const] : wrong };
};

const numbersAndDay = ['credits_per_day', 'credits_total', 'expires_at'] as const;
