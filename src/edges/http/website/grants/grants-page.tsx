import { changeSettings } from '../../../../contract/account.ts';
import type { GrantView } from '../../../../queries.ts';
import { documentOf, Fact, Row, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { Field, PostButton, Submit } from '../parts/form.tsx';
import { TimeFact } from '../parts/times.tsx';
import { fill, labelIn, listOf, number } from '../words.ts';

type GrantsView = {
  readonly grants: readonly GrantView[];
  /** Null: no price is asked about. */
  readonly askAboveCredits: number | null;
  readonly wrong: string | null;
  readonly now: string;
};

/** The applications that an account has authorized, with what each has spent; a button ends one. */
export const grantsPage = documentOf((view: GrantsView) => {
  const { account, grants: words } = usePage().words;
  const { grants, now } = view;
  return (
    <AccountPage title={account.grants} current="grants">
      <Row>
        <p>{grants.length === 0 ? words.none : words.about}</p>
        <form method="post" action="/account/grants/settings">
          <Field
            id="ask_above_credits"
            label={words.askAbove}
            hint={words.askAboveHint}
            of={changeSettings.body}
            value={String(view.askAboveCredits ?? '')}
            wrong={view.wrong}
          />
          <Submit>{words.save}</Submit>
        </form>
      </Row>
      {grants.map((grant) => (
        <GrantRow grant={grant} now={now} />
      ))}
    </AccountPage>
  );
});

const stateOf = ({ endedAt, expiresAt }: GrantView, now: string): 'active' | 'ended' | 'expired' => {
  if (endedAt !== null) return 'ended';
  return expiresAt <= now ? 'expired' : 'active';
};

const GrantRow = ({ grant, now }: { readonly grant: GrantView; readonly now: string }) => {
  const { grants: words, consent, keys, language } = usePage().words;
  const state = stateOf(grant, now);
  const shown = (n: number) => number(language, n);
  const { creditsUsed, creditsTotal, creditsUsedToday, creditsPerDay } = grant;
  return (
    <Row>
      <p>
        <strong>{grant.clientName}</strong> {state === 'active' ? '●' : '○'} {words[state]}
      </p>
      <ul class="facts">
        <li>{fill(words.spent, { used: shown(creditsUsed), total: shown(creditsTotal) })}</li>
        <li>{fill(words.spentToday, { used: shown(creditsUsedToday), total: shown(creditsPerDay) })}</li>
        <Fact name={consent.may}>
          {listOf(
            language,
            grant.scopes.map((scope) => labelIn(consent.scopes, scope) ?? scope),
          )}
        </Fact>
        <TimeFact name={keys.created} at={grant.createdAt} />
        <TimeFact name={words.until} at={grant.expiresAt} />
      </ul>
      {state !== 'active' ? null : (
        <div class="actions">
          <PostButton action={`/account/grants/${grant.authorizationId}/end`}>{words.end}</PostButton>
        </div>
      )}
    </Row>
  );
};
