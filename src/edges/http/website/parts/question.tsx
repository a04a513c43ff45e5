import type { Route } from '../../middleware/route.ts';
import { documentOf, SectionPage, usePage } from '../layout.tsx';
import { type Definition, type PageResult, type UserRequest, userPage, type WebsiteDeps } from '../page.ts';
import { Hidden, Note, Once, PasswordField } from './form.tsx';

/** What is asked before something ends for good. */
export type Question = {
  readonly title: string;
  /** What it is about, as its owner knows it. */
  readonly named: string;
  /** What happens. */
  readonly text: string;
  readonly button: string;
  /** The page to go back to. */
  readonly back: string;
  /** Hidden fields. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly needsPassword?: boolean;
  readonly wrong?: string | null;
};

/** A question with the form that does it: nothing ends on one click. */
export const questionPage = documentOf((question: Question) => {
  const { title, named, text, button, back, hidden = {}, needsPassword = false, wrong = null } = question;
  const { words, url } = usePage();
  const [path = '/'] = url.split('?');
  return (
    <SectionPage title={title} isPrivate>
      {wrong === null ? null : <Note kind="bad">{wrong}</Note>}
      <p>
        <strong>{named}</strong>
      </p>
      <p>{text}</p>
      <form method="post" action={path}>
        <Hidden fields={Object.entries(hidden)} />
        <Once />
        {needsPassword ? <PasswordField /> : null}
        <div class="actions">
          <button type="submit" class="bad">
            {button}
          </button>
          <a href={back}>{words.questions.back}</a>
        </div>
      </form>
    </SectionPage>
  );
});

type ConfirmedForm = Pick<Definition<UserRequest>, 'again' | 'refused'> & {
  readonly ask: (request: UserRequest) => Promise<Question> | Question;
  readonly work: (request: UserRequest) => Promise<PageResult>;
};

/**
 * A form that ends something for good: GET asks, naming what it is about, and the form of that page does it.
 */
export const confirmedForm = (deps: WebsiteDeps, path: string, { ask, work, ...more }: ConfirmedForm): Route[] => [
  userPage(deps, { method: 'GET', path }, async (request) => questionPage(request.context, await ask(request))),
  userPage(deps, { method: 'POST', path, ...more }, work),
];
