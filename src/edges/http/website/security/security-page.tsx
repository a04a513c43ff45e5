import type { AccountEventView } from '../../../../queries.ts';
import { type PageContext, Row, Section, usePage } from '../layout.tsx';
import { accountPage, Time } from '../parts/account-frame.tsx';
import { EventName } from '../parts/event-name.tsx';
import { Field, NewPasswordField, Note, Once, PostButton, Submit } from '../parts/form.tsx';

export type SessionView = {
  readonly id: string;
  readonly isCurrent: boolean;
  readonly seenAt: string;
  readonly ip: string;
  /** Browser and system, in words. */
  readonly device: string;
};

export type HistoryView = Pick<AccountEventView, 'eventId' | 'type' | 'occurredAt' | 'channel'> & {
  readonly ip: string | null;
};

/** Password, sessions, a copy of the data, erasure, and what happened to the account. */
export const securityPage = (
  context: PageContext,
  view: {
    readonly sessions: readonly SessionView[];
    readonly history: readonly HistoryView[];
    readonly nextBefore: string | null;
    readonly wrong: string | null;
  },
): string => {
  const { account, security, auth, transcript } = context.words;
  return accountPage(context, {
    title: account.security,
    current: 'security',
    children: (
      <>
        {view.wrong === null ? null : (
          <Row>
            <Note kind="bad">{view.wrong}</Note>
          </Row>
        )}
        <Row>
          <h2>{security.sessions}</h2>
        </Row>
        {view.sessions.map((session) => (
          <Row at={session.ip}>
            <div class="actions">
              <span class="small">
                {session.device} · {security.seen.split('{at}')[0]}
                <Time at={session.seenAt} />
              </span>
              {session.isCurrent ? (
                <span class="badge">✓ {security.thisOne}</span>
              ) : (
                <a class="button quiet" href={`/account/security/sessions?id=${session.id}`}>
                  {security.end}
                </a>
              )}
            </div>
          </Row>
        ))}
        <Section>
          <h2>{auth.password}</h2>
          <form method="post" action="/account/security/password">
            <Once />
            <Field id="current" label={security.current} type="password" autocomplete="current-password" required />
            <NewPasswordField id="next" label={security.next} more={security.changeHint} />
            <Submit>{security.change}</Submit>
          </form>
        </Section>
        <Section>
          <h2>{security.export}</h2>
          <p>{security.exportText}</p>
          <div class="actions">
            <PostButton action="/account/security/export">{transcript.download}</PostButton>
          </div>
          <h2>{security.erase}</h2>
          <p>{security.eraseText}</p>
          <div class="actions">
            <a class="button bad" href="/account/security/erase">
              {security.erase}
            </a>
          </div>
        </Section>
        <History view={view} />
      </>
    ),
  });
};

const History = ({
  view,
}: {
  readonly view: { readonly history: readonly HistoryView[]; readonly nextBefore: string | null };
}) => {
  const { account, security } = usePage().words;
  return (
    <Section>
      <h2>{security.history}</h2>
      <section class="table-wrap" tabindex={0} aria-label={security.history}>
        <table>
          <thead>
            <tr>
              <th scope="col">{account.when}</th>
              <th scope="col">{account.what}</th>
              <th scope="col">{account.where}</th>
            </tr>
          </thead>
          <tbody>
            {view.history.map((event) => (
              <tr>
                <td>
                  <Time at={event.occurredAt} />
                </td>
                <td data-label={account.what}>
                  <EventName type={event.type} />
                </td>
                <td data-label={account.where}>
                  {event.channel ?? ''} {event.ip ?? ''}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {view.nextBefore === null ? null : (
        <p>
          <a href={`/account/security?before=${view.nextBefore}`}>{account.next}</a>
        </p>
      )}
    </Section>
  );
};
