import { createFollow } from '../../../../contract/follows.ts';
import type { FollowView, Page } from '../../../../queries.ts';
import { documentOf, Row, Section, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { DataTable, Next } from '../parts/data-table.tsx';
import { Field, Note, PostForm } from '../parts/form.tsx';
import { Time } from '../parts/times.tsx';
import { fill, labelIn, number } from '../words.ts';

export type FollowsView = {
  readonly follows: Page<FollowView>;
  /** The form as it was sent, and why it was refused. */
  readonly refused: { readonly message: string; readonly source: string; readonly budget: string } | null;
};

/** How a follow stands, with the reason where there is one. */
export const FollowState = ({ follow }: { readonly follow: FollowView }) => {
  const { follows: words, site } = usePage().words;
  const reason = follow.reason ?? follow.waitingFor;
  const sign = follow.status === 'active' ? '●' : '○';
  return (
    <>
      {sign} {words.state[follow.status]}
      {reason === null ? null : `${site.colon}${labelIn({ ...words.reason, ...words.waitingFor }, reason) ?? reason}`}
    </>
  );
};

/** What a follow has used of its budget. */
export const FollowUse = ({ follow }: { readonly follow: FollowView }) => {
  const { follows: words, language } = usePage().words;
  const used = { used: number(language, follow.creditsUsed), most: number(language, follow.maxCredits) };
  return <>{fill(words.used, used)}</>;
};

/** The follows of an account, and the form of a new one. */
export const followsPage = documentOf(({ follows: { rows, nextBefore }, refused }: FollowsView) => {
  const { account, follows: words, many } = usePage().words;
  return (
    <AccountPage title={account.follows} current="follows">
      <Row>
        <p>{words.lead}</p>
        {rows.length === 0 ? (
          <p class="quiet-text">{words.none}</p>
        ) : (
          <DataTable
            label={account.follows}
            isWide
            columns={[words.source, many.state, account.credits, words.looked, words.nextLook, '']}
            rows={rows.map((one) => [
              <a href={`/account/follows/${one.followId}`}>{one.title ?? one.sourceId}</a>,
              <FollowState follow={one} />,
              <FollowUse follow={one} />,
              one.lastLookAt === null ? null : <Time at={one.lastLookAt} />,
              one.nextLookAt === null ? null : <Time at={one.nextLookAt} />,
              <a href={`/account/follows/${one.followId}/end`}>{words.end}</a>,
            ])}
          />
        )}
        <Next href={nextBefore === null ? null : `/account/follows?before=${nextBefore}`} />
      </Row>
      <Section>
        <h2>{words.start}</h2>
        {refused === null ? null : <Note kind="bad">{refused.message}</Note>}
        <PostForm action="/account/follows" submit={words.start}>
          <Field
            id="source"
            label={words.source}
            hint={words.sourceHint}
            required
            of={createFollow.body}
            value={refused?.source ?? ''}
            placeholder="https://www.youtube.com/@…"
          />
          <Field
            id="max_credits_per_period"
            label={words.budget}
            hint={words.budgetHint}
            of={createFollow.body}
            required
            value={refused?.budget ?? '100'}
          />
          <Field id="backfill" label={words.backfill} of={createFollow.body} value="0" />
        </PostForm>
      </Section>
    </AccountPage>
  );
});
