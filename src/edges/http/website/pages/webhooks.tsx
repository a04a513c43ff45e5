import { webhookKinds } from '../../../../contract/webhook-events.ts';
import type { DeliveryRow, ShownWebhook } from '../../../../queries.ts';
import { type PageContext, Row, Section, usePage } from '../layout.tsx';
import { Field, MadeBefore, Note, Once, PostButton, Submit } from '../parts/form.tsx';
import { fill, number } from '../words.ts';
import { accountPage, Time } from './account-frame.tsx';

export type WebhooksView = {
  readonly webhooks: readonly ShownWebhook[];
  /** Just made: shown once. */
  readonly secret: string | null;
  /** The form was sent before, and its secret is not shown again. */
  readonly isMadeBefore: boolean;
  readonly refused: { readonly message: string; readonly url: string } | null;
};

/** The receivers of an account. */
export const webhooksPage = (context: PageContext, view: WebhooksView): string => {
  const { account, webhooks: words } = context.words;
  return accountPage(context, {
    title: account.webhooks,
    current: 'webhooks',
    children: (
      <>
        <Secret secret={view.secret} />
        {view.isMadeBefore ? <MadeBefore /> : null}
        {view.webhooks.length === 0 ? (
          <Row>
            <p>{words.none}</p>
          </Row>
        ) : null}
        {view.webhooks.map((one) => (
          <Row at={one.isActive ? `● ${words.active}` : `○ ${words.disabled}`}>
            <p>
              <a href={`/account/webhooks/${one.webhookId}`}>{one.url}</a>{' '}
              <span class="quiet-text small">
                {one.kinds.join(', ')} {one.description ?? ''}
              </span>
            </p>
          </Row>
        ))}
        <Section>
          <h2>{words.register}</h2>
          {view.refused === null ? null : <Note kind="bad">{view.refused.message}</Note>}
          <form method="post" action="/account/webhooks">
            <Once />
            <Field
              id="url"
              label={words.url}
              type="url"
              required
              maxlength={2048}
              value={view.refused?.url ?? ''}
              placeholder="https://example.com/hooks/steno"
            />
            <Field id="description" label={words.description} maxlength={200} />
            <fieldset class="field">
              <legend>{words.events}</legend>
              {webhookKinds.map((kind) => (
                <label class="check">
                  <input type="checkbox" name="events" value={kind} checked />
                  {kind}
                </label>
              ))}
            </fieldset>
            <Submit>{words.register}</Submit>
          </form>
          <h2>{words.accountSecret}</h2>
          <p>{words.accountSecretText}</p>
          <div class="actions">
            <a class="button quiet" href="/account/webhooks/secret">
              {words.makeSecret}
            </a>
            <a href="/account/webhooks/check">{words.checker}</a>
          </div>
        </Section>
      </>
    ),
  });
};

const Secret = ({ secret }: { readonly secret: string | null }) => {
  const { webhooks: words, keys, transcript } = usePage().words;
  return secret === null ? null : (
    <Row>
      <Note kind="warn">
        <p>{words.secretOnce}</p>
        <pre tabindex={0}>
          <code id="secret">{secret}</code>
        </pre>
        <x-copy data-what="secret" data-done={transcript.copied} hidden>
          <button type="button">{keys.copy}</button>
        </x-copy>
      </Note>
    </Row>
  );
};

export type WebhookView = {
  readonly webhook: ShownWebhook;
  readonly deliveries: readonly DeliveryRow[];
  readonly nextBefore: string | null;
  readonly secret: string | null;
  readonly isMadeBefore: boolean;
  readonly notice: string | null;
};

/** One receiver with its deliveries and every attempt. */
export const webhookPage = (context: PageContext, view: WebhookView): string => {
  const { account, webhooks: words } = context.words;
  const { webhook } = view;
  const base = `/account/webhooks/${webhook.webhookId}`;
  return accountPage(context, {
    title: webhook.url,
    current: 'webhooks',
    children: (
      <>
        <Secret secret={view.secret} />
        {view.isMadeBefore ? <MadeBefore /> : null}
        <Row>
          {view.notice === null ? null : <Note kind="ok">{view.notice}</Note>}
          <ul class="facts">
            <li>
              {webhook.isActive
                ? `● ${words.active}`
                : `○ ${words.disabled}${
                    webhook.disabledReason === null ? '' : `: ${words.reason[webhook.disabledReason]}`
                  }`}
            </li>
            <li>{webhook.kinds.join(', ')}</li>
            {webhook.description === null ? null : <li>{webhook.description}</li>}
          </ul>
          <div class="actions">
            <PostButton action={`${base}/test`}>{words.test}</PostButton>
            <a class="button quiet" href={`${base}/rotate`} title={words.rotateHint}>
              {words.rotate}
            </a>
            <PostButton action={`${base}/${webhook.isActive ? 'disable' : 'enable'}`}>
              {webhook.isActive ? words.disable : words.enable}
            </PostButton>
            <a class="button bad" href={`${base}/remove`}>
              {words.remove}
            </a>
          </div>
          <h2>{words.deliveries}</h2>
          {view.deliveries.length === 0 ? <p class="quiet-text">{words.noDeliveries}</p> : null}
        </Row>
        {view.deliveries.map((delivery) => (
          <Delivery base={base} delivery={delivery} />
        ))}
        {view.nextBefore === null ? null : (
          <Row>
            <a href={`${base}?before=${view.nextBefore}`}>{account.next}</a>
          </Row>
        )}
      </>
    ),
  });
};

const Delivery = ({ base, delivery }: { readonly base: string; readonly delivery: DeliveryRow }) => {
  const { webhooks: words, operations, language } = usePage().words;
  const signs = { pending: '…', succeeded: '✓', failed: '✗' } as const;
  return (
    <Row at={`${signs[delivery.status]} ${words.status[delivery.status]}`}>
      <details>
        <summary>
          {delivery.kind} · <Time at={delivery.requestedAt} /> · {words.attempts}:{' '}
          {number(language, delivery.attempts.length)}
        </summary>
        <ul>
          {delivery.attempts.map((attempt) => (
            <li>
              <Time at={attempt.at} />:{' '}
              {attempt.httpStatus === null
                ? fill(words.notAnswered, {
                    reason: attempt.why ?? '',
                    ms: attempt.durationMs,
                  })
                : fill(words.answered, { status: attempt.httpStatus, ms: attempt.durationMs })}
            </li>
          ))}
          {delivery.dueAt === null ? null : <li>{fill(words.nextAt, { at: delivery.dueAt })}</li>}
        </ul>
        <p class="small">
          <code>{delivery.eventId}</code>{' '}
          {delivery.jobId === null ? null : (
            <a href={`/jobs/${delivery.jobId}`}>
              {operations.job} {delivery.jobId}
            </a>
          )}
        </p>
        <PostButton action={`${base}/deliveries/${delivery.deliveryId}/replay`}>
          <span title={words.replayHint}>{words.replay}</span>
        </PostButton>
      </details>
    </Row>
  );
};

export type CheckVerdict = 'good' | 'malformed' | 'noMatch' | 'trimmed' | 'old';

/** Says which part of a signed delivery is wrong. */
export const checkerPage = (
  context: PageContext,
  view: {
    readonly typed: { readonly body: string; readonly header: string };
    readonly verdict: CheckVerdict | null;
    readonly minutes: number;
  },
): string => {
  const { webhooks: words } = context.words;
  return accountPage(context, {
    title: words.checker,
    current: 'webhooks',
    children: (
      <Row>
        <p>{words.checkerText}</p>
        {view.verdict === null ? null : (
          <Note kind={view.verdict === 'good' ? 'ok' : view.verdict === 'old' ? 'warn' : 'bad'}>
            {fill(words.verdict[view.verdict], { minutes: view.minutes })}
          </Note>
        )}
        <form method="post" action="/account/webhooks/check">
          <Field id="body" label={words.body}>
            <textarea id="body" name="body" spellcheck={false} required>
              {view.typed.body}
            </textarea>
          </Field>
          <Field id="header" label={words.header} required value={view.typed.header} placeholder="t=1767225600,v1=…" />
          <Field id="secret" label={words.checkerSecret} type="password" required />
          <Submit>{words.check}</Submit>
        </form>
      </Row>
    ),
  });
};
