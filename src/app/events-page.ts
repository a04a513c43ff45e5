import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { projections } from '#projections/index.ts';
import { type Happened, workOf } from '../edges/worker/reactions.ts';
import { upcasting } from '../eventlog/upcasting.ts';
import { catalogue, chapters, type EventType, fields, upcasters } from '../events.ts';
import { commentOn, type DeclaredEvent, eventIn, typeIn } from './declarations.ts';

/** The files that declare the types of event fields. */
const sources = [
  ...Object.values(chapters).map(({ source }) => source),
  'credits/grants.ts',
  'credits/plans.ts',
  'credits/prices.ts',
  'webhooks/payload.ts',
];

const sourceAt = (path: string): string =>
  readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** The text of `docs/events.md`: every event, from the comments and types where they are declared. */
export const eventsPage = (): string => {
  const events = new Map(
    (Object.keys(catalogue) as EventType[]).map((type) => [
      type,
      eventIn(sourceAt(chapters[catalogue[type]].source), type),
    ]),
  );
  const parts = Object.entries(chapters).map(([name, { title, stream, bound }]) => {
    const own = [...events].filter(([type]) => catalogue[type] === name);
    const entries = own.map(([type, event]) => entryOf(type, event));
    return `## ${title}\n\nStream \`${stream}\`: ${bound}.\n\n${entries.join('\n')}`;
  });
  return [introduction, contentsOf(events), ...parts, typesOf(events)].join('\n');
};

const introduction = `# Events

Everything that happened, and nothing that was computed from it. The log is append-only; read models, balances and bills are folds of these
events. How to fold them yourself is told in [analysts.md](analysts.md).

This page is made by \`npm run docs\` from the declarations in \`src\`: the comment of an event is its entry. A test compares the two.

Every event has an \`id\` (UUID, unique for ever: what happened once is stored once), a \`stream\` with a \`version\` that counts from 1, a \`position\` in the
one order of the whole log, a \`schema_version\`, \`data\` (the fields below), and \`meta\`:

| Member of \`meta\` | Meaning |
|---|---|
| \`occurred_at\` | when it happened: RFC 3339, UTC |
| \`account_id\` | the account it belongs to |
| \`actor\` | who caused it: \`type\` is \`key\`, \`user\`, \`visitor\`, \`operator\` or \`system\`; \`id\` names it and is never personal data |
| \`channel\` | where the call came in: \`rest\`, \`mcp\`, \`web\`, \`cli\`, \`job\` or \`system\` |
| \`request_id\` | \`X-Request-ID\` of the request that caused it; on the web, an id of the service's own |
| \`correlation_id\` | the job, on events of jobs and of their items |
| \`traceparent\` | W3C trace context |
| \`chain\` | ledger only: \`prev_hash\` and \`hash\` |

Data hold whole numbers, strings, booleans, null, and lists and objects of these. Names are as stored. No event holds a secret, a mail
address, a password or the text of a transcript.
`;

const contentsOf = (events: ReadonlyMap<EventType, DeclaredEvent>): string => {
  const rows = [...events].map(([type, { comment }]) => {
    const [first = ''] = /^.*?\.(?= |$)/.exec(comment) ?? [comment];
    return `| [${type}](#${type.toLowerCase()}) | ${chapters[catalogue[type]].title} | ${first} |`;
  });
  return `| Event | Of | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
};

const { versionOf } = upcasting(upcasters);

/** A sample event with every field that reactions read. */
const sample = {
  ...{
    accountId: 'acc_1',
    by: 'owner',
    jobId: 'job_1',
    itemId: 'itm_10000',
    deliveryId: 'dlv_1',
    run: 1,
  },
  ...{
    listing: { references: [], limit: 1 },
    items: [{ itemId: 'itm_10000' }],
    reservationId: '1',
  },
  itemIds: ['itm_10000'],
  ...{ at: '2026-01-01T00:00:00.000Z', retryAt: '2026-01-01', closesAt: '2026-01-01' },
};

/** The tasks that an event of this type starts, from the table of reactions. */
const tasksOf = (type: EventType): readonly string[] =>
  workOf({ id: '1', recordedAt: sample.at, requestId: 'req_1', type, data: sample } as Happened, {
    reservationMs: 0,
    isMailing: true,
    requiresMailboxProof: true,
  }).map(({ task }) => task);

const entryOf = (type: EventType, { comment, fields: declared }: DeclaredEvent): string => {
  const readers = projections.filter(({ types }) => types.includes(type)).map(({ name }) => name);
  const rows = declared.map(({ name, type: shape, comment: own }) => {
    const text = own?.replace(/\.$/, '') ?? meaningOf(name, shape);
    return `| \`${name}\` | \`${shape.replaceAll('|', '\\|')}\` | ${text} |`;
  });
  const folded =
    readers.length === 0 ? 'No read model is folded from it.' : `Folded into ${namesOf(readers)}.`;
  const tasks = tasksOf(type);
  const started = tasks.length === 0 ? '' : ` Starts ${namesOf(tasks)} in the worker.`;
  return `### ${type}

${comment}

Schema version ${versionOf(type)}. ${folded}${started}

| Field | Type | Meaning |
|---|---|---|
${rows.join('\n')}
`;
};

/** The meaning that a name has everywhere. */
const meaningOf = (name: string, shape: string): string => {
  const meaning = fields[name as keyof typeof fields];
  assert(meaning !== undefined, `${name} has neither a comment nor a meaning among the fields`);
  return shape.includes('null') ? meaning : meaning.replace(/; null: .*$/, '');
};

const namesOf = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** The named types of fields, and the types that these refer to. */
const typesOf = (events: ReadonlyMap<EventType, DeclaredEvent>): string => {
  const texts = sources.map(sourceAt);
  const found = new Map<string, string>();
  const wanted = [...events.values()].flatMap(({ fields: all }) => all.map(({ type }) => type));
  for (let shape = wanted.shift(); shape !== undefined; shape = wanted.shift()) {
    for (const [name] of shape.matchAll(/\b[A-Z]\w+\b/g)) {
      const source = texts.find((text) => typeIn(text, name) !== null);
      const type = source === undefined ? null : typeIn(source, name);
      if (source === undefined || type === null || found.has(name)) continue;
      const comment = commentOn(source, name);
      found.set(name, `${comment === null ? '' : `/** ${comment} */\n`}type ${name} =${type};`);
      wanted.push(type);
    }
  }
  const declared = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return `## Types

\`Exclude<A, B>\` is A without B; \`RefusalCode\` is any code of [errors.md](errors.md).

\`\`\`ts
${declared.join('\n\n')}
\`\`\`
`;
};
