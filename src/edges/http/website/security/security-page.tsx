import type { Commands } from '../../../../commands.ts';
import type { AccountEventView } from '../../../../queries.ts';
import { documentOf, Row, Section, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { DataTable, Next } from '../parts/data-table.tsx';
import { EventName } from '../parts/event-name.tsx';
import { Field, NewPasswordField, Note, PostButton, PostForm } from '../parts/form.tsx';
import { paged, sorted } from '../parts/sorting.ts';
import { Time } from '../parts/times.tsx';
import { deviceName } from './device-name.ts';

type SecurityView = {
  readonly sessions: Awaited<ReturnType<Commands['openSessions']>>;
  /** The session of this browser. */
  readonly currentId: string | undefined;
  readonly history: readonly AccountEventView[];
  /** Where requests came from, by their ids. */
  readonly ips: ReadonlyMap<string, string>;
  readonly nextBefore: string | null;
  readonly wrong: string | null;
};

/** Password, sessions, a copy of the data, erasure, and what happened to the account. */
export const securityPage = documentOf((view: SecurityView) => {
  const { account, security, auth, transcript } = usePage().words;
  return (
    <AccountPage title={account.security} current="security">
      {view.wrong === null ? null : (
        <Row>
          <Note kind="bad">{view.wrong}</Note>
        </Row>
      )}
      <Row>
        <h2>{security.sessions}</h2>
        <Sessions {...view} />
      </Row>
      <Section>
        <h2>{auth.password}</h2>
        <PostForm action="/account/security/password" submit={security.change}>
          <Field id="current" label={security.current} type="password" autocomplete="current-password" required />
          <NewPasswordField id="next" label={security.next} more={security.changeHint} />
        </PostForm>
      </Section>
      <Section>
        <h2>{security.export}</h2>
        <p>{security.exportText}</p>
        <div class="actions">
          <PostButton action="/account/security/export">{transcript.download}</PostButton>
        </div>
      </Section>
      <History {...view} />
      <Section>
        <div class="note bad">
          <h2>{security.erase}</h2>
          <p>{security.eraseText}</p>
          <div class="actions">
            <a class="button bad" href="/account/security/erase">
              {security.erase}
            </a>
          </div>
        </div>
      </Section>
    </AccountPage>
  );
});

/** Where the account is signed in, this browser with a mark. */
const Sessions = ({ sessions, currentId }: SecurityView) => {
  const page = usePage();
  const { account, security } = page.words;
  const { rows, links } = sorted(page, sessions, {
    browser: ({ userAgent }) => deviceName(security, userAgent),
    place: ({ ip }) => ip,
    seen: ({ renewedAt }) => renewedAt.getTime(),
  });
  const shown = paged(page.url, rows);
  return (
    <>
      <DataTable
        label={security.sessions}
        columns={[
          { name: security.browser, sort: links.browser },
          { name: account.where, sort: links.place },
          { name: security.lastSeen, sort: links.seen },
          '',
        ]}
        rows={shown.rows.map(({ sessionId, userAgent, ip, renewedAt }) => [
          deviceName(security, userAgent),
          ip,
          <Time at={renewedAt.toISOString()} />,
          sessionId === currentId ? (
            <span class="badge">✓ {security.thisOne}</span>
          ) : (
            <a href={`/account/security/sessions?id=${sessionId}`}>{security.end}</a>
          ),
        ])}
      />
      <Next href={shown.next} />
    </>
  );
};

const History = ({ history, ips, nextBefore }: SecurityView) => {
  const { account, security } = usePage().words;
  return (
    <Section>
      <h2>{security.history}</h2>
      <DataTable
        label={security.history}
        columns={[account.when, account.what, account.where]}
        rows={history.map(({ occurredAt, type, channel, requestId }) => [
          <Time at={occurredAt} />,
          <EventName type={type} />,
          `${channel ?? ''} ${channel === 'web' ? (ips.get(requestId ?? '') ?? '') : ''}`.trim(),
        ])}
      />
      <Next href={nextBefore === null ? null : `/account/security?before=${nextBefore}`} />
    </Section>
  );
};
