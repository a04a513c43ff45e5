import type { Commands } from '../../../../commands.ts';
import { registerAccount } from '../../../../contract/sign-in.ts';
import { hiddenTraps } from '../../middleware/honeypots.ts';
import { documentOf, SectionPage, usePage } from '../layout.tsx';
import { EmailField, Field, NewPasswordField, Note, PostForm } from '../parts/form.tsx';
import type { FormRefusal } from '../refusal-text.ts';
import { fill, number } from '../words.ts';

type RegistrationView = {
  readonly challenge: ReturnType<Commands['captchaChallenge']>;
  readonly refused: FormRefusal | null;
  readonly typed: { readonly email: string; readonly name: string };
  /** Name of the plan that a new account has. */
  readonly freePlan: string;
  readonly freeCredits: number;
};

/** The page to make an account on, with the captcha as a sentence. */
export const registerPage = documentOf((view: RegistrationView) => {
  const { auth, site, language } = usePage().words;
  const { challenge, refused, typed } = view;
  const wrongOf = (name: string) => refused?.fields[name] ?? null;
  return (
    <SectionPage title={site.register}>
      <p>{fill(auth.registerText, { plan: view.freePlan, credits: number(language, view.freeCredits) })}</p>
      {refused === null ? null : <Note kind="bad">{refused.message}</Note>}
      <PostForm action="/register" submit={site.register}>
        <EmailField value={typed.email} wrong={wrongOf('email')} />
        <NewPasswordField wrong={wrongOf('password')} />
        <Field
          id="name"
          label={`${auth.name} (${auth.optional})`}
          autocomplete="name"
          of={registerAccount.body}
          value={typed.name}
          wrong={wrongOf('name')}
        />
        <Puzzle challenge={challenge} wrong={wrongOf('captcha_answer')} />
        <div class="bait" aria-hidden="true">
          {hiddenTraps.map((name) => (
            <input name={name} tabindex={-1} autocomplete="off" />
          ))}
        </div>
      </PostForm>
      <p>
        {auth.haveAccount} <a href="/login">{site.signIn}</a>
      </p>
    </SectionPage>
  );
});

const Puzzle = ({ challenge, wrong }: Pick<RegistrationView, 'challenge'> & { readonly wrong: string | null }) => {
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
        wrong={wrong}
      />
    </>
  );
};
