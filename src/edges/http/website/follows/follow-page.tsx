import { editFollow } from '../../../../contract/follows.ts';
import type { FollowedVideoRow, FollowView } from '../../../../queries.ts';
import { documentOf, Row, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { Field, Note, PostButton, PostForm } from '../parts/form.tsx';
import { Time, TimeFact } from '../parts/times.tsx';
import { fill, labelIn, number } from '../words.ts';
import { FollowState, FollowUse } from './follows-page.tsx';

export type FollowPageView = {
  readonly follow: FollowView;
  readonly videos: readonly FollowedVideoRow[];
  readonly notice: string | null;
  readonly refused: string | null;
};

/** One follow: how it stands, what came when, and what it cost. */
export const followPage = documentOf(({ follow, videos, notice, refused }: FollowPageView) => {
  const { follows: words } = usePage().words;
  const base = `/account/follows/${follow.followId}`;
  return (
    <AccountPage title={follow.title ?? follow.sourceId} current="follows">
      <Row>
        {notice === null ? null : <Note kind="ok">{notice}</Note>}
        {refused === null ? null : <Note kind="bad">{refused}</Note>}
        <ul class="facts">
          <li>
            <FollowState follow={follow} />
          </li>
          <li>
            <FollowUse follow={follow} />
          </li>
          <TimeFact name={words.looked} at={follow.lastLookAt} />
          <TimeFact name={words.nextLook} at={follow.nextLookAt} />
        </ul>
        {follow.status === 'ended' ? null : <Actions base={base} follow={follow} />}
      </Row>
      <Row>
        <h2>{words.found}</h2>
        {videos.length === 0 ? <p class="quiet-text">{words.nothingFound}</p> : null}
      </Row>
      {videos.map((video) => (
        <FoundVideo video={video} />
      ))}
    </AccountPage>
  );
});

const Actions = ({ base, follow }: { readonly base: string; readonly follow: FollowView }) => {
  const { follows: words } = usePage().words;
  const isPaused = follow.status === 'paused';
  return (
    <>
      <div class="actions">
        <PostButton action={`${base}/${isPaused ? 'resume' : 'pause'}`}>
          {isPaused ? words.resume : words.pause}
        </PostButton>
        <PostButton action={`${base}/check`}>{words.check}</PostButton>
        <a class="button quiet" href={`${base}/feed`}>
          {words.rotate}
        </a>
        <a class="button bad" href={`${base}/end`}>
          {words.end}
        </a>
      </div>
      <PostForm action={`${base}/budget`} submit={words.change}>
        <Field
          id="max_credits_per_period"
          label={words.budget}
          of={editFollow.body}
          required
          value={String(follow.maxCredits)}
        />
      </PostForm>
      <p>
        <a href={follow.feedUrl} rel="nofollow">
          {words.feed}
        </a>{' '}
        <span class="quiet-text small">{words.feedHint}</span>
      </p>
    </>
  );
};

const FoundVideo = ({ video }: { readonly video: FollowedVideoRow }) => {
  const { follows: words, operations, refusals, language } = usePage().words;
  const { videoId, title, status, jobId, errorCode, creditsCharged, foundAt, dueAt } = video;
  return (
    <Row at={words.status[status]}>
      <p>
        <a href={`/t/${videoId}`}>{title ?? videoId}</a>{' '}
        <span class="quiet-text small">
          {words.foundAt} <Time at={foundAt} />
          {creditsCharged === 0 ? null : ` · ${fill(words.cost, { n: number(language, creditsCharged) })}`}
          {errorCode === null ? null : ` · ${labelIn(refusals.codes, errorCode) ?? errorCode}`}
          {dueAt === null ? null : (
            <>
              {' · '}
              {words.dueAt} <Time at={dueAt} />
            </>
          )}
          {jobId === null ? null : (
            <>
              {' · '}
              <a href={`/jobs/${jobId}`}>{operations.job}</a>
            </>
          )}
        </span>
      </p>
    </Row>
  );
};
