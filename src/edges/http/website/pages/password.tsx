import { documentOf, type PageContext, Row } from '../layout.tsx';
import { Field, Note } from '../parts/form.tsx';

/** The form behind a link that sets a new password. `token` null: the link is not good, or not any more. */
export const resetPage = (
  context: PageContext,
  { token, wrong }: { readonly token: string | null; readonly wrong: string | null },
): string => {
  const { auth, security, site } = context.words;
  return documentOf(context, {
    title: security.change,
    children: (
      <div class="section">
        <Row>
          <h1>{security.change}</h1>
          {token === null ? (
            <>
              <Note kind="bad">{auth.badLink}</Note>
              <p>
                <a href="/login">{site.signIn}</a>
              </p>
            </>
          ) : (
            <form method="post" action="/reset">
              <input type="hidden" name="token" value={token} />
              <Field
                id="password"
                label={security.next}
                type="password"
                autocomplete="new-password"
                required
                minlength={8}
                maxlength={256}
                hint={`${auth.passwordHint} ${security.changeHint}`}
                wrong={wrong}
              />
              <div class="actions">
                <button type="submit">{security.change}</button>
              </div>
            </form>
          )}
        </Row>
      </div>
    ),
  });
};
