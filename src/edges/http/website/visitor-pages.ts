import { listLink, type Named, nameLink } from '../../../commands.ts';
import type { Route } from '../endpoint.ts';
import { type PageRequest, page, redirect, type WebsiteDeps } from './page.ts';
import { homePage } from './pages/home.tsx';

/** The start page, and links of any kind. */
export const visitorPages = (deps: WebsiteDeps): Route[] => [
  page(deps, { method: 'GET', path: '/' }, (request) => startPage(deps, request, '', null)),
  page(deps, { method: 'GET', path: '/go' }, (request) => goTo(deps, request)),
];

const startPage = async (
  deps: WebsiteDeps,
  request: PageRequest,
  pasted: string,
  wrong: string | null,
): Promise<string> => {
  const { context, user } = request;
  const usage = user === null ? null : await deps.queries.accountOverview(user.accountId);
  return homePage(context, {
    pasted,
    wrong,
    allowance: user === null ? await allowanceOf(deps, request) : null,
    remaining: usage === null || usage.plan.isUnlimited ? null : usage.credits.remaining,
    examples: deps.examples,
  });
};

/** What a visitor has used today; one without a cookie has used nothing that we could know. */
const allowanceOf = async (deps: WebsiteDeps, { pay, requestInfo }: PageRequest) => {
  const limit = deps.anonymousCreditsPerDay;
  if (!/(?:^|;\s*)visitor=/.test(requestInfo.request.headers.cookie ?? ''))
    return { used: 0, limit };
  const report = await pay(0, (call) => deps.queries.usage(call.accountId, 1));
  return { used: Math.max(0, limit - report.creditsRemaining), limit };
};

/** Sends a pasted link to the page of its kind. */
const goTo = (deps: WebsiteDeps, request: PageRequest) => {
  const pasted = (request.query.get('link') ?? '').trim();
  // What apps share is the title of a video with its address.
  const address = /https?:\/\/\S+/.exec(pasted)?.[0] ?? '';
  const named = nameLink(pasted) ?? nameLink(address);
  if (named === null) {
    return startPage(deps, request, pasted.slice(0, 2_048), request.context.words.home.notALink);
  }
  return redirect(addressOf(named));
};

const addressOf = (named: Named): string => {
  if (named.kind === 'video') {
    return `/t/${named.videoId}${named.second === null ? '' : `#t=${named.second}`}`;
  }
  const link = named.reference.startsWith('@') ? named.reference : listLink(named);
  return `/many?links=${encodeURIComponent(link)}`;
};
