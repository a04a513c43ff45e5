import { memoryLimiter } from '#src/adapters/memory/limiter-memory.ts';
import type { Endpoint } from '#src/contract/endpoint.ts';
import { eventStreams } from '#src/edges/http/middleware/event-streams.ts';
import { jobEventStreams } from '#src/edges/http/middleware/job-event-streams.ts';
import { authorizationServer } from '#src/edges/http/oauth/authorization-server.ts';
import { routesOf } from '#src/edges/http/routes.ts';
import { buildAssets } from '#src/edges/http/website/assets.ts';
import type { TestApp } from '#test/support/app.ts';
import { memoryIdempotency, noOAuthState, settings } from '#test/support/http.ts';
import { onlyKey } from '#test/support/keys.ts';
import { planted } from '#test/support/leaks.ts';

/** Every endpoint of the server, those of pages included, in the order of its routes. */
export const everyEndpoint = ({ core, url }: Pick<TestApp, 'core' | 'url'>): readonly Endpoint[] => {
  const { commands, queries, clock } = core;
  const streams = eventStreams();
  const notAsked = () => Promise.reject(new Error('nothing is asked here'));
  return routesOf({
    ...{ ...settings, commands, queries, clock, publicUrl: url, assets: buildAssets },
    isSecure: () => false,
    isDraining: () => false,
    readStatus: notAsked,
    metrics: { token: null, read: notAsked },
    cancellations: { send: notAsked, onReceived: () => undefined },
    eventStream: jobEventStreams({ queries }, streams),
    streams,
    priceKeys: onlyKey(7),
    limiter: memoryLimiter({ clock }),
    authorizationServer: authorizationServer({
      ...{ commands, clock, fetchDocument: notAsked, cookieKeys: [], accessTokenTtlMs: 900_000 },
      state: noOAuthState,
      baseUrl: async () => url,
    }),
    idempotency: memoryIdempotency(),
    isUnavailable: () => false,
    onFault: () => undefined,
  }).map(({ endpoint }) => endpoint);
};

/** The endpoints of the website. */
export const websiteEndpoints = (app: Pick<TestApp, 'core' | 'url'>): readonly Endpoint[] =>
  everyEndpoint(app).filter(({ tag }) => tag === 'Pages');

/** A form of a page: where it is sent, and its fields as they are before anything is typed. */
export type PageForm = {
  readonly method: string;
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly text: string;
};

const attributeOf = (tag: string, name: string): string =>
  (new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '').replaceAll('&amp;', '&');

/** A chapter of a transcript, above the text that it is the title of. */
export const headingAboveText = /<h2>[^<]+<\/h2><\/div><\/div><div class="row" id="t=/;

/** The forms of a page, with their hidden fields. */
export const formsIn = (page: string): readonly PageForm[] =>
  [...page.matchAll(/(<form\b[^>]*>)(.*?)<\/form>/gs)].map(([, tag = '', text = '']) => ({
    method: attributeOf(tag, 'method'),
    action: attributeOf(tag, 'action'),
    fields: Object.fromEntries(
      [...text.matchAll(/<input\b[^>]*>/g)]
        .filter(([input]) => attributeOf(input, 'type') === 'hidden')
        .map(([input]) => [attributeOf(input, 'name'), attributeOf(input, 'value')]),
    ),
    text,
  }));

/** A browser without scripts: it keeps cookies, opens pages and sends forms, and follows no redirect. */
export const pageBrowser = (url: string) => {
  const cookies = new Map<string, string>();
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const own = { Accept: 'text/html', Origin: url, ...(cookie === '' ? {} : { Cookie: cookie }) };
    const headers = { ...own, ...init.headers };
    const answer = await fetch(url + path, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (pair.slice(at + 1) === '') cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), planted(pair.slice(at + 1)));
    }
    return answer;
  };
  const send = (action: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
    ask(action, { method: 'POST', body: new URLSearchParams(fields) });
  return {
    ask,
    open: (path: string) => ask(path),
    send,
    signIn: async (email: string, password: string): Promise<void> => {
      const { status } = await send('/login', { email, password });
      if (status !== 303) throw new Error(`signing in was answered with ${status}`);
    },
    /** The form of a page that is sent to this address. */
    form: async (path: string, action: string): Promise<PageForm> => {
      const page = await (await ask(path)).text();
      const found = formsIn(page).find((one) => one.action === action && one.method === 'post');
      if (found === undefined) throw new Error(`${path} has no form that is sent to ${action}`);
      return found;
    },
  };
};
