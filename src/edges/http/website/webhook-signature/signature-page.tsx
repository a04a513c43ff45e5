import { type PageContext, Row } from '../layout.tsx';
import { accountPage } from '../parts/account-frame.tsx';
import { Field, Note, Submit } from '../parts/form.tsx';
import { fill } from '../words.ts';

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
