import { readFileSync } from 'node:fs';
import { librarySearchInput } from '../contract/library.ts';
import { fieldsOf } from '../contract/operation.ts';
import { finder, operations } from '../contract/operations.ts';
import { aboutWebhookKind, type WebhookKind, webhookKinds } from '../contract/webhook-events.ts';

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const operationTable = (): string =>
  table(
    ['Operation', 'Does', 'Credits with a model', 'Without'],
    operations.map(({ name, summary, credits }) => [
      `\`${name}\``,
      `${summary}.`,
      String(credits.model),
      String(credits.extract),
    ]),
  );

/** What the search of the library takes besides, without what every tool has. */
const { lang: _, ...ofLibrary } = librarySearchInput.shape;

const toolTable = (): string =>
  table(
    ['Tool', 'Besides `video_id`, `lang`, `captions`, `asr` and `keep`', 'Route'],
    operations.map(({ name, input, isPaged }) => [
      `\`${name}\``,
      code([
        ...Object.keys(name === finder.name ? { ...input, ...ofLibrary } : input),
        ...(isPaged === true ? ['start', 'end', 'max_tokens', 'cursor'] : []),
      ]),
      `\`POST /v1/${name}\``,
    ]),
  );

const verbTable = (): string =>
  table(
    ['Verb', 'Does', 'Options besides `-l`, `--captions`, `--asr`, `--keep`, `--dry-run`, `--id`'],
    operations.map((operation) => {
      const fields = fieldsOf(operation);
      const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name.toUpperCase());
      const options = fields
        .filter(({ isRequired }) => !isRequired)
        .map(({ name }) => `--${name.replaceAll('_', '-')}`);
      return [`\`${[operation.name, 'LINK', ...required].join(' ')}\``, `${operation.summary}.`, code(options)];
    }),
  );

const resultMembers = (): string =>
  [
    '/** The members of the result of each AI operation; the other members of its answer repeat what was asked. */',
    'const resultMembers = {',
    ...operations.map(
      ({ name, result }) =>
        `  ${name}: [${Object.keys(result.shape)
          .map((member) => `'${member}'`)
          .join(', ')}],`,
    ),
    '};',
  ].join('\n');

const dataOf = (kind: WebhookKind): string => code(Object.keys(aboutWebhookKind(kind).body.shape.data.shape));

const webhookEventTable = (): string =>
  table(
    ['Event', 'When', 'Members of `data`', 'Sent to, besides webhooks that subscribe to it'],
    webhookKinds.map((kind) => {
      const { summary, isDefault, toUrlOf } = aboutWebhookKind(kind);
      const others = [
        ...(isDefault === true ? ['webhooks without `events`'] : []),
        ...(toUrlOf === undefined ? [] : [`the \`webhook_url\` of the ${toUrlOf}`]),
      ];
      return [`\`${kind}\``, summary, dataOf(kind), others.join(', ') || '–'];
    }),
  );

const followEventTable = (): string =>
  table(
    ['Event', 'Members of `data`'],
    webhookKinds
      .filter((kind) => aboutWebhookKind(kind).toUrlOf === 'follow')
      .map((kind) => [`\`${kind}\``, dataOf(kind)]),
  );

const receivedKinds = (): string =>
  [
    '/** A webhook that does not choose gets only some of them. */',
    'const events = [',
    ...webhookKinds.map((kind) => `  '${kind}',`),
    '];',
  ].join('\n');

/** Each stands in a document between `<!-- NAME -->` and `<!-- /NAME -->`, in a program behind `//`. */
const tables = {
  operations: operationTable,
  'operation-tools': toolTable,
  'operation-verbs': verbTable,
  'operation-results': resultMembers,
  'webhook-events': webhookEventTable,
  'follow-events': followEventTable,
  'webhook-kinds': receivedKinds,
};

/** Text of a document with its tables of the contract made anew. Throws where a marker has no end. */
const withTables = (text: string): string =>
  Object.entries(tables).reduce((whole, [name, make]) => {
    const begin = `<!-- ${name} -->\n`;
    const section = new RegExp(`${begin}[^]*(\n(?:// )?<!-- /${name} -->)`);
    if (whole.includes(begin) && !section.test(whole)) throw new Error(`<!-- ${name} --> has no end`);
    return whole.replace(section, (_, end: string) => `${begin}\n${make()}\n${end}`);
  }, text);

/** The documents that show tables of the contract; `path` within the repository. */
export const documentsWithTables = (): readonly { readonly path: string; readonly text: string }[] =>
  [
    ...['docs/ai.md', 'docs/api.md', 'docs/cli.md', 'docs/follows.md', 'docs/mcp.md', 'docs/webhook-verification.md'],
    ...['docs/verify-receipt.mjs', 'docs/webhook-receiver.mjs'],
  ].map((path) => ({ path, text: withTables(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')) }));
