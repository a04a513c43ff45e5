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
      <SendAfter href="/login" text={site.signIn} form={fields} />
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
    return <Way href={`/login?next=${encodeURIComponent(next)}`} text={words.site.signIn} />;
  }
  if (code === 'INSUFFICIENT_CREDITS') {
    const way =
      user === null
        ? { href: '/register', text: words.site.register }
        : { href: '/account/plans', text: errors.credits };
    return mayBeSentAgain(form) ? <SendAfter {...way} form={form} /> : <Way {...way} />;
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
      {canRetry && mayBeSentAgain(form) ? <SendAgain form={form} /> : null}
      {failure.status >= 500 ? <a href="/status">{errors.statusPage}</a> : null}
      <a href="/">{errors.home}</a>
    </div>
  );
};

/** A form that is done once, however often it is sent, and whose fields may be shown. */
const mayBeSentAgain = (form: URLSearchParams | null): form is URLSearchParams =>
  form !== null && (form.get('once') ?? '') !== '' && !hasSecretField(form);

const SendAgain = ({ form }: { readonly form: URLSearchParams }) => {
  const { words, url } = usePage();
  return (
    <form method="post" action={url}>
      <Hidden fields={[...form]} />
      <button type="submit">{words.errors.sendAgain}</button>
    </form>
  );
};

type Link = { readonly href: string; readonly text: string };

const Way = ({ href, text }: Link) => (
  <p>
    <a class="button" href={href}>
      {text}
    </a>
  </p>
);

/** What has to be done before a form is sent again, in another tab: this page keeps what was typed. */
const SendAfter = ({ href, text, form }: Link & { readonly form: URLSearchParams }) => {
  const { words, url } = usePage();
  return (
    <form method="post" action={url} class="actions">
      <Hidden fields={[...form]} />
      <a class="button" href={href} target="_blank" rel="noopener">
        {text}
      </a>
      <button type="submit" class="quiet">
        {words.errors.sendAgain}
      </button>
    </form>
  );
};
