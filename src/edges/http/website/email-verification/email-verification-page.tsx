import { documentOf, SectionPage, usePage } from '../layout.tsx';
import { Note, PostForm } from '../parts/form.tsx';

type MailboxView =
  | { readonly kind: 'ask'; readonly token: string }
  | { readonly kind: 'proved' }
  | { readonly kind: 'bad' };

/** The page behind a link that proves a mailbox. */
export const mailboxPage = documentOf((state: MailboxView) => {
  const { account, auth } = usePage().words;
  return (
    <SectionPage title={auth.proveTitle}>
      {state.kind === 'ask' ? (
        <PostForm action="/mailbox" submit={auth.proveButton}>
          <input type="hidden" name="token" value={state.token} />
        </PostForm>
      ) : (
        <>
          {state.kind === 'proved' ? <Note kind="ok">{auth.proved}</Note> : <Note kind="bad">{auth.badLink}</Note>}
          <p>
            <a href="/account">{account.menu}</a>
          </p>
        </>
      )}
    </SectionPage>
  );
});
