import { Document, documentOf, langOf, Row, Section, usePage } from '../layout.tsx';
import { Markdown, type MarkdownDocument } from '../parts/markdown.tsx';
import { fill } from '../words.ts';
import type { ErrorEntry, Guide } from './guides.ts';
import type { FoundSection } from './search-guides.ts';

/** Guides, meanings of error codes and changes are written in English alone. */
export const english = () => langOf(usePage(), 'en');

/** Characters of a search, at most. */
export const longestSearch = 200;

type SearchView = {
  readonly query: string;
  /** Null: nothing is searched for. */
  readonly found: readonly FoundSection[] | null;
};

/** All guides, each with its first sentence. */
export const guidesPage = documentOf((guides: readonly Guide[], codes: readonly ErrorEntry[], search: SearchView) => {
  const { documents, site } = usePage().words;
  return (
    <Document title={site.docs} description={documents.describe}>
      <div class="section">
        <Row>
          <h1>{site.docs}</h1>
          <p>{documents.describe}</p>
          <Search {...search} />
        </Row>
        <DocumentRow at="GET" href="/api/docs" title={site.reference} lead={documents.reference} />
        {guides.map(({ name, document, lead }, index) => (
          <DocumentRow at={index + 1} href={`/docs/${name}`} title={document.title} lead={lead} written={english()} />
        ))}
        <DocumentRow at={guides.length + 1} href="/changelog" title={site.changelog} lead={documents.changes} />
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
    </Document>
  );
});

type DocumentLink = {
  readonly at: string | number;
  readonly href: string;
  readonly title: string;
  readonly lead: string;
  readonly written?: ReturnType<typeof langOf>;
};

const DocumentRow = ({ at, href, title, lead, written = {} }: DocumentLink) => (
  <Row at={at} isMark>
    <div {...written}>
      <h2>
        <a href={href} hreflang={written.lang}>
          {title}
        </a>
      </h2>
      <p class="quiet-text">{lead}</p>
    </div>
  </Row>
);

/** The search over all guides; with scripts it answers while somebody types. */
const Search = ({ query, found }: SearchView) => {
  const { documents, library } = usePage().words;
  return (
    <x-library>
      <search>
        <form method="get" action="/docs" class="asking">
          <label for="q">{documents.search}</label>
          <input id="q" name="q" type="search" value={query} maxlength={longestSearch} autocomplete="off" />
          <button type="submit" class="quiet">
            {library.find}
          </button>
        </form>
      </search>
      <div id="found" aria-live="polite">
        {found === null ? null : found.length === 0 ? (
          <p class="quiet-text">{library.nothing}</p>
        ) : (
          <ol class="places" {...english()}>
            {found.map(({ guide, section, excerpt: [before, place, after] }) => (
              <li>
                <a href={`/docs/${guide.name}${section === null ? '' : `#${section.id}`}`}>
                  {guide.document.title}
                  {section === null ? null : ` · ${section.heading}`}
                </a>
                <p class="small quiet-text">
                  {before}
                  <mark>{place}</mark>
                  {after}
                </p>
              </li>
            ))}
          </ol>
        )}
      </div>
    </x-library>
  );
};

/** Which key the examples mean: a secret is shown once, so that no page can fill it in. */
const YourKey = () => {
  const { words, user } = usePage();
  const key = user?.key ?? null;
  if (key === null) return null;
  const [before, after] = fill(words.documents.yourKey, { name: key.name }).split('{prefix}');
  return (
    <p class="small quiet-text">
      {before}
      <code>{key.prefix}…</code>
      {after} <a href="/account/keys">{words.account.keys}</a>
    </p>
  );
};

/** One guide: its sections are numbered in the rail. */
export const guidePage = documentOf((guide: Guide, { next }: { readonly next: Guide | null }) => {
  const { documents, site } = usePage().words;
  const { document, linkOf, name } = guide;
  return (
    <Document title={document.title} description={guide.lead} language="en">
      <div class="document">
        <div class="section">
          <Row>
            <p class="small">
              <a href="/docs">{site.docs}</a>
            </p>
          </Row>
          <Row>
            <div {...english()}>
              <h1>{document.title}</h1>
              <Markdown tokens={document.intro} linkOf={linkOf} />
            </div>
            <YourKey />
          </Row>
        </div>
        <Contents document={document} />
        {document.sections.map((section, index) => (
          <GuideSection section={section} at={index + 1} linkOf={linkOf} />
        ))}
        <Section>
          <p class="actions">
            {next === null ? null : (
              <a href={`/docs/${next.name}`}>{fill(documents.next, { title: next.document.title })}</a>
            )}
            <a href={`/docs/${name}.md`}>{documents.markdown}</a>
          </p>
        </Section>
      </div>
    </Document>
  );
});

/** Shown where there is enough to choose from. */
const Contents = ({ document: { sections } }: { readonly document: MarkdownDocument }) => {
  const { documents } = usePage().words;
  return sections.length < 3 ? null : (
    <nav aria-label={documents.contents} class="contents">
      <search>
        <form method="get" action="/docs">
          <input
            name="q"
            type="search"
            maxlength={longestSearch}
            aria-label={documents.search}
            placeholder={documents.search}
          />
        </form>
      </search>
      {sections.map(({ id, heading }, index) => (
        <Row at={index + 1} isMark>
          <a href={`#${id}`} {...english()}>
            {heading}
          </a>
        </Row>
      ))}
    </nav>
  );
};

type NumberedSection = Pick<Guide, 'linkOf'> & {
  readonly section: MarkdownDocument['sections'][number];
  readonly at: number;
};

const GuideSection = ({ section: { id, heading, tokens }, at, linkOf }: NumberedSection) => (
  <section class="row section">
    <a class="at mark" href={`#${id}`}>
      {at}
    </a>
    <div {...english()}>
      <h2 id={id}>{heading}</h2>
      <Markdown tokens={tokens} linkOf={linkOf} />
    </div>
  </section>
);
