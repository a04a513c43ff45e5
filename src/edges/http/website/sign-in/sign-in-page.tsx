import { documentOf, SectionPage, usePage } from '../layout.tsx';
import { EmailField, Note, PasswordField, Submit } from '../parts/form.tsx';

type SignInView = {
  readonly next: string;
  readonly email: string;
  readonly wrong: string | null;
  readonly notice: string | null;
};

/** The page to sign in on. `next`: the path to go on to. */
export const loginPage = documentOf((view: SignInView) => {
  const { auth, site } = usePage().words;
  return (
    <SectionPage title={site.signIn}>
      {view.notice === null ? null : <Note kind="ok">{view.notice}</Note>}
      {view.wrong === null ? null : <Note kind="bad">{view.wrong}</Note>}
      <form method="post" action="/login">
        <input type="hidden" name="next" value={view.next} />
        <EmailField value={view.email} />
        <PasswordField />
        <Submit>{site.signIn}</Submit>
      </form>
      <p>
        {auth.noAccount} <a href="/register">{site.register}</a>
      </p>
      <p>
        <a href="/forgot">{auth.forgotLink}</a>
      </p>
    </SectionPage>
  );
});
