import { STATUS_CODES } from 'node:http';
import { Document, documentOf, Pair, Row, usePage } from '../layout.tsx';
import { Code, Markdown } from '../parts/markdown.tsx';
import { fill } from '../words.ts';
import type { ErrorEntry, Guide } from './guides.ts';
import { english } from './guides-page.tsx';

type ErrorView = { readonly example: string; readonly linkOf: Guide['linkOf'] };

/** One error code: what it means, and what to do. */
export const errorPage = documentOf((entry: ErrorEntry, { example, linkOf }: ErrorView) => {
  const { documents, site } = usePage().words;
  const { code, status, meaning, caller, operator, reasons } = entry;
  return (
    <Document title={code} description={fill(documents.codeDescribe, { code, status })}>
      <div class="document">
        <div class="section">
          <Row>
            <p class="small">
              <a href="/docs">{site.docs}</a> · <a href="/docs/errors">{documents.errors}</a>
            </p>
          </Row>
          <Row at={status}>
            <h1 class="code">{code}</h1>
            <p class="sentence" {...english()}>
              <Markdown tokens={meaning} linkOf={linkOf} />.
            </p>
          </Row>
        </div>
        <Row>
          <dl class="pairs">
            <Pair name={documents.retry}>{documents.retries[retryOf(entry)]}</Pair>
            <dt>{documents.caller}</dt>
            <dd class="sentence" {...english()}>
              <Markdown tokens={caller} linkOf={linkOf} />
            </dd>
            <dt>{documents.operator}</dt>
            <dd class="sentence" {...english()}>
              <Markdown tokens={operator} linkOf={linkOf} />
            </dd>
            <Pair name={documents.cost}>{documents.costs}</Pair>
          </dl>
          <h2>{documents.example}</h2>
          <Code
            text={`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\nContent-Type: application/json; charset=utf-8\n\n${example}`}
          />
        </Row>
        {reasons.length === 0 ? null : (
          <>
            <Row>
              <h2>{documents.reasons}</h2>
            </Row>
            {reasons.map(({ reason, canPass }) => (
              <Row>
                <p>
                  <code>{reason}</code> <span class="quiet-text">{canPass ? documents.passes : documents.stays}</span>
                </p>
              </Row>
            ))}
          </>
        )}
      </div>
    </Document>
  );
});

/** As the page of errors says it: after a wait, with pauses, or not unchanged. */
export const retryOf = ({ code, status }: Pick<ErrorEntry, 'code' | 'status'>): 'wait' | 'pause' | 'never' => {
  if (status === 429 || status === 503 || code === 'IDEMPOTENCY_IN_PROGRESS') return 'wait';
  return status >= 500 ? 'pause' : 'never';
};
