import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { marked, type Token, type Tokens } from 'marked';
import { once } from '../../../../kernel/memoize.ts';
import { ownValue } from '../../../../kernel/own-value.ts';
import { type LinkOf, type MarkdownDocument, parseMarkdown } from '../parts/markdown.tsx';

const root = fileURLToPath(new URL('../../../../..', import.meta.url));

type Source = {
  readonly name: string;
  /** Path in the repository, where it is not that of the name. */
  readonly file?: string;
  readonly lead: string;
  /** Only this part of the document, under a title of its own: from one heading to another, or to the end. */
  readonly part?: { readonly title: string; readonly from: string; readonly to?: string };
};

const fileOf = ({ name, file = `docs/${name}.md` }: Source): string => file;

/** What is served under `/docs`, in the order in which it is read. */
const sources: readonly Source[] = [
  {
    name: 'quick-start',
    file: 'README.md',
    lead: 'Run it, read the first transcript, make the first request, see what was charged.',
    part: { title: 'Quick start', from: '## Run it', to: '## Configure it' },
  },
  { name: 'api', lead: 'Keys, limits, formats, jobs and retries: what applies to all operations.' },
  { name: 'follows', lead: 'Channels and playlists whose new videos are transcribed automatically, within a budget.' },
  { name: 'errors', lead: 'Every code with its status, its meaning, and what to do.' },
  {
    name: 'webhook-verification',
    lead: 'Check the signature of a delivery, with code in your language and a test vector.',
  },
  { name: 'ai', lead: 'The operations on a transcript: what each returns, with a model and without.' },
  { name: 'mcp', lead: 'The tools for agents, over the Model Context Protocol.' },
  { name: 'cli', lead: 'The command line: log in, read transcripts, run jobs, and what scripts can rely on.' },
  {
    name: 'ledger-verification',
    file: 'docs/analysts.md',
    lead: 'Check the hash of every entry of a ledger with Node alone.',
    part: { title: 'Verify a ledger', from: '## Verifying a ledger offline' },
  },
  { name: 'analysts', lead: 'Bills and balances from the events, in SQL, DuckDB and pandas.' },
  {
    name: 'transparency',
    lead: 'The public log of all ledger entries: signed checkpoints, proofs, witnesses, and how to verify them.',
  },
  { name: 'events', lead: 'Every event, its meaning and its fields.' },
  { name: 'operations', lead: 'One process or many, health, upgrades, the command line.' },
  { name: 'backup', lead: 'Backups and restores, a lost SECRET_KEY, commits that a failover lost.' },
  { name: 'containers', lead: 'The image, a setup with containers, and the Helm chart.' },
  { name: 'metrics', lead: 'What Prometheus scrapes, the alerts with their objectives, the dashboards, and traces.' },
  {
    name: 'scaling',
    lead: 'Several processes, a replica and a pooler by measurement, failover, and where one Postgres ends.',
  },
  { name: 'settings', lead: 'Every environment variable with its default.' },
  { name: 'architecture', lead: 'How the parts work together, and where to start reading.' },
  { name: 'performance', lead: 'What was measured, and how to measure it.' },
];

export type Guide = {
  readonly name: string;
  readonly document: MarkdownDocument;
  /** What it is about, in a sentence. */
  readonly lead: string;
  /** The source, with links that lead to what is served. */
  readonly markdown: string;
  /** The address of a link of this document; null where its target is not served. */
  readonly linkOf: LinkOf;
};

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Where a file of the repository is served; null where it is not. */
const addressOf = (file: string): string | null => {
  const source = sources.find((known) => fileOf(known) === file && known.part === undefined);
  return source === undefined ? (ownValue(served, file) ?? null) : `/docs/${source.name}`;
};

/** Files that documents speak of, as they are. */
export const documentFiles: Readonly<Record<string, string>> = {
  'verify-ledger.mjs': 'text/javascript; charset=utf-8',
  'verify-receipt.mjs': 'text/javascript; charset=utf-8',
  'webhook-receiver.mjs': 'text/javascript; charset=utf-8',
  'ledger-example.ndjson': 'application/x-ndjson; charset=utf-8',
};

const served: Readonly<Record<string, string>> = {
  'README.md': '/docs/quick-start',
  'CHANGELOG.md': '/changelog',
  'docs/openapi.json': '/openapi.json',
  ...Object.fromEntries(Object.keys(documentFiles).map((name) => [`docs/${name}`, `/docs/${name}`])),
};

/** Rewrites the links of one file to the addresses of what they mean. */
export const linksOf =
  (file: string): LinkOf =>
  (href) => {
    if (/^(https?:|mailto:|#)/.test(href)) return href;
    const [path = '', anchor] = href.split('#');
    const address = addressOf(join(dirname(file), path));
    if (address === null) return null;
    return anchor === undefined ? address : `${address}#${anchor}`;
  };

const guideOf = (source: Source): Guide => {
  const { name, lead, part } = source;
  const file = fileOf(source);
  const text = part === undefined ? read(file) : partOf(read(file), part);
  const linkOf = linksOf(file);
  return { name, document: parseMarkdown(text), lead, markdown: withLinks(text, linkOf), linkOf };
};

const partOf = (text: string, { title, from, to }: NonNullable<Source['part']>): string => {
  const start = text.indexOf(`\n${from}\n`) + 1;
  const end = to === undefined ? text.length : text.indexOf(`\n${to}\n`);
  return `# ${title}\n\n${text.slice(start, end)}`;
};

/** Outside of code, rewrites each link; one whose target is not served becomes its words. */
const withLinks = (text: string, linkOf: LinkOf): string =>
  text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/\[([^\]\n]+)\]\(([^)\s]+)\)/g, (_, words: string, href: string) => {
            const address = linkOf(href);
            return address === null ? words : `[${words}](${address})`;
          }),
    )
    .join('');

/** Each document is read once: they do not change while the program runs. */
export const guides: () => readonly Guide[] = once(() => sources.map(guideOf));

export const changelogDocument: () => MarkdownDocument = once(() => parseMarkdown(read('CHANGELOG.md')));

export const readDocumentFile = (name: string): string => read(`docs/${name}`);

/** One row of the tables of `docs/errors.md`. */
export type ErrorEntry = {
  readonly code: string;
  readonly status: number;
  readonly meaning: readonly Token[];
  readonly caller: readonly Token[];
  readonly operator: readonly Token[];
  /** What a failed extraction can have had as its reason. */
  readonly reasons: readonly { readonly reason: string; readonly canPass: boolean }[];
};

export const errorEntries: () => readonly ErrorEntry[] = once(() => {
  const rows = marked
    .lexer(read('docs/errors.md'))
    .flatMap((token) => (token.type === 'table' ? (token as Tokens.Table).rows : []));
  const reasons = rows.flatMap(([reason, code, canPass]) =>
    code?.text.startsWith('`') === true
      ? [{ code: bare(code), reason: bare(reason), canPass: canPass?.text === 'yes' }]
      : [],
  );
  return rows.flatMap(([code, status, meaning, caller, operator]) =>
    /^\d{3}$/.test(status?.text ?? '')
      ? [
          {
            code: bare(code),
            status: Number(status?.text),
            meaning: meaning?.tokens ?? [],
            caller: caller?.tokens ?? [],
            operator: operator?.tokens ?? [],
            reasons: reasons.filter((one) => one.code === bare(code)),
          },
        ]
      : [],
  );
});

const bare = (cell: Tokens.TableCell | undefined): string => (cell?.text ?? '').replaceAll('`', '');
