import { exampleFormat } from '../../../../contract/formats.ts';
import { longestLink } from '../../../../contract/schemas.ts';
import { transcriptPrice } from '../../../../contract/transcripts.ts';
import { Document, documentOf, Row, usePage } from '../layout.tsx';
import { Code } from '../parts/markdown.tsx';
import { priceOfLook, priceUnlessRead } from '../parts/price.ts';
import { fill, number, plural } from '../words.ts';

type HomeView = {
  /** What was pasted, where it could not be used. */
  readonly pasted: string;
  readonly wrong: string | null;
  /** Credits of a visitor today; null for an account. */
  readonly allowance: { readonly used: number; readonly limit: number } | null;
  /** Credits that an account has left; null for a visitor, or without a limit. */
  readonly remaining: number | null;
  readonly examples: readonly { readonly videoId: string; readonly title: string }[];
  /** Examples that can be read again free of charge. */
  readonly paidVideos: readonly string[];
};

/** The start page: one field, and what it costs. */
export const homePage = documentOf((view: HomeView) => {
  const { words, publicUrl } = usePage();
  const { site, home } = words;
  return (
    <Document title={site.claim}>
      <div class="section">
        <div class="row">
          <span class="at mark" aria-hidden="true">
            00:00
          </span>
          <div>
            <h1 class="claim">{site.claim}</h1>
            <p>{site.describe}</p>
            <LinkField pasted={view.pasted} wrong={view.wrong} />
            <Allowance view={view} />
          </div>
        </div>
      </div>
      {view.examples.length === 0 ? null : (
        <>
          <Row>
            <p class="quiet-text">{home.examples}</p>
          </Row>
          {view.examples.map(({ videoId, title }, index) => (
            <Row at={index + 1} isMark>
              <p>
                <a href={`/t/${videoId}`}>{title}</a>{' '}
                <span class="small quiet-text">{priceOfLook(words, view.paidVideos.includes(videoId))}</span>
              </p>
            </Row>
          ))}
        </>
      )}
      <div class="section">
        <Row at="1000+" isMark>
          <h2>{home.manyTitle}</h2>
          <p>
            {home.manyText} <a href="/many">{site.many}</a>
          </p>
        </Row>
        <Row at="GET" isMark>
          <h2>{home.apiTitle}</h2>
          <p>
            {home.apiText} <a href="/docs">{home.apiLink}</a>
          </p>
          <Code
            text={`curl "${publicUrl}/v1/transcripts/VIDEO?format=${exampleFormat}" -H "Authorization: Bearer $KEY"`}
          />
        </Row>
        <Row at="MCP" isMark>
          <h2>{home.agentsTitle}</h2>
          <p>{fill(home.agentsText, { url: `${publicUrl}/mcp` })}</p>
        </Row>
      </div>
    </Document>
  );
});

/** The one field that takes any link. It goes on without scripts: a GET that answers with a redirect. */
const LinkField = ({ pasted, wrong }: { readonly pasted: string; readonly wrong: string | null }) => {
  const { home } = usePage().words;
  return (
    <form action="/go" method="get" class="field">
      <div class="asking">
        <label for="link">{home.field}</label>
        <input
          id="link"
          name="link"
          type="text"
          inputmode="url"
          autocomplete="off"
          spellcheck={false}
          autofocus
          required
          maxlength={longestLink}
          value={pasted}
          placeholder="https://www.youtube.com/watch?v=…"
          {...(wrong === null ? {} : { 'aria-invalid': true, 'aria-describedby': 'link-wrong' })}
        />
        <button type="submit">{home.submit}</button>
      </div>
      <p class="hint">{priceUnlessRead(usePage().words)}</p>
      {wrong === null ? null : (
        <p class="wrong" id="link-wrong" role="alert">
          {wrong}
        </p>
      )}
    </form>
  );
};

const Allowance = ({ view: { allowance, remaining } }: { readonly view: HomeView }) => {
  const { language, home, tabs } = usePage().words;
  if (allowance !== null) {
    const used = number(language, allowance.used);
    const limit = number(language, allowance.limit);
    const price = plural(language, tabs.credits, transcriptPrice);
    return (
      <p class="quiet-text small">
        {fill(home.allowance, { used, limit })} {fill(home.free, { price })}
      </p>
    );
  }
  if (remaining === null) return null;
  return <p class="quiet-text small">{fill(home.allowanceAccount, { remaining: number(language, remaining) })}</p>;
};
