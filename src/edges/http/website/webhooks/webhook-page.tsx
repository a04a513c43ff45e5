import type { DeliveryRow, ShownWebhook } from '../../../../queries.ts';
import { type PageContext, Row, usePage } from '../layout.tsx';
import { accountPage } from '../parts/account-frame.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { MadeBefore, Note, PostButton } from '../parts/form.tsx';
import { Time, written } from '../parts/times.tsx';
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
        {view.deliveries.length === 0 ? null : (
          <Row>
            <Deliveries base={base} deliveries={view.deliveries} />
          </Row>
        )}
        {view.nextBefore === null ? null : (
          <Row>
            <a href={`${base}?before=${view.nextBefore}`}>{account.next}</a>
          </Row>
        )}
      </>
    ),
  });
};

/** Deliveries side by side, each with its attempts, and a button that sends it again. */
const Deliveries = ({ base, deliveries }: { readonly base: string; readonly deliveries: readonly DeliveryRow[] }) => {
  const { account, many, webhooks: words } = usePage().words;
  const signs = { pending: '…', succeeded: '✓', failed: '✗' } as const;
  return (
    <DataTable
      label={words.deliveries}
      columns={[
        { name: account.what },
        { name: account.when },
        { name: many.state },
        { name: words.attempts },
        { name: '' },
      ]}
      groups={[
        {
          heading: null,
          rows: deliveries.map((delivery) => [
            <What delivery={delivery} />,
            <Time at={delivery.requestedAt} />,
            <span class="nowrap">
              {signs[delivery.status]} {words.status[delivery.status]}
            </span>,
            <Attempts delivery={delivery} />,
            <PostButton action={`${base}/deliveries/${delivery.deliveryId}/replay`} kind="plain">
              <span title={words.replayHint}>{words.replay}</span>
            </PostButton>,
          ]),
        },
      ]}
    />
  );
};

const What = ({ delivery: { kind, eventId, jobId } }: { readonly delivery: DeliveryRow }) => (
  <>
    <span title={eventId}>{kind}</span>{' '}
    {jobId === null ? null : <a href={`/jobs/${jobId}`}>{usePage().words.operations.job}</a>}
  </>
);

const Attempts = ({ delivery: { attempts, dueAt } }: { readonly delivery: DeliveryRow }) => {
  const { webhooks: words, language } = usePage().words;
  if (attempts.length === 0 && dueAt === null) return null;
  return (
    <details>
      <summary>{number(language, attempts.length)}</summary>
      <ul>
        {attempts.map((attempt) => (
          <li>
            <Time at={attempt.at} />:{' '}
            {attempt.httpStatus === null
              ? fill(words.notAnswered, { reason: attempt.why ?? '', ms: attempt.durationMs })
              : fill(words.answered, { status: attempt.httpStatus, ms: attempt.durationMs })}
          </li>
        ))}
        {dueAt === null ? null : <li>{fill(words.nextAt, { at: written(language, dueAt, whole) })}</li>}
      </ul>
    </details>
  );
};

const whole = { dateStyle: 'medium', timeStyle: 'short' } as const;
