import { documentOf, Row, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { Field, Note, Submit } from '../parts/form.tsx';
import { fill } from '../words.ts';

export type CheckVerdict = 'good' | 'malformed' | 'noMatch' | 'trimmed' | 'old';

type CheckerView = {
  readonly typed: { readonly body: string; readonly header: string };
  readonly verdict: CheckVerdict | null;
  readonly minutes: number;
};

/** Says which part of a signed delivery is wrong. */
export const checkerPage = documentOf((view: CheckerView) => {
  const { webhooks: words } = usePage().words;
  return (
    <AccountPage title={words.checker} current="webhooks">
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
    </AccountPage>
  );
});
