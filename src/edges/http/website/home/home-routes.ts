import { type LinkTarget, listLink, nameLink } from '../../../../commands.ts';
import { longestLink } from '../../../../contract/schemas.ts';
import type { Route } from '../../middleware/route.ts';
import { visitorCookie } from '../../middleware/session.ts';
import { type PageRequest, page, redirect, type WebsiteDeps } from '../page.ts';
import { homePage } from './home-page.tsx';

/** The start page, and links of any kind. */
export const homeRoutes = (deps: WebsiteDeps): Route[] => [
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
    paidVideos: await paidAmong(deps, request),
  });
};

/** Which examples can be read again free of charge. */
const paidAmong = async (deps: WebsiteDeps, { pay, user, requestInfo }: PageRequest) => {
  if (user === null && visitorCookie.read(requestInfo) === null) return [];
  const videoIds = deps.examples.map(({ videoId }) => videoId);
  const paid = await pay((call) => deps.commands.paidCaptions(call, videoIds));
  return paid.map(({ videoId }) => videoId);
};

/** What a visitor has used today; one without a cookie has used nothing that we could know. */
const allowanceOf = async (deps: WebsiteDeps, { pay, requestInfo }: PageRequest) => {
  const limit = deps.anonymousCreditsPerDay;
  if (visitorCookie.read(requestInfo) === null) return { used: 0, limit };
  const remaining = await pay(async ({ accountId, allowance }) =>
    (await allowance?.hasBook()) === true ? (await deps.queries.usage(accountId, 1)).creditsRemaining : limit,
  );
  return { used: Math.max(0, limit - remaining), limit };
};

/** Sends a pasted link to the page of its kind. */
const goTo = (deps: WebsiteDeps, request: PageRequest) => {
  const pasted = (request.query.get('link') ?? '').trim();
  // What apps share is the title of a video with its address.
  const address = /https?:\/\/\S+/.exec(pasted)?.[0] ?? '';
  const named = nameLink(pasted) ?? nameLink(address);
  if (named === null) {
    return startPage(deps, request, pasted.slice(0, longestLink), request.context.words.home.notALink);
  }
  return redirect(addressOf(named));
};

const addressOf = (named: LinkTarget): string => {
  if (named.kind === 'video') {
    return `/t/${named.videoId}${named.second === null ? '' : `#t=${named.second}`}`;
  }
  const link = named.reference.startsWith('@') ? named.reference : listLink(named);
  return `/many?links=${encodeURIComponent(link)}`;
};
