import { mostCredits } from '../../../../contract/caps.ts';
import { consentFields, type OAuthScope } from '../../../../contract/oauth.ts';
import type { ConsentRequest } from '../../middleware/authorization-server.ts';
import { documentOf, type PageContext, Pair, SectionPage, usePage } from '../layout.tsx';
import { Check, Field, Note } from '../parts/form.tsx';
import { fill, listOf, number } from '../words.ts';

type ConsentFieldName = 'credits_per_day' | 'credits_total' | 'expires_at' | 'scope';

export type ConsentView = {
  readonly request: ConsentRequest;
  /** The names of the tools that each scope allows. */
  readonly toolsOf: (scope: OAuthScope) => readonly string[];
  /** What is in the fields. */
  readonly values: Readonly<Record<Exclude<ConsentFieldName, 'scope'>, string>>;
  readonly scopes: readonly string[];
  readonly wrong: readonly ConsentFieldName[];
  /** The earliest day on which an authorization may end, `YYYY-MM-DD`. */
  readonly today: string;
};

/** Where a user agrees to what an application may do: a budget, and until when. */
export const consentPage = documentOf((view: ConsentView) => {
  const context = usePage();
  const { consent: words, language } = context.words;
  const { request, values, wrong, today } = view;
  const { clientName: name, redirectUri } = request;
  const title = fill(words.title, { name });
  const [path = '/'] = context.url.split('?');
  const credits = fill(words.wrongCredits, { max: number(language, mostCredits) });
  const budgets = [
    ['credits_per_day', words.perDay],
    ['credits_total', words.total],
  ] as const;
  const wrongOf = (field: ConsentFieldName, text: string) => (wrong.includes(field) ? text : null);
  return (
    <SectionPage title={title} isPrivate>
      {wrong.length === 0 ? null : <Note kind="bad">{words.wrong}</Note>}
      <p>{words.unverified}</p>
      <dl class="pairs">
        <Pair name={words.returnsTo}>
          <code>{hostIn(redirectUri)}</code>
        </Pair>
        <Pair name={words.client}>
          <code>{request.clientId}</code>
        </Pair>
      </dl>
      <form method="post" action={path}>
        <Scopes view={view} context={context} />
        {budgets.map(([name, label]) => (
          <Field
            id={name}
            label={label}
            of={consentFields}
            required
            value={values[name]}
            wrong={wrongOf(name, credits)}
          />
        ))}
        <Field
          id="expires_at"
          label={words.until}
          hint={words.untilHint}
          type="date"
          required
          value={values.expires_at}
          wrong={wrongOf('expires_at', fill(words.wrongDate, { today }))}
        />
        <p>{words.end}</p>
        <div class="actions">
          <button type="submit" name="decision" value="allow">
            {words.allow}
          </button>
          <button type="submit" name="decision" value="deny" class="quiet" formnovalidate>
            {words.deny}
          </button>
        </div>
      </form>
    </SectionPage>
  );
});

const Scopes = ({ view, context }: { readonly view: ConsentView; readonly context: PageContext }) => {
  const { consent: words } = context.words;
  const { request, scopes, toolsOf, wrong } = view;
  return (
    <fieldset class="field">
      <legend>{words.may}</legend>
      {wrong.includes('scope') ? <p class="wrong">{words.wrongScope}</p> : null}
      {request.scopes.map((scope) => (
        <Check name="scope" value={scope} isChecked={scopes.includes(scope)}>
          <span>
            {words.scopes[scope]}
            {toolsOf(scope).length === 0 ? null : (
              <span class="hint"> {fill(words.tools, { tools: listOf(context.words.language, toolsOf(scope)) })}</span>
            )}
          </span>
        </Check>
      ))}
    </fieldset>
  );
};

/** Where an answer goes, as people know a place: the host, or the scheme by which a program is called. */
const hostIn = (redirectUri: string): string => {
  const { host, protocol } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? host : `${protocol}${host === '' ? '' : `//${host}`}`;
};

/** A request of an application that cannot be answered to it: whether it is the one that it says is not known. */
export const refusedRequestPage = documentOf((description: string) => {
  const { consent: words } = usePage().words;
  return (
    <SectionPage title={words.refused} isPrivate at="400">
      <p>{words.refusedText}</p>
      <p>
        <code lang="en">{description}</code>
      </p>
    </SectionPage>
  );
});
