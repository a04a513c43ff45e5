import { defaultWebhookKinds } from '../../../../contract/webhook-events.ts';
import type { ShownWebhook } from '../../../../queries.ts';
import { documentOf, Row, Section, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { MadeBefore, Note, PostForm } from '../parts/form.tsx';
import { listOf } from '../words.ts';
import { Secret, WebhookFields } from './webhook-page.tsx';

export type WebhooksView = {
  readonly webhooks: readonly ShownWebhook[];
  /** Just made: shown once. */
  readonly secret: string | null;
  /** The form was sent before, and its secret is not shown again. */
  readonly isMadeBefore: boolean;
  readonly refused: { readonly message: string; readonly url: string } | null;
};

/** The receivers of an account. */
export const webhooksPage = documentOf((view: WebhooksView) => {
  const { account, keys, webhooks: words, language } = usePage().words;
  return (
    <AccountPage title={account.webhooks} current="webhooks">
      <Secret secret={view.secret} />
      {view.isMadeBefore ? <MadeBefore /> : null}
      <Row>
        {view.webhooks.length === 0 ? (
          <p>{words.none}</p>
        ) : (
          <DataTable
            label={account.webhooks}
            columns={['URL', keys.state, words.events, words.description]}
            rows={view.webhooks.map((one) => [
              <a href={`/account/webhooks/${one.webhookId}`}>{one.url}</a>,
              <span class="nowrap">{one.isActive ? `● ${words.active}` : `○ ${words.disabled}`}</span>,
              listOf(language, one.kinds),
              one.description,
            ])}
          />
        )}
      </Row>
      <Section>
        <h2>{words.register}</h2>
        {view.refused === null ? null : <Note kind="bad">{view.refused.message}</Note>}
        <PostForm action="/account/webhooks" submit={words.register}>
          <WebhookFields url={view.refused?.url ?? ''} description={null} kinds={defaultWebhookKinds} />
        </PostForm>
        <h2>{words.accountSecret}</h2>
        <p>{words.accountSecretText}</p>
        <div class="actions">
          <a class="button quiet" href="/account/webhooks/secret">
            {words.makeSecret}
          </a>
          <a href="/account/webhooks/check">{words.checker}</a>
        </div>
      </Section>
    </AccountPage>
  );
});
