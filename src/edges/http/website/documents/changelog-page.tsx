import type { apiChanges } from '../../middleware/api-changes.ts';
import { Document, documentOf, Row, usePage } from '../layout.tsx';
import { Markdown } from '../parts/markdown.tsx';
import type { Guide } from './guides.ts';
import { english } from './guides-page.tsx';

type ChangelogView = Pick<Guide, 'document' | 'linkOf'> & { readonly changes: ReturnType<typeof apiChanges> };

/** What has changed: of the API by date, of the program by version. */
export const changelogPage = documentOf(({ changes, document, linkOf }: ChangelogView) => {
  const { changelog, site } = usePage().words;
  return (
    <Document title={site.changelog} description={changelog.describe}>
      <div class="document">
        <div class="section">
          <Row>
            <h1>{site.changelog}</h1>
            <p>{changelog.describe}</p>
            <h2>{changelog.api}</h2>
          </Row>
          {changes.map(({ version, date, type, summary }) => (
            <div class="row">
              <time class="at" datetime={date}>
                {date}
              </time>
              <p>
                <span class="badge">{version}</span> <span class="quiet-text">{type}</span>{' '}
                <span {...english()}>{summary}</span>
              </p>
            </div>
          ))}
          <Row>
            <p class="small">
              <a href="/api/changelog.json">/api/changelog.json</a>
            </p>
          </Row>
        </div>
        {document.sections.map(({ id, heading, tokens }) => {
          const [version = '', date = ''] = heading.replace(/[[\]]/g, '').split(' - ');
          return (
            <section class="row section">
              <span class="at">{date}</span>
              <div {...english()}>
                <h2 id={id}>{version}</h2>
                <Markdown tokens={tokens} linkOf={linkOf} />
              </div>
            </section>
          );
        })}
      </div>
    </Document>
  );
});
