import type { GrantView } from '../../../../queries.ts';
import { type PageContext, Row, usePage } from '../layout.tsx';
import { accountPage } from '../parts/account-frame.tsx';
import { PostButton } from '../parts/form.tsx';
import { Time } from '../parts/times.tsx';
import { fill, labelIn, number } from '../words.ts';

/** The applications that an account has authorized, with what each has spent; a button ends one. */
export const grantsPage = (
  context: PageContext,
  { grants, now }: { readonly grants: readonly GrantView[]; readonly now: string },
): string => {
  const { account, grants: words } = context.words;
  return accountPage(context, {
    title: account.grants,
    current: 'grants',
    children: (
      <>
        <Row>
          <p>{grants.length === 0 ? words.none : words.about}</p>
        </Row>
        {grants.map((grant) => (
          <GrantRow grant={grant} now={now} />
        ))}
      </>
    ),
  });
};

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
    <Row at={`${state === 'active' ? '●' : '○'} ${words[state]}`}>
      <p>
        <strong>{grant.clientName}</strong>
      </p>
      <ul class="facts">
        <li>{fill(words.spent, { used: shown(creditsUsed), total: shown(creditsTotal) })}</li>
        <li>{fill(words.spentToday, { used: shown(creditsUsedToday), total: shown(creditsPerDay) })}</li>
        <li>
          {consent.may}: {grant.scopes.map((scope) => labelIn(consent.scopes, scope) ?? scope).join(', ')}
        </li>
        <li>
          {keys.created}: <Time at={grant.createdAt} />
        </li>
        <li>
          {words.until}: <Time at={grant.expiresAt} />
        </li>
      </ul>
      {state !== 'active' ? null : (
        <div class="actions">
          <PostButton action={`/account/grants/${grant.authorizationId}/end`}>{words.end}</PostButton>
        </div>
      )}
    </Row>
  );
};
