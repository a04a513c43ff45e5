import { type MarkedToken, marked, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { type PageContext, usePage } from '../layout.tsx';

/** A heading as GitHub writes its address: `What it costs` is `what-it-costs`. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Text between two headings of the second level, and the heading itself. */
type Section = { readonly id: string; readonly heading: string; readonly tokens: readonly Token[] };

export type MarkdownDocument = {
  readonly title: string;
  /** What stands before the first section. */
  readonly intro: readonly Token[];
  readonly sections: readonly Section[];
};

/** Splits a document at its headings of the second level. Comments are left out. */
export const parseMarkdown = (text: string): MarkdownDocument => {
  const sections: { id: string; heading: string; tokens: Token[] }[] = [];
  const intro: Token[] = [];
  let title = '';
  for (const token of marked.lexer(text)) {
    if (token.type === 'html' && token.raw.startsWith('<!--')) continue;
    if (token.type === 'heading' && token['depth'] === 1) title = plainText(token.tokens ?? []);
    else if (token.type === 'heading' && token['depth'] === 2) {
      const heading = plainText(token.tokens ?? []);
      sections.push({ id: anchorOf(heading), heading, tokens: [] });
    } else (sections.at(-1)?.tokens ?? intro).push(token);
  }
  return { title, intro, sections };
};

/** The words of inline tokens without their form. */
export const plainText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) =>
      'tokens' in token && token.tokens !== undefined
        ? plainText(token.tokens)
        : 'text' in token
          ? String(token.text)
          : '',
    )
    .join('');

/** The address of a link, or null where its target is not served: its words then stand without a link. */
export type LinkOf = (href: string) => string | null;

/**
 * Markdown as elements. The tokens of `marked` become JSX, so that everything in a document is escaped text: HTML in
 * it is shown, never interpreted.
 */
export const Markdown = ({ tokens, linkOf }: { readonly tokens: readonly Token[]; readonly linkOf: LinkOf }) => (
  <>{elementsOf(tokens, linkOf)}</>
);

const elementsOf = (tokens: readonly Token[], linkOf: LinkOf): ComponentChildren =>
  tokens.map((token) => elementOf(token as MarkedToken, linkOf));

const elementOf = (token: MarkedToken, linkOf: LinkOf): ComponentChildren => {
  switch (token.type) {
    case 'heading': {
      const Tag = token.depth === 3 ? 'h3' : 'h4';
      return <Tag id={anchorOf(plainText(token.tokens))}>{elementsOf(token.tokens, linkOf)}</Tag>;
    }
    case 'paragraph':
      return <p>{elementsOf(token.tokens, linkOf)}</p>;
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del':
      return <token.type>{elementsOf(token.tokens, linkOf)}</token.type>;
    case 'code':
      return <Code text={token.text} />;
    case 'list': {
      const items = token.items.map((item) => <li>{elementsOf(item.tokens, linkOf)}</li>);
      return token.ordered ? <ol start={Number(token.start || 1)}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return isOfPictures(token) ? null : tableOf(token, linkOf);
    case 'hr':
      return <hr />;
    default:
      return inlineOf(token, linkOf);
  }
};

const inlineOf = (token: MarkedToken, linkOf: LinkOf): ComponentChildren => {
  switch (token.type) {
    case 'codespan':
      return ofReader.test(token.text) ? <Inline text={token.text} /> : <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'link': {
      const href = linkOf(token.href);
      const inside = elementsOf(token.tokens, linkOf);
      return href === null ? inside : <Link href={href}>{inside}</Link>;
    }
    case 'text':
      return token.tokens === undefined ? token.text : elementsOf(token.tokens, linkOf);
    case 'escape':
    case 'html':
    case 'image':
      return token.text;
    default:
      return null;
  }
};

/** Addresses that stand for that of the server in documents. */
const placeholders = /https:\/\/steno\.example|http:\/\/127\.0\.0\.1:3000/g;

/** A text of a document with the address of this server. */
const forServer = (text: string, publicUrl: string): string => text.replace(placeholders, () => publicUrl);

/** What stands for an account and its key in documents. */
const ofReader = /stn_live_…|acc_01a1…/;

/** With the account and the key of the reader, too. */
const forReader = (text: string, { publicUrl, user }: PageContext): string => {
  const filled = forServer(text, publicUrl);
  if (user === null || user.key === undefined) return filled;
  const own = filled.replaceAll('acc_01a1…', user.accountId);
  return user.key === null ? own : own.replaceAll('stn_live_…', `${user.key.prefix}…`);
};

const Inline = ({ text }: { readonly text: string }) => <code>{forReader(text, usePage())}</code>;

/** A block of code: scrolled by keyboard too. */
export const Code = (code: { readonly text: string }) => (
  <pre tabindex={0}>
    <Inline {...code} />
  </pre>
);

/** A link that adds the server to a client: its `config` is JSON, plain or in base64. Any other address stays as it is. */
const withServer = (href: string, publicUrl: string): string => {
  const config = URL.canParse(href) ? new URL(href).searchParams.get('config') : null;
  if (config === null) return href;
  const isPlain = config.startsWith('{');
  const filled = forServer(isPlain ? config : atob(config), publicUrl);
  const url = new URL(href);
  url.searchParams.set('config', isPlain ? filled : btoa(filled));
  return url.href;
};

const Link = ({ href, children }: { readonly href: string; readonly children: ComponentChildren }) => (
  <a href={withServer(href, usePage().publicUrl)}>{children}</a>
);

/** Pictures of the pages side by side, which the pages themselves do not show. */
const isOfPictures = ({ header, rows }: Tokens.Table): boolean =>
  rows.length === 0 && header.every(({ tokens }) => tokens.every(({ type }) => type === 'image'));

/** A wide table scrolls by itself, by keyboard too; on a narrow screen its cells stand below one another. */
const tableOf = ({ header, rows }: Tokens.Table, linkOf: LinkOf): ComponentChildren => {
  const names = header.map(({ tokens }) => plainText(tokens));
  return (
    <figure class="table-wrap" tabindex={0} aria-label={names.filter((name) => name !== '').join(', ')}>
      <table>
        <thead>
          <tr>
            {header.map(({ text, tokens }) =>
              text === '' ? <td /> : <th scope="col">{elementsOf(tokens, linkOf)}</th>,
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map(({ tokens }, index) => (
                <td data-label={names[index] ?? ''}>{elementsOf(tokens, linkOf)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
};
