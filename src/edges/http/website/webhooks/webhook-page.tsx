import { webhookKinds } from '../../../../contract/webhook-events.ts';
import { register, secretOverlapHours } from '../../../../contract/webhooks.ts';
import type { DeliveryOrder, DeliveryRow, Page, ShownWebhook } from '../../../../queries.ts';
import { documentOf, Row, Section, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { DataTable, Next } from '../parts/data-table.tsx';
import { Check, Field, MadeBefore, Note, PostButton, PostForm } from '../parts/form.tsx';
import { type ListSort, nextAddress, sortIn } from '../parts/sorting.ts';
import { StateFilter } from '../parts/state-filter.tsx';
import { Time } from '../parts/times.tsx';
import { fill, hours, listOf, number } from '../words.ts';

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

/** What the owner of a receiver chooses. */
export const WebhookFields = ({ url, description, kinds }: Pick<ShownWebhook, 'url' | 'description' | 'kinds'>) => {
  const { webhooks: words } = usePage().words;
  return (
    <>
      <Field
        id="url"
        label={words.url}
        type="url"
        required
        of={register.body}
        value={url}
        placeholder="https://example.com/hooks/steno"
      />
      <Field id="description" label={words.description} of={register.body} value={description ?? ''} />
      <fieldset class="field">
        <legend>{words.events}</legend>
        {webhookKinds.map((kind) => (
          <Check name="events" value={kind} isChecked={kinds.includes(kind)}>
            {kind}
          </Check>
        ))}
      </fieldset>
    </>
  );
};

/** The order of the deliveries at an address. */
export const deliverySort = (address: string): ListSort<DeliveryOrder['by']> =>
  sortIn<DeliveryOrder['by']>(
    address,
    { kind: 'ascending', requested: 'descending', attempts: 'descending' },
    'requested',
  );

export type WebhookView = {
  readonly webhook: ShownWebhook;
  /** Of the page with its parameters, also where it answers a form. */
  readonly address: string;
  readonly deliveries: Page<DeliveryRow>;
  /** Only deliveries of this status are listed; null: all. */
  readonly status: string | null;
  readonly secret: string | null;
  readonly isMadeBefore: boolean;
  readonly notice: string | null;
  readonly refused: string | null;
};

/** One receiver with its deliveries and every attempt. */
export const webhookPage = documentOf((view: WebhookView) => {
  const { site, grants, webhooks: words, language } = usePage().words;
  const { webhook } = view;
  const base = `/account/webhooks/${webhook.webhookId}`;
  return (
    <AccountPage title={webhook.url} isAddress current="webhooks">
      <Secret secret={view.secret} />
      {view.isMadeBefore ? <MadeBefore /> : null}
      <Row>
        {view.notice === null ? null : <Note kind="ok">{view.notice}</Note>}
        {view.refused === null ? null : <Note kind="bad">{view.refused}</Note>}
        <ul class="facts">
          <li>
            {webhook.isActive
              ? `● ${words.active}`
              : `○ ${words.disabled}${
                  webhook.disabledReason === null ? '' : `${site.colon}${words.reason[webhook.disabledReason]}`
                }`}
          </li>
          <li>{listOf(language, webhook.kinds)}</li>
          {webhook.description === null ? null : <li>{webhook.description}</li>}
        </ul>
        <div class="actions">
          <PostButton action={`${base}/test`}>{words.test}</PostButton>
          <a
            class="button quiet"
            href={`${base}/rotate`}
            title={fill(words.rotateHint, { overlap: hours(language, secretOverlapHours) })}
          >
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
        {view.deliveries.rows.length === 0 && view.status === null ? (
          <p class="quiet-text">{words.noDeliveries}</p>
        ) : (
          <StateFilter address={view.address} label={words.deliveries} states={words.status} current={view.status} />
        )}
      </Row>
      {view.deliveries.rows.length === 0 ? null : (
        <Row>
          <Deliveries base={base} {...view} />
          <Next href={nextAddress(view.address, view.deliveries.nextBefore)} />
          {webhook.isActive ? (
            <PostForm action={`${base}/recover`} submit={words.replay}>
              <Field id="since" label={words.recover} type="date" required hint={words.replayHint} />
            </PostForm>
          ) : null}
        </Row>
      )}
      <Section>
        <h2>{words.edit}</h2>
        <PostForm action={`${base}/edit`} submit={grants.save}>
          <WebhookFields {...webhook} />
        </PostForm>
      </Section>
    </AccountPage>
  );
});

type DeliveryList = Pick<WebhookView, 'address' | 'deliveries'> & { readonly base: string };

/** Deliveries side by side, each with its attempts, and a button that sends it again. */
const Deliveries = ({ base, address, deliveries }: DeliveryList) => {
  const { links } = deliverySort(address);
  const { account, many, webhooks: words } = usePage().words;
  const signs = { pending: '…', succeeded: '✓', failed: '✗' } as const;
  return (
    <DataTable
      label={words.deliveries}
      columns={[
        { name: account.what, sort: links.kind },
        { name: account.when, sort: links.requested },
        many.state,
        { name: words.attempts, sort: links.attempts },
        '',
      ]}
      rows={deliveries.rows.map((delivery) => [
        <What delivery={delivery} />,
        <Time at={delivery.requestedAt} hasUtc />,
        <span class="nowrap">
          {signs[delivery.status]} {words.status[delivery.status]}
        </span>,
        <Attempts delivery={delivery} />,
        <PostButton action={`${base}/deliveries/${delivery.deliveryId}/replay`} kind="plain">
          <span title={words.replayHint}>{words.replay}</span>
        </PostButton>,
      ])}
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
  const [before, after] = words.nextAt.split('{at}');
  return (
    <details>
      <summary>{number(language, attempts.length)}</summary>
      <ul>
        {attempts.map((attempt) => (
          <li>
            <Time at={attempt.at} hasUtc />:{' '}
            {attempt.httpStatus === null
              ? fill(words.notAnswered, { reason: attempt.why ?? '', ms: attempt.durationMs })
              : fill(words.answered, { status: attempt.httpStatus, ms: attempt.durationMs })}
          </li>
        ))}
        {dueAt === null ? null : (
          <li>
            {before}
            <Time at={dueAt} hasUtc />
            {after}
          </li>
        )}
      </ul>
    </details>
  );
};
