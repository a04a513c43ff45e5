import { documentOf, langOf, type PageContext, Row, Section, usePage } from '../layout.tsx';
import { Markdown, type MarkdownDocument } from '../parts/markdown.tsx';
import { fill } from '../words.ts';
import type { ErrorEntry, Guide } from './guides.ts';

/** Guides, meanings of error codes and changes are written in English alone. */
export const english = (context: PageContext) => langOf(context, 'en');

/** All guides, each with its first sentence. */
export const guidesPage = (context: PageContext, guides: readonly Guide[], codes: readonly ErrorEntry[]): string => {
  const { documents, site } = context.words;
  return documentOf(context, {
    title: site.docs,
    description: documents.describe,
    children: (
      <>
        <div class="section">
          <Row>
            <h1>{site.docs}</h1>
            <p>{documents.describe}</p>
          </Row>
          <DocumentRow at="GET" href="/api/docs" title={site.reference} lead={documents.reference} />
          {guides.map(({ name, document, lead }, index) => (
            <DocumentRow
              at={String(index + 1)}
              href={`/docs/${name}`}
              title={document.title}
              lead={lead}
              written={english(context)}
            />
          ))}
          <DocumentRow
            at={String(guides.length + 1)}
            href="/changelog"
            title={site.changelog}
            lead={documents.changes}
          />
        </div>
        <div class="section">
          <Row>
            <h2>{documents.codes}</h2>
          </Row>
          {codes.map(({ code, status }) => (
            <Row at={status}>
              <span>
                <a href={`/docs/errors/${code}`}>
                  <code>{code}</code>
                </a>
              </span>
            </Row>
          ))}
        </div>
      </>
    ),
  });
};

const DocumentRow = ({
  at,
  href,
  title,
  lead,
  written = {},
}: {
  readonly at: string;
  readonly href: string;
  readonly title: string;
  readonly lead: string;
  readonly written?: ReturnType<typeof langOf>;
}) => (
  <Row at={at}>
    <div {...written}>
      <h2>
        <a href={href} {...(written.lang === undefined ? {} : { hreflang: written.lang })}>
          {title}
        </a>
      </h2>
      <p class="quiet-text">{lead}</p>
    </div>
  </Row>
);

/** One guide: its sections are numbered in the rail. */
export const guidePage = (context: PageContext, guide: Guide, { next }: { readonly next: Guide | null }): string => {
  const { documents } = context.words;
  const { document, linkOf, name } = guide;
  return documentOf(context, {
    title: document.title,
    description: guide.lead,
    language: 'en',
    children: (
      <div class="document">
        <div class="section">
          <DocumentHead />
          <Row>
            <div {...english(context)}>
              <h1>{document.title}</h1>
              <Markdown tokens={document.intro} linkOf={linkOf} />
            </div>
          </Row>
        </div>
        <Contents document={document} />
        {document.sections.map((section, index) => (
          <GuideSection section={section} at={String(index + 1)} guide={guide} />
        ))}
        <Section>
          <p class="facts">
            {next === null ? null : (
              <a href={`/docs/${next.name}`}>{fill(documents.next, { title: next.document.title })}</a>
            )}
            <a href={`/docs/${name}.md`}>{documents.markdown}</a>
          </p>
        </Section>
      </div>
    ),
  });
};

const DocumentHead = () => (
  <Row>
    <p class="small">
      <a href="/docs">{usePage().words.site.docs}</a>
    </p>
  </Row>
);

/** Shown where there is enough to choose from. */
const Contents = ({ document: { sections } }: { readonly document: MarkdownDocument }) => {
  const context = usePage();
  return sections.length < 3 ? null : (
    <nav aria-label={context.words.documents.contents} class="contents">
      {sections.map(({ id, heading }, index) => (
        <Row at={index + 1}>
          <a href={`#${id}`} {...english(context)}>
            {heading}
          </a>
        </Row>
      ))}
    </nav>
  );
};

const GuideSection = ({
  section: { id, heading, tokens },
  at,
  guide: { linkOf },
}: {
  readonly section: MarkdownDocument['sections'][number];
  readonly at: string;
  readonly guide: Guide;
}) => (
  <section class="row section">
    <a class="at" href={`#${id}`}>
      {at}
    </a>
    <div {...english(usePage())}>
      <h2 id={id}>{heading}</h2>
      <Markdown tokens={tokens} linkOf={linkOf} />
    </div>
  </section>
);
