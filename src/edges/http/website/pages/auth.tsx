import { hiddenTraps } from '../../middleware/honeypots.ts';
import { documentOf, type PageContext, Section, usePage } from '../layout.tsx';
import { EmailField, Field, NewPasswordField, Note, Once, Submit } from '../parts/form.tsx';
import { fill, number } from '../words.ts';

/** What a form could not be taken for, and the fields as they were typed (never a password). */
export type Refused = {
  readonly message: string;
  readonly fields: Readonly<Record<string, string>>;
};

/** The page to sign in on. `next`: the path to go on to. */
export const loginPage = (
  context: PageContext,
  view: {
    readonly next: string;
    readonly email: string;
    readonly wrong: string | null;
    readonly notice: string | null;
  },
): string => {
  const { auth, site } = context.words;
  return documentOf(context, {
    title: site.signIn,
    children: (
      <Section>
        <h1>{site.signIn}</h1>
        {view.notice === null ? null : <Note kind="ok">{view.notice}</Note>}
        {view.wrong === null ? null : <Note kind="bad">{view.wrong}</Note>}
        <form method="post" action="/login">
          <input type="hidden" name="next" value={view.next} />
          <EmailField value={view.email} />
          <Field id="password" label={auth.password} type="password" autocomplete="current-password" required />
          <Submit>{site.signIn}</Submit>
        </form>
        <p>
          {auth.noAccount} <a href="/register">{site.register}</a>
        </p>
        <p>
          <a href="/forgot">{auth.forgotLink}</a>
        </p>
      </Section>
    ),
  });
};

export type Challenge =
  | { readonly kind: 'puzzle'; readonly token: string; readonly question: string }
  | { readonly kind: 'provider'; readonly provider: string; readonly siteKey: string };

/** The page to make an account on, with the captcha as a sentence. */
export const registerPage = (
  context: PageContext,
  view: {
    readonly challenge: Challenge;
    readonly refused: Refused | null;
    readonly typed: { readonly email: string; readonly name: string };
    readonly freeCredits: number;
  },
): string => {
  const { auth, site, language } = context.words;
  const { challenge, refused, typed } = view;
  const wrongOf = (name: string) => refused?.fields[name] ?? null;
  return documentOf(context, {
    title: site.register,
    children: (
      <Section>
        <h1>{site.register}</h1>
        <p>{fill(auth.registerText, { credits: number(language, view.freeCredits) })}</p>
        {refused === null ? null : <Note kind="bad">{refused.message}</Note>}
        <form method="post" action="/register">
          <Once />
          <EmailField value={typed.email} wrong={wrongOf('email')} />
          <NewPasswordField wrong={wrongOf('password')} />
          <Field
            id="name"
            label={`${auth.name} (${auth.optional})`}
            autocomplete="name"
            maxlength={100}
            value={typed.name}
            wrong={wrongOf('name')}
          />
          <Puzzle challenge={challenge} wrong={wrongOf('captcha_answer')} />
          <div class="bait" aria-hidden="true">
            {hiddenTraps.map((name) => (
              <input name={name} tabindex={-1} autocomplete="off" />
            ))}
          </div>
          <Submit>{site.register}</Submit>
        </form>
        <p>
          {auth.haveAccount} <a href="/login">{site.signIn}</a>
        </p>
      </Section>
    ),
  });
};

const Puzzle = ({ challenge, wrong }: { readonly challenge: Challenge; readonly wrong: string | null }) => {
  const { auth } = usePage().words;
  if (challenge.kind === 'provider') {
    return <Note kind="warn">{fill(auth.providerNote, { provider: challenge.provider })}</Note>;
  }
  return (
    <>
      <input type="hidden" name="captcha_token" value={challenge.token} />
      <Field
        id="captcha_answer"
        label={fill(auth.question, { question: challenge.question })}
        hint={auth.questionHint}
        autocomplete="off"
        required
        maxlength={100}
        wrong={wrong}
      />
    </>
  );
};

/** Where a forgotten password leads. `isMailing`: a link is sent; else the page says whom to ask. */
export const forgotPage = (
  context: PageContext,
  {
    isMailing,
    supportContact,
    email,
    notice,
  }: {
    readonly isMailing: boolean;
    readonly supportContact: string | null;
    readonly email: string;
    readonly notice: { readonly kind: 'ok' | 'bad'; readonly text: string } | null;
  },
): string => {
  const { auth, site } = context.words;
  const ask = supportContact === null ? auth.forgot : fill(auth.forgotAsk, { contact: supportContact });
  return documentOf(context, {
    title: auth.forgotLink,
    children: (
      <Section>
        <h1>{auth.forgotLink}</h1>
        {notice === null ? null : <Note kind={notice.kind}>{notice.text}</Note>}
        {isMailing ? (
          <>
            <p>{auth.forgotText}</p>
            <form method="post" action="/forgot">
              <Once />
              <EmailField value={email} />
              <Submit>{auth.forgotSend}</Submit>
            </form>
          </>
        ) : (
          <p>{ask}</p>
        )}
        <p>
          <a href="/login">{site.signIn}</a>
        </p>
      </Section>
    ),
  });
};

/** The form behind a link that sets a new password. `token` null: the link is not good, or not any more. */
export const resetPage = (
  context: PageContext,
  { token, wrong }: { readonly token: string | null; readonly wrong: string | null },
): string => {
  const { auth, security } = context.words;
  return documentOf(context, {
    title: security.change,
    children: (
      <Section>
        <h1>{security.change}</h1>
        {token === null ? (
          <>
            <Note kind="bad">{auth.badLink}</Note>
            <p>
              <a href="/forgot">{auth.forgotLink}</a>
            </p>
          </>
        ) : (
          <form method="post" action="/reset">
            <Once />
            <input type="hidden" name="token" value={token} />
            <NewPasswordField label={security.next} more={security.changeHint} wrong={wrong} />
            <Submit>{security.change}</Submit>
          </form>
        )}
      </Section>
    ),
  });
};

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
