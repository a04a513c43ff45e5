import type { apiChanges } from '../../middleware/api-changes.ts';
import { documentOf, type PageContext, Row } from '../layout.tsx';
import { Markdown } from '../parts/markdown.tsx';
import type { Guide } from './guides.ts';
import { english } from './guides-page.tsx';

/** What has changed: of the API by date, of the program by version. */
export const changelogPage = (
  context: PageContext,
  {
    changes,
    document,
    linkOf,
  }: Pick<Guide, 'document' | 'linkOf'> & { readonly changes: ReturnType<typeof apiChanges> },
): string => {
  const { changelog, site } = context.words;
  return documentOf(context, {
    title: site.changelog,
    description: changelog.describe,
    children: (
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
                <span {...english(context)}>{summary}</span>
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
              <div {...english(context)}>
                <h2 id={id}>{version}</h2>
                <Markdown tokens={tokens} linkOf={linkOf} />
              </div>
            </section>
          );
        })}
      </div>
    ),
  });
};
