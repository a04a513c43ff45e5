import { z } from 'zod';
import { projections } from '#projections/index.ts';
import { type ReactionEvent, workOf } from '../edges/worker/reactions.ts';
import { upcasting } from '../eventlog/upcasting.ts';
import { catalogue, chapters, type EventType, eventSchemas, upcasters } from '../events.ts';

/** What a page shows of a JSON schema. */
type Shape = Readonly<z.core.JSONSchema.BaseSchema>;

/** The text of `docs/events.md`: every event with its fields, from their schemas. */
export const eventsPage = (): string => {
  const shapes = new Map((Object.keys(catalogue) as EventType[]).map((type) => [type, shapeOf(type)]));
  const parts = Object.entries(chapters).map(([name, { title, stream, bound }]) => {
    const own = [...shapes].filter(([type]) => catalogue[type] === name);
    const entries = own.map(([type, shape]) => entryOf(type, shape));
    return `## ${title}\n\nStream \`${stream}\`: ${bound}.\n\n${entries.join('\n')}`;
  });
  return [introduction, contentsOf(shapes), ...parts, typesOf(shapes)].join('\n');
};

const shapeOf = (type: EventType): Shape => {
  const schema = eventSchemas[type];
  if (schema === undefined) throw new Error(`${type} has no schema`);
  return z.toJSONSchema(schema);
};

const introduction = `# Events

Everything that happened, and nothing that was computed from it. The log is append-only; read models, balances and bills are folds of these
events. How to fold them yourself is told in [analysts.md](analysts.md).

This page is made by \`npm run docs\` from the schemas of events in \`src\`. A test compares the two.

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

const contentsOf = (shapes: ReadonlyMap<EventType, Shape>): string => {
  const rows = [...shapes].map(([type, { description = '' }]) => {
    const [first = ''] = /^.*?\.(?= |$)/.exec(description) ?? [description];
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
  workOf({ id: '1', recordedAt: sample.at, requestId: 'req_1', type, data: sample } as ReactionEvent, {
    reservationMs: 0,
    recheckMs: [0],
    isMailing: true,
    requiresMailboxProof: true,
  }).map(({ task }) => task);

const entryOf = (type: EventType, shape: Shape): string => {
  const readers = projections.filter(({ types }) => types.includes(type)).map(({ name }) => name);
  const required = new Set(shape.required);
  const rows = membersOf(shape).map(([name, member]) => {
    const text = typeText(member) + (required.has(name) ? '' : ' | undefined');
    return `| \`${name}\` | \`${text.replaceAll('|', '\\|')}\` | ${meaningOf(type, name, member, shape)} |`;
  });
  const folded = readers.length === 0 ? 'No read model is folded from it.' : `Folded into ${namesOf(readers)}.`;
  const tasks = tasksOf(type);
  const started = tasks.length === 0 ? '' : ` Starts ${namesOf(tasks)} in the worker.`;
  return `### ${type}

${shape.description}

Schema version ${versionOf(type)}. ${folded}${started}

| Field | Type | Meaning |
|---|---|---|
${rows.join('\n')}
`;
};

const isShape = (schema: z.core.JSONSchema._JSONSchema | undefined): schema is Shape => typeof schema === 'object';

const membersOf = ({ properties = {} }: Shape): readonly (readonly [string, Shape])[] =>
  Object.entries(properties).flatMap(([name, member]) => (isShape(member) ? [[name, member] as const] : []));

const definitionName = ({ $ref }: Shape): string | undefined => $ref?.replace('#/$defs/', '');

/** The description of a member: its own, else that of the type that it has, which may be null besides. */
const meaningOf = (type: string, name: string, member: Shape, { $defs = {} }: Shape): string => {
  const inner = [member, ...(member.anyOf ?? [])].filter(isShape);
  const named = inner.map(definitionName).flatMap((ref) => (ref ? [$defs[ref]] : []));
  const found = [...inner, ...named.filter(isShape)].find((one) => one.description !== undefined);
  if (found?.description === undefined) throw new Error(`${type}.${name} has no description`);
  return found.description;
};

/** A schema as a type is written in TypeScript; `integer` where numbers are whole. */
const typeText = (schema: Shape): string => {
  const ref = definitionName(schema);
  if (ref !== undefined) return ref;
  if (schema.anyOf) return schema.anyOf.filter(isShape).map(typeText).join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.type === 'array') return `${elementText(schema)}[]`;
  if (schema.type !== 'object') return [schema.type].flat().join(' | ');
  const members = membersOf(schema).map(([name, member]) => `${name}: ${typeText(member)}`);
  return members.length === 0 ? 'object' : `{ ${members.join('; ')} }`;
};

const elementText = ({ items }: Shape): string =>
  !Array.isArray(items) && isShape(items) ? typeText(items) : 'unknown';

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

const namesOf = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** The named types of fields, and the types that these refer to. */
const typesOf = (shapes: ReadonlyMap<EventType, Shape>): string => {
  const named = new Map(
    [...shapes.values()]
      .flatMap(({ $defs = {} }) => Object.entries($defs))
      .filter((entry): entry is [string, Shape] => isShape(entry[1])),
  );
  const entries = [...named]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, shape]) => {
      const rows = membersOf(shape).map(
        ([member, its]) => `| \`${member}\` | \`${typeText(its).replaceAll('|', '\\|')}\` | ${its.description ?? ''} |`,
      );
      const table = ['| Field | Type | Meaning |', '|---|---|---|', ...rows].join('\n');
      const body = rows.length > 0 ? table : `One of ${namesOf((shape.enum ?? []).map(String))}.`;
      return `### ${name}\n\n${shape.description ?? ''}.\n\n${body}\n`;
    });
  return `## Types\n\n${entries.join('\n')}`;
};
