import { createFollow, editFollow } from '../../../../contract/follows.ts';
import { followWanted } from '../../middleware/follow-answers.ts';
import type { Route } from '../../middleware/route.ts';
import { beforeIn, type PageResult, redirect, type UserRequest, userPage, type WebsiteDeps } from '../page.ts';
import { bodyOf, numberIn } from '../parts/form-body.ts';
import { confirmedForm } from '../parts/question.tsx';
import { type FollowPageView, followPage } from './follow-page.tsx';
import { type FollowsView, followsPage } from './follows-page.tsx';

const followsShown = 50;
const videosShown = 50;

/** The follows of an account, and one with what it has found. */
export const followRoutes = (deps: WebsiteDeps): Route[] => [...follows(deps), ...oneFollow(deps)];

const follows = (deps: WebsiteDeps): Route[] => {
  const shown = async ({ context, user, query }: UserRequest, refused: FollowsView['refused'] = null) => {
    const follows = await deps.queries.follows(user.accountId, { limit: followsShown, before: beforeIn(query) });
    return followsPage(context, { follows, refused });
  };
  const sourceIn = (form: URLSearchParams) => (form.get('source') ?? '').trim();
  const refused = (request: UserRequest, message: string) => {
    const budget = request.form.get('max_credits_per_period') ?? '';
    return shown(request, { message, source: sourceIn(request.form), budget });
  };
  return [
    userPage(deps, { method: 'GET', path: '/account/follows' }, (request) => shown(request)),
    userPage(deps, { method: 'POST', path: '/account/follows', refused }, async ({ form, call }) => {
      const body = bodyOf(createFollow, {
        source: sourceIn(form),
        max_credits_per_period: numberIn(form, 'max_credits_per_period'),
        backfill: numberIn(form, 'backfill') ?? undefined,
      });
      const { followId } = await deps.commands.startFollow(call, followWanted(body));
      return redirect(`/account/follows/${followId}`);
    }),
  ];
};

const oneFollow = (deps: WebsiteDeps): Route[] => {
  const base = '/account/follows/:followId';
  const idOf = ({ params }: UserRequest) => ({ followId: params['followId'] ?? '' });
  const shown = async (request: UserRequest, more: Partial<FollowPageView> = {}): Promise<string> => {
    const follow = await deps.queries.follow(request.user.accountId, idOf(request).followId);
    const videos = await deps.queries.followedVideos(follow.followId, videosShown);
    return followPage(request.context, { follow, videos, notice: null, refused: null, ...more });
  };
  const back = (request: UserRequest): Promise<PageResult> | PageResult =>
    redirect(`/account/follows/${idOf(request).followId}`);
  const change = (name: string, work: (request: UserRequest) => Promise<unknown>, answer = back) =>
    userPage(
      deps,
      { method: 'POST', path: `${base}/${name}`, refused: (request, refused) => shown(request, { refused }) },
      async (request) => {
        await work(request);
        return await answer(request);
      },
    );
  const asked = (question: 'moveFeed' | 'endFollow', button: 'rotate' | 'end') => async (request: UserRequest) => {
    const { followId, title, sourceId } = await deps.queries.follow(request.user.accountId, idOf(request).followId);
    const { questions, follows: words } = request.context.words;
    const about = { named: title ?? sourceId, back: `/account/follows/${followId}` };
    return { ...about, ...questions[question], button: words[button] };
  };
  return [
    userPage(deps, { method: 'GET', path: base }, (request) => shown(request)),
    change('pause', (request) => deps.commands.pauseFollow(request.call, idOf(request))),
    change('resume', (request) => deps.commands.resumeFollow(request.call, idOf(request))),
    change(
      'check',
      (request) => deps.commands.checkFollow(request.call, idOf(request)),
      (request) => shown(request, { notice: request.context.words.follows.checked }),
    ),
    change('budget', (request) => {
      const fields = { max_credits_per_period: numberIn(request.form, 'max_credits_per_period') };
      const { max_credits_per_period: maxCreditsPerPeriod } = bodyOf(editFollow, fields);
      return deps.commands.editFollow(request.call, { ...idOf(request), changes: { maxCreditsPerPeriod } });
    }),
    ...confirmedForm(deps, `${base}/feed`, {
      ask: asked('moveFeed', 'rotate'),
      work: async (request) => {
        await deps.commands.moveFollowFeed(request.call, idOf(request));
        return back(request);
      },
    }),
    ...confirmedForm(deps, `${base}/end`, {
      ask: asked('endFollow', 'end'),
      work: async (request) => {
        await deps.commands.endFollow(request.call, idOf(request));
        return redirect('/account/follows');
      },
    }),
  ];
};
