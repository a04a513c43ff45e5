import { z } from 'zod';
import { costTag, idempotencyKey } from '../../../contract/charged.ts';
import type { Endpoint, ResponseDescription } from '../../../contract/endpoint.ts';
import { errorSchema, statusOf } from '../../../contract/errors.ts';
import { maxBatchVideos } from '../../../contract/transcripts.ts';
import { aboutWebhookKind } from '../../../contract/webhook-events.ts';
import { ownValue } from '../../../kernel/own-value.ts';
import type { RefusalCode } from '../../../kernel/refusal.ts';
import { isReplayed } from '../middleware/idempotency.ts';
import { idempotencyHours } from '../middleware/idempotency-store.ts';
import { type ExampleRequest, exampleOf, recordedExamples } from './recorded-examples.ts';
import { webhooksSection } from './webhook-events.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the groups of operations are about. */
const tagDescriptions: Readonly<Record<string, string>> = {
  Transcripts: `Captions of single videos and of up to ${maxBatchVideos} at once.`,
  'AI operations': 'Answers, summaries and more, made of a transcript.',
  Library: 'The transcripts that an account keeps, and the search over all of them.',
  Jobs: 'Many videos, playlists and channels, read in the background.',
  'Playlists and channels': 'Their videos, and jobs over them.',
  Follows: 'Channels and playlists whose new videos are transcribed automatically, within a budget.',
  Webhooks: 'Receivers that are notified of jobs, follows and budgets.',
  Usage: 'What was used, and the ledger that proves it.',
  'Transparency log': 'The public log that proves that no entry of a ledger was changed or removed.',
  Account: 'The account of a signed-in user.',
  Keys: 'API keys of a signed-in user.',
  Grants: 'Applications that a signed-in user has authorized.',
  Meta: 'Health, status and documents.',
};

/** Refusals that every operation under a key can give. */
const ofEveryKey: readonly RefusalCode[] = [
  'INVALID_REQUEST',
  'INVALID_API_KEY',
  'INSUFFICIENT_CREDITS',
  'ACCOUNT_SUSPENDED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
];
/** Refusals of what a browser of another site could send in the name of who is signed in. */
const ofEveryChange: readonly RefusalCode[] = ['FORBIDDEN', 'UNSUPPORTED_MEDIA_TYPE'];
/** A parameter that is given twice is refused everywhere. */
const ofEveryone: readonly RefusalCode[] = ['INVALID_REQUEST', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'];

/**
 * The machine-readable description (OpenAPI 3.1) of these endpoints, made from the very schemas that
 * validate their requests. The same endpoints give the same document, byte for byte.
 */
export const openApiDocument = (endpoints: readonly Endpoint[]): Json => {
  const components: Record<string, unknown> = {};
  const responses: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, components, responses) };
  }
  schemaOf(errorSchema, components, 'output');
  const webhooks = webhooksSection((kind) => schemaOf(aboutWebhookKind(kind).body, components, 'output'));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Transcript Extraction Service API',
      // As the specification says: `/v1` is the version, and additions to it are in the changelog.
      version: '1.0.0',
      description:
        'Captions of public videos as normalized transcripts, with jobs, webhooks and metered credits. ' +
        'Examples are recorded requests and responses; long lists and texts in them are shortened.',
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({
      name,
      description: ownValue(tagDescriptions, name),
    })),
    paths,
    webhooks,
    components: {
      schemas: components,
      responses,
      examples: errorExamples(responses),
      headers: sharedHeaders,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
      },
    },
  };
};

const operationOf = (
  endpoint: Endpoint,
  components: Record<string, unknown>,
  responses: Record<string, unknown>,
): Json => {
  const example = exampleOf(endpoint.id)?.request ?? {};
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description,
    security: security[endpoint.access],
    parameters: [
      ...parametersOf(endpoint.params, 'path', components, example.path),
      ...parametersOf(endpoint.query, 'query', components, example.query),
      ...Object.entries(endpoint.requestHeaders ?? {}).map(([name, description]) => ({
        ...headerParameter(name, description, { type: 'string' }),
        ...exampleMember(example.headers?.[name]),
      })),
      ...(isKeyed(endpoint) ? [idempotencyHeader(components)] : []),
      ...(endpoint.hasDryRun === true ? [dryRun, costTagHeader(components)] : []),
    ],
    ...requestBodyOf(endpoint, components),
    responses: { ...answersOf(endpoint, components), ...refusalsOf(endpoint, responses) },
  };
};

const requestBodyOf = ({ id, body, isBodyOptional = false }: Endpoint, components: Record<string, unknown>): Json => {
  if (body === undefined) return {};
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}Request`;
  components[name] = schemaOf(body, components, 'input');
  const schema = { $ref: `#/components/schemas/${name}` };
  const example = exampleOf(id)?.request.body ?? {};
  const content = { 'application/json': { schema, example } };
  return { requestBody: { required: !isBodyOptional, content } };
};

const exampleMember = (example: unknown): Json => (example === undefined ? {} : { example });

const isKeyed = (endpoint: Endpoint): boolean => endpoint.isIdempotent === true;

const headerParameter = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

const idempotencyHeader = (components: Record<string, unknown>): Json =>
  headerParameter(
    'Idempotency-Key',
    `Repeats of a request with the same key within ${idempotencyHours} hours get its response again, charged once.`,
    schemaOf(idempotencyKey, components, 'input'),
  );

const dryRun = headerParameter('X-Dry-Run', '1: returns what the request would cost, without executing it.', {
  type: 'string',
  enum: ['1'],
});

const costTagHeader = (components: Record<string, unknown>): Json =>
  headerParameter(
    'X-Cost-Tag',
    'What the cost is assigned to. It is stored with the charge: no personal data.',
    schemaOf(costTag, components, 'input'),
  );

const security: Readonly<Record<Endpoint['access'], readonly Json[]>> = {
  key: [{ bearer: [] }, { apiKey: [] }],
  session: [{ session: [] }],
  anyone: [],
};

const parametersOf = (
  fields: z.ZodObject | undefined,
  place: 'path' | 'query',
  components: Record<string, unknown>,
  examples: NonNullable<ExampleRequest['query']> = {},
): Json[] =>
  Object.entries(fields?.shape ?? {}).map(([name, field]) => {
    const { description, ...schema } = schemaOf(field, components, 'input');
    const isRequired = place === 'path' || !z.safeParse(z.object({ [name]: field }), {}).success;
    return {
      name,
      in: place,
      required: isRequired,
      description,
      schema,
      ...exampleMember(typed(examples[name], schema)),
    };
  });

/** A text of an address as the value that its schema shows. */
const typed = (text: string | undefined, { type }: Json): unknown =>
  text !== undefined && (type === 'integer' || type === 'boolean') ? JSON.parse(text) : text;

const answersOf = (endpoint: Endpoint, components: Record<string, unknown>): Record<string, unknown> => {
  const answers: Record<string, unknown> = {};
  for (const [status, described] of Object.entries(endpoint.answers)) {
    const content = contentOf(described, components, exampleOf(endpoint.id)?.answers[status]);
    answers[status] = {
      description: described.description,
      headers: { ...ownHeaders(described), ...references(headersOf(endpoint, Number(status))) },
      ...(Object.keys(content).length === 0 ? {} : { content }),
    };
  }
  return answers;
};

const contentOf = (
  { schema, text = [], bytes = [], events }: ResponseDescription,
  components: Record<string, unknown>,
  examples: Json = {},
): Record<string, unknown> => {
  const content: Record<string, unknown> = {};
  if (schema !== undefined) {
    const shown = schemaOf(schema, components, 'output');
    content['application/json'] = { schema: shown, ...exampleMember(examples['application/json']) };
  }
  for (const type of text) {
    content[type] = { schema: { type: 'string' }, ...exampleMember(examples[type]) };
  }
  for (const type of bytes) content[type] = { schema: { type: 'string', format: 'binary' } };
  if (events !== undefined) {
    content['text/event-stream'] = {
      schema: streamOf(events, components),
      ...exampleMember(examples['text/event-stream']),
    };
  }
  return content;
};

/**
 * A stream of events. OpenAPI 3.1 has no `itemSchema`, so the text of the stream and the text of each `data` say by
 * `contentSchema` of JSON Schema what they hold.
 */
const streamOf = (
  { name, data }: NonNullable<ResponseDescription['events']>,
  components: Record<string, unknown>,
): Json => {
  const variants = Object.entries(data).map(([event, schema]) => ({
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Position in the log, for `Last-Event-ID`.' },
      event: { type: 'string', const: event, description: 'Which kind of event it is.' },
      data: {
        type: 'string',
        description: 'JSON.',
        contentMediaType: 'application/json',
        contentSchema: schemaOf(schema, components, 'output'),
      },
    },
    required: ['id', 'event', 'data'],
  }));
  const [only] = variants;
  const description = 'One event of the stream, field by field.';
  components[name] =
    variants.length === 1 && only !== undefined ? { description, ...only } : { description, oneOf: variants };
  return {
    type: 'string',
    description: 'Server-sent events, each as `contentSchema` says.',
    contentMediaType: 'text/event-stream',
    contentSchema: { $ref: `#/components/schemas/${name}` },
  };
};

/** A header as the document shows it. */
const header = (name: string, description: string, isAlways = false): Json => ({
  description,
  ...(isAlways ? { required: true } : {}),
  schema: { type: /^(X-Credits-(Charged|Reserved)|X-RateLimit-\w+|Retry-After)$/.test(name) ? 'integer' : 'string' },
});

const everyHeader: Readonly<Record<string, string>> = {
  'X-Request-ID': 'The id of this request.',
  'X-RateLimit-Limit': 'Requests allowed in the current minute.',
  'X-RateLimit-Remaining': 'Requests left in it.',
  'X-RateLimit-Reset': 'Unix time at which the next minute begins.',
  'RateLimit-Policy': 'The same limit in the form of the IETF draft.',
  RateLimit: 'What is left of it, in that form.',
};
const retryHeader = { 'Retry-After': 'Seconds after which to try again.' };
const sharedHeaders: Json = Object.fromEntries([
  ...Object.entries({ ...everyHeader, ...retryHeader }).map(([name, description]) => [
    name,
    header(name, description, true),
  ]),
  ...Object.entries({
    'X-Credits-Charged': 'Credits that this response cost; 0 if nothing.',
    'Idempotent-Replayed': 'true: the response to an earlier request under this `Idempotency-Key`.',
    'WWW-Authenticate': 'How to send a key.',
    'Set-Cookie': 'The session cookie, set again when its session was renewed or has ended.',
  }).map(([name, description]) => [name, header(name, description)]),
]);

const references = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Those that only some answers carry, said where they are. */
const ownHeaders = ({ headers = {} }: ResponseDescription): Json =>
  Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, header(name, description)]));

/** These tell when to come back. */
const statusesToRetry: readonly number[] = [409, 429, 503];

/** The headers that every answer of an endpoint with this status carries, and those that it may carry. */
const headersOf = (endpoint: Endpoint, status: number): string[] => [
  ...Object.keys(everyHeader),
  ...(statusesToRetry.includes(status) ? Object.keys(retryHeader) : []),
  ...(endpoint.access === 'key' ? [status === 401 ? 'WWW-Authenticate' : 'X-Credits-Charged'] : []),
  ...(endpoint.access === 'session' ? ['Set-Cookie'] : []),
  ...(isKeyed(endpoint) && isReplayed(status) ? ['Idempotent-Replayed'] : []),
];

/** Refusals by status, each with its codes. Many operations have the same ones: they stand among the components. */
const refusalsOf = (endpoint: Endpoint, responses: Record<string, unknown>): Record<string, unknown> => {
  const isChange = endpoint.access !== 'key' && endpoint.method !== 'GET';
  const codes = new Set<RefusalCode>([
    ...(endpoint.refusals ?? []),
    ...(endpoint.access === 'key' ? ofEveryKey : ofEveryone),
    ...(endpoint.access === 'session' ? (['UNAUTHENTICATED'] as const) : []),
    ...(isChange ? ofEveryChange : []),
    ...(isKeyed(endpoint) ? (['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] as const) : []),
    ...(endpoint.body === undefined ? [] : (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
  ]);
  const referred = (status: number, name: string, description: string, shown: readonly string[]): Json => {
    const fullName = `${groupOf(endpoint, status)}.${name}`;
    responses[fullName] ??= errorResponse(description, headersOf(endpoint, status), shown);
    return { $ref: `#/components/responses/${fullName}` };
  };
  const byStatus = Map.groupBy(codes, (code) => statusOf[code]);
  const answers: Record<string, unknown> = {};
  for (const [status, group] of [...byStatus].sort(([a], [b]) => a - b)) {
    if (status in endpoint.answers) continue;
    const described = group.toSorted();
    answers[String(status)] = referred(status, described.join('.'), described.join(', '), described);
  }
  const fault = 'INTERNAL_ERROR: a fault of the service; it is logged under the request id.';
  answers['500'] = referred(500, 'INTERNAL_ERROR', fault, ['INTERNAL_ERROR']);
  const other = 'Any other error: codes and statuses may be added, in the same shape.';
  answers['default'] = referred(500, 'default', other, ['METHOD_NOT_ALLOWED']);
  return answers;
};

const errorResponse = (description: string, headers: readonly string[], codes: readonly string[]): Json => ({
  description,
  headers: references(headers),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
});

/** Errors that these responses show. */
const errorExamples = (responses: Record<string, unknown>): Json => {
  const text = JSON.stringify(responses);
  return Object.fromEntries(
    Object.entries(recordedExamples().errors)
      .filter(([code]) => text.includes(`"#/components/examples/${code}"`))
      .map(([code, value]) => [code, { value }]),
  );
};

/** Operations whose refusals carry the same headers share their descriptions. */
const groupOf = (endpoint: Endpoint, status: number): string => {
  if (endpoint.access === 'anyone') return 'api';
  const group = endpoint.access === 'key' ? 'v1' : 'session';
  return isKeyed(endpoint) && isReplayed(status) ? `${group}.keyed` : group;
};

/** A schema as JSON Schema 2020-12; named ones go to the components and are referred to. */
const schemaOf = (
  schema: z.ZodType,
  components: Record<string, unknown>,
  io: 'input' | 'output',
): Record<string, unknown> => {
  const made = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // Answers may grow by fields at any time; whoever checks them must expect that.
      if (io === 'output' && jsonSchema.additionalProperties === false) {
        delete jsonSchema.additionalProperties;
      }
      // Bounds of every whole number in JSON; renderers would show them as examples.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // Patterns mean other things in other languages; formats, lengths and descriptions say what they check.
      delete jsonSchema.pattern;
      const shown = jsonSchema['openapi'];
      if (typeof shown !== 'object' || shown === null) return;
      const { description } = jsonSchema;
      for (const name of Object.keys(jsonSchema)) delete jsonSchema[name];
      Object.assign(jsonSchema, shown, description === undefined ? {} : { description });
    },
  });
  const text = JSON.stringify(made).replaceAll('#/$defs/', '#/components/schemas/');
  const { $schema: _, $defs = {}, ...plain } = JSON.parse(text);
  for (const [name, definition] of Object.entries($defs)) components[name] = named(definition);
  if (typeof plain.id === 'string') {
    components[plain.id] = named(plain);
    return { $ref: `#/components/schemas/${plain.id}` };
  }
  return plain;
};

const named = (definition: unknown): unknown => {
  if (typeof definition !== 'object' || definition === null || !('id' in definition)) return definition;
  const { id: _, ...plain } = definition;
  return plain;
};
