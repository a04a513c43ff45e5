import type { DeliveryRow, ShownWebhook } from '../../../../queries.ts';
import { type PageContext, Row, usePage } from '../layout.tsx';
import { accountPage, Time } from '../parts/account-frame.tsx';
import { MadeBefore, Note, PostButton } from '../parts/form.tsx';
import { fill, number } from '../words.ts';

export const Secret = ({ secret }: { readonly secret: string | null }) => {
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
