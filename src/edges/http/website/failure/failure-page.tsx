import type { Failure } from '../../middleware/error-response.ts';
import { hasSecretField } from '../answer-form-once.ts';
import { Document, documentOf, Pair, Row, SectionPage, usePage } from '../layout.tsx';
import { Hidden } from '../parts/form.tsx';
import { priceUnlessRead } from '../parts/price.ts';
import { addressWith } from '../parts/sorting.ts';
import { refusalText } from '../refusal-text.ts';
import { fill, languageName, number } from '../words.ts';

type FailedRequest = {
  readonly requestId: string;
  readonly method: string;
  /** Null: none was read. */
  readonly form: URLSearchParams | null;
};

/** What a page shows in place of what was asked for: what happened, its code, and the next step. */
export const failurePage = documentOf((failure: Failure, request: FailedRequest) => {
  const context = usePage();
  const { errors } = context.words;
  const { code, status } = failure;
  const title = code === 'NOT_FOUND' ? errors.notFound : errors.title;
  return (
    <Document title={title} isPrivate>
      <div class="section">
        <Row at={status}>
          <h1>{title}</h1>
          <p>
            {code === 'INSUFFICIENT_CREDITS' && context.user === null
              ? errors.creditsVisitor
              : refusalText(context.words, failure)}
          </p>
          <NextStep failure={failure} {...request} />
        </Row>
        <Row>
          <dl class="pairs small">
            <Pair name={errors.code}>
              <a href={`/docs/errors/${code}`} title={errors.about}>
                <code>{code}</code>
              </a>
            </Pair>
            <Pair name={errors.requestId}>
              <code>{request.requestId}</code>
            </Pair>
          </dl>
        </Row>
      </div>
    </Document>
  );
});

/** A form whose sender is no longer signed in: what was typed is kept in this page, and sent again from it. */
export const signedOutPage = documentOf((fields: URLSearchParams) => {
  const context = usePage();
  const { errors, site } = context.words;
  return (
    <SectionPage title={errors.signedOut} isPrivate at="401">
      <p>{errors.signedOutText}</p>
      <form method="post" action={context.url} class="actions">
        <Hidden fields={[...fields]} />
        <a class="button" href="/login" target="_blank" rel="noopener">
          {site.signIn}
        </a>
        <button type="submit" class="quiet">
          {errors.sendAgain}
        </button>
      </form>
    </SectionPage>
  );
});

/** The one thing that helps with this failure. */
const NextStep = ({ failure, method, form }: FailedRequest & { readonly failure: Failure }) => {
  const { words, url, user } = usePage();
  const { errors } = words;
  const { code, details, retryAfterS } = failure;
  if (code === 'LANGUAGE_NOT_AVAILABLE') {
    const available = (details?.['available'] ?? []) as readonly unknown[];
    return (
      <>
        <p>{errors.languages}</p>
        <div class="actions">
          {available.map(String).map((language) => (
            <a class="button quiet" href={addressWith(url, { lang: language })} hreflang={language}>
              {languageName(words.language, language)} ({language}) · {priceUnlessRead(words)}
            </a>
          ))}
        </div>
      </>
    );
  }
  if (code === 'UNAUTHENTICATED') {
    const next = method === 'GET' ? url : '/account';
    return <Way href={`/login?next=${encodeURIComponent(next)}`} text={words.site.signIn} form={form} />;
  }
  if (code === 'INSUFFICIENT_CREDITS') {
    return user === null ? (
      <Way href="/register" text={words.site.register} form={form} />
    ) : (
      <Way href="/account/plans" text={errors.credits} form={form} />
    );
  }
  const canRetry = retryAfterS !== null || failure.status >= 500;
  return (
    <div class="actions">
      {retryAfterS === null ? null : (
        <x-countdown data-seconds={retryAfterS} data-text={errors.retryIn}>
          {fill(errors.retryIn, { seconds: number(words.language, retryAfterS) })}
        </x-countdown>
      )}
      {canRetry && method === 'GET' ? (
        <a class="button" href={url}>
          {errors.retry}
          {url.startsWith('/t/') ? ` · ${priceUnlessRead(words)}` : null}
        </a>
      ) : null}
      {canRetry ? <SendAgain form={form} /> : null}
      {failure.status >= 500 ? <a href="/status">{errors.statusPage}</a> : null}
      <a href="/">{errors.home}</a>
    </div>
  );
};

/** Sends a form again as it was: one that is done once, however often it is sent, and whose fields may be shown. */
const SendAgain = ({ form }: Pick<FailedRequest, 'form'>) => {
  const { words, url } = usePage();
  if (form === null || (form.get('once') ?? '') === '' || hasSecretField(form)) return null;
  return (
    <form method="post" action={url}>
      <Hidden fields={[...form]} />
      <button type="submit">{words.errors.sendAgain}</button>
    </form>
  );
};

/** Where the reason of the failure is removed; the form is sent again after that. */
const Way = ({ href, text, form }: Pick<FailedRequest, 'form'> & { readonly href: string; readonly text: string }) => (
  <div class="actions">
    <a class="button" href={href}>
      {text}
    </a>
    <SendAgain form={form} />
  </div>
);
