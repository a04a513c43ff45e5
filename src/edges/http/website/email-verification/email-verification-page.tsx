import { documentOf, type PageContext, Section } from '../layout.tsx';
import { Note, Once, Submit } from '../parts/form.tsx';

/** The page behind a link that proves a mailbox. */
export const mailboxPage = (
  context: PageContext,
  state: { readonly kind: 'ask'; readonly token: string } | { readonly kind: 'proved' } | { readonly kind: 'bad' },
): string => {
  const { account, auth } = context.words;
  return documentOf(context, {
    title: auth.proveTitle,
    children: (
      <Section>
        <h1>{auth.proveTitle}</h1>
        {state.kind === 'ask' ? (
          <form method="post" action="/mailbox">
            <Once />
            <input type="hidden" name="token" value={state.token} />
            <Submit>{auth.proveButton}</Submit>
          </form>
        ) : (
          <>
            {state.kind === 'proved' ? <Note kind="ok">{auth.proved}</Note> : <Note kind="bad">{auth.badLink}</Note>}
            <p>
              <a href="/account">{account.menu}</a>
            </p>
          </>
        )}
      </Section>
    ),
  });
};
