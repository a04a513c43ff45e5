import { documentOf, SectionPage, usePage } from '../layout.tsx';
import { EmailField, NewPasswordField, Note, PostForm } from '../parts/form.tsx';
import { fill } from '../words.ts';

type ForgottenView = {
  readonly isMailing: boolean;
  readonly supportContact: string | null;
  readonly email: string;
  readonly notice: { readonly kind: 'ok' | 'bad'; readonly text: string } | null;
};

/** Where a forgotten password leads. `isMailing`: a link is sent; else the page says whom to ask. */
export const forgotPage = documentOf(({ isMailing, supportContact, email, notice }: ForgottenView) => {
  const { auth, site } = usePage().words;
  const ask = supportContact === null ? auth.forgot : fill(auth.forgotAsk, { contact: supportContact });
  return (
    <SectionPage title={auth.forgotLink}>
      {notice === null ? null : <Note kind={notice.kind}>{notice.text}</Note>}
      {isMailing ? (
        <>
          <p>{auth.forgotText}</p>
          <PostForm action="/forgot" submit={auth.forgotSend}>
            <EmailField value={email} />
          </PostForm>
        </>
      ) : (
        <p>{ask}</p>
      )}
      <p>
        <a href="/login">{site.signIn}</a>
      </p>
    </SectionPage>
  );
});

type ResetView = { readonly token: string | null; readonly wrong: string | null };

/** The form behind a link that sets a new password. `token` null: the link is not good, or not any more. */
export const resetPage = documentOf(({ token, wrong }: ResetView) => {
  const { auth, security } = usePage().words;
  return (
    <SectionPage title={security.change}>
      {token === null ? (
        <>
          <Note kind="bad">{auth.badLink}</Note>
          <p>
            <a href="/forgot">{auth.forgotLink}</a>
          </p>
        </>
      ) : (
        <PostForm action="/reset" submit={security.change}>
          <input type="hidden" name="token" value={token} />
          <NewPasswordField label={security.next} more={security.changeHint} wrong={wrong} />
        </PostForm>
      )}
    </SectionPage>
  );
});
