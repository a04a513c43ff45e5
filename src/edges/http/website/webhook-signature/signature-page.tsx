import { signatureToleranceS } from '../../../../contract/webhooks.ts';
import { documentOf, Row, usePage } from '../layout.tsx';
import { AccountPage } from '../parts/account-frame.tsx';
import { Field, Note, Submit } from '../parts/form.tsx';
import { fill, number } from '../words.ts';

export type CheckVerdict = 'good' | 'malformed' | 'noMatch' | 'trimmed' | 'old';

type CheckerView = {
  readonly typed: { readonly body: string; readonly header: string };
  readonly verdict: CheckVerdict | null;
  /** The age of the signature; a part of a minute counts as one. */
  readonly minutes: number;
};

/** Says which part of a signed delivery is wrong. */
export const checkerPage = documentOf((view: CheckerView) => {
  const { webhooks: words, language } = usePage().words;
  const minutes = number(language, view.minutes);
  const limit = number(language, signatureToleranceS / 60);
  return (
    <AccountPage title={words.checker} current="webhooks">
      <Row>
        <p>{words.checkerText}</p>
        {view.verdict === null ? null : (
          <Note kind={view.verdict === 'good' ? 'ok' : view.verdict === 'old' ? 'warn' : 'bad'}>
            {fill(words.verdict[view.verdict], { minutes, limit })}
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
