import assert from 'node:assert/strict';
import { type ComponentChildren, createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { renderToString } from 'preact-render-to-string';
import { pageLanguages } from '../../../contract/languages.ts';
import type { Assets } from './assets.ts';
import { languageName, type Words } from './words.ts';

/** What every page knows of its request. */
export type PageContext = {
  readonly words: Words;
  readonly assets: Pick<Assets, 'style' | 'script' | 'icon' | 'card'>;
  /** Path and query of the page. */
  readonly url: string;
  /** Absolute base of links. */
  readonly publicUrl: string;
  readonly user: { readonly accountId: string; readonly key?: PageKey | null } | null;
};

/** A key of the reader, which stands for theirs in examples: its secret is not known any more. */
type PageKey = { readonly name: string; readonly prefix: string };

type Shell = {
  readonly title: string;
  readonly description?: string;
  /** Of the address under which other sites know the page. */
  readonly query?: string;
  /** Of title and description, where it is not that of the page. */
  readonly language?: string | null;
  /** Kept out of search engines: what is about one account or one request. */
  readonly isPrivate?: boolean;
  /** Seconds after which a browser without scripts loads the page again. */
  readonly refreshS?: number | null;
  readonly children: ComponentChildren;
};

/** A page as HTML, made of its request and of what it shows. All of it is text that Preact escapes, never raw HTML. */
export const documentOf =
  <View extends readonly unknown[]>(page: (...view: View) => VNode) =>
  (context: PageContext, ...view: View): string => {
    const Shown = () => page(...view);
    const document = (
      <Page.Provider value={context}>
        <Shown />
      </Page.Provider>
    );
    return `<!doctype html>${renderToString(document)}`;
  };

const Page = createContext<PageContext | null>(null);

/** What the page around a component knows of its request. */
export const usePage = (): PageContext => {
  const context = useContext(Page);
  assert(context !== null, 'components stand in a document');
  return context;
};

/** A whole document around a page. */
export const Document = (shell: Shell) => {
  const context = usePage();
  const { words, assets, publicUrl, url } = context;
  const path = url.split('?')[0] ?? '/';
  const title = path === '/' ? `Steno: ${shell.title}` : `${shell.title} · Steno`;
  const description = shell.description ?? words.site.describe;
  const written = langOf(context, shell.language ?? null);
  const isTranslated = shell.isPrivate !== true && shell.language === undefined;
  return (
    <html lang={words.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title {...written}>{title}</title>
        <meta name="description" content={description} {...written} />
        {shell.isPrivate === true ? (
          <meta name="robots" content="noindex" />
        ) : (
          <PublicHead path={`${path}${shell.query ?? ''}`} title={title} description={description} />
        )}
        {isTranslated ? <Alternates address={`${publicUrl}${path}`} /> : null}
        <link rel="icon" href={assets.icon} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.style} />
        <script type="module" src={assets.script} />
        {shell.refreshS === null || shell.refreshS === undefined ? null : (
          <noscript>
            <meta http-equiv="refresh" content={String(shell.refreshS)} />
          </noscript>
        )}
      </head>
      <body>
        <a class="skip" href="#main">
          {words.site.skip}
        </a>
        <Head path={path} />
        <main class="rows" id="main" tabindex={-1} data-copy={words.keys.copy} data-copied={words.transcript.copied}>
          {shell.children}
        </main>
        <Foot />
      </body>
    </html>
  );
};

/** The card that other sites show for a link to a public page. */
const PublicHead = ({ path, title, description }: Readonly<Record<'path' | 'title' | 'description', string>>) => {
  const { words, assets, publicUrl } = usePage();
  const url = `${publicUrl}${path}`;
  return (
    <>
      <link rel="canonical" href={url} />
      <meta property="og:site_name" content="Steno" />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={url} />
      <meta property="og:image" content={`${publicUrl}${assets.card}`} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content={`Steno: ${words.site.claim}`} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
};

/** The same page in every language of the interface. */
const Alternates = ({ address }: { readonly address: string }) => (
  <>
    {pageLanguages.map((code) => (
      <link rel="alternate" hreflang={code} href={`${address}?ui=${code}`} />
    ))}
    <link rel="alternate" hreflang="x-default" href={address} />
  </>
);

/** The `lang` of a text that may be in another language than the page; null: it is not known. */
export const langOf = ({ words }: Pick<PageContext, 'words'>, language: string | null): { readonly lang?: string } =>
  language === null || language === words.language ? {} : { lang: language };

const Head = ({ path }: { readonly path: string }) => {
  const { words, user } = usePage();
  const { site } = words;
  const link = (href: string, text: string) => (
    <a href={href} aria-current={path.startsWith(href) ? 'page' : undefined}>
      {text}
    </a>
  );
  return (
    <header class="head">
      <div class="rows bar">
        <a class="brand" href="/">
          Steno
        </a>
        <nav aria-label={site.mainMenu}>
          {link('/many', site.many)}
          {user === null ? null : link('/jobs', site.jobs)}
          {link('/docs', site.docs)}
          {link('/status', site.status)}
          <span class="push" />
          {user === null ? (
            <>
              {link('/login', site.signIn)}
              {link('/register', site.register)}
            </>
          ) : (
            link('/account', site.account)
          )}
        </nav>
      </div>
    </header>
  );
};

const Foot = () => {
  const { words, url } = usePage();
  const [path, query] = url.split('?');
  const others = [...new URLSearchParams(query)].filter(([name]) => name !== 'ui');
  return (
    <footer class="foot">
      <nav class="rows bar" aria-label={words.site.footMenu}>
        <a href="/api/docs">{words.site.reference}</a>
        <a href="/changelog">{words.site.changelog}</a>
        <a href="/llms.txt">llms.txt</a>
        <ul class="inline-list push" aria-label={words.site.language}>
          {pageLanguages.map((code) => (
            <li>
              <a
                href={`${path}?${new URLSearchParams([...others, ['ui', code]])}`}
                lang={code}
                aria-current={code === words.language ? 'true' : undefined}
              >
                {languageName(code, code)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </footer>
  );
};

type RowParts = {
  readonly at?: ComponentChildren;
  /** `at` only counts or decorates: where it would stand above the text, it is left out. */
  readonly isMark?: boolean;
  readonly children: ComponentChildren;
};

/** A row of the page: what stands in the rail, and the text behind the rule. */
export const Row = ({ at, isMark = false, children }: RowParts) => (
  <div class="row">
    <span class={isMark ? 'at mark' : 'at'}>{at}</span>
    <div>{children}</div>
  </div>
);

/** A name with its value in a list of pairs. */
export const Pair = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

/** A name with its value in a line of facts. */
export const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <li>
    {name}
    {usePage().words.site.colon}
    {children}
  </li>
);

type TabLink = { readonly href: string; readonly text: string; readonly isCurrent: boolean };

type TabsProps = {
  readonly label: string;
  readonly links: readonly TabLink[];
  /** The id of the element into which scripts load what a link leads to. */
  readonly panel?: string;
  readonly children?: ComponentChildren;
};

/** Links side by side, of which one may be that of the page. `panel`: see `x-tabs` of the scripts. */
export const Tabs = ({ label, links, panel, children }: TabsProps) => (
  <nav aria-label={label}>
    <ul class="tabs" data-panel={panel}>
      {links.map(({ href, text, isCurrent }) => (
        <li>
          <a href={href} aria-current={isCurrent ? 'page' : undefined}>
            {text}
          </a>
        </li>
      ))}
      {children}
    </ul>
  </nav>
);

/** A page that is one section under its title. */
export const SectionPage = ({ at, children, ...shell }: Shell & Pick<RowParts, 'at'>) => (
  <Document {...shell}>
    <Section at={at}>
      <h1>{shell.title}</h1>
      {children}
    </Section>
  </Document>
);

/** A row that begins a part of the page. */
export const Section = (row: RowParts) => (
  <div class="section">
    <Row {...row} />
  </div>
);
