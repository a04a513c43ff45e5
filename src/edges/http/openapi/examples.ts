type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, unknown>>;

/** Bodies of requests in which not every member can stand beside the others. */
const requests: Readonly<Record<string, unknown>> = {
  getTranscripts: { ids: ['lighthouse1', 'languages-6'], lang: 'en', format: 'srt' },
  createJob: {
    ids: ['lighthouse1', 'https://youtu.be/languages-6'],
    kind: 'batch',
    webhook_url: 'https://example.org/steno',
  },
  createPlaylistJob: { limit: 100, webhook_url: 'https://example.org/steno' },
  createChannelJob: { limit: 50, webhook_url: 'https://example.org/steno' },
  ask: { video_id: 'lighthouse1', question: 'How large was the lamp?' },
  summarize: { video_id: 'lighthouse1', length: 'short' },
  chapters: { video_id: 'lighthouse1' },
  search: { video_id: 'lighthouse1', query: 'lamp', limit: 3 },
  quotes: { video_id: 'lighthouse1' },
  repurpose: { video_id: 'lighthouse1', format: 'x_thread' },
  clips: { video_id: 'lighthouse1' },
  translate: { video_id: 'lighthouse1', target_lang: 'de' },
  register: {
    email: 'ada@example.org',
    password: 'a long sentence that nobody guesses',
    name: 'Ada',
    captcha_token: 'v1.token',
    captcha_answer: 'seven',
  },
  rollKey: { overlap_hours: 24 },
};

/** The body of a request as the description shows it. */
export const requestExample = (id: string, schema: Schema, schemas: Schemas): unknown =>
  requests[id] ?? exampleOf(schema, schemas);

/** A value of a schema: its own example, else one made of its members, the same each time. */
export const exampleOf = (schema: Schema, schemas: Schemas, name = ''): unknown => {
  const { $ref, example, examples, const: constant, enum: values, anyOf, oneOf } = schema;
  if (typeof $ref === 'string') {
    return exampleOf(schemaNamed($ref, schemas), schemas, name);
  }
  if (example !== undefined) return example;
  if (Array.isArray(examples)) return examples[0];
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return values[0];
  const options = anyOf ?? oneOf;
  if (Array.isArray(options)) {
    return exampleOf(options.find(({ type }: Schema) => type !== 'null') ?? {}, schemas, name);
  }
  return plainExample(schema, schemas, name);
};

export const schemaNamed = ($ref: string, schemas: Schemas): Schema =>
  (schemas[$ref.slice('#/components/schemas/'.length)] ?? {}) as Schema;

const plainExample = (schema: Schema, schemas: Schemas, name: string): unknown => {
  const { type, properties = {}, items = {}, format, default: usual } = schema;
  switch (Array.isArray(type) ? type.find((one) => one !== 'null') : type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties as Schemas).map(([member, one]) => [
          member,
          exampleOf(one as Schema, schemas, member),
        ]),
      );
    case 'array':
      return [exampleOf(items as Schema, schemas, name)];
    case 'string':
      return (typeof format === 'string' ? byFormat[format] : undefined) ?? texts[name] ?? 'text';
    case 'integer':
    case 'number':
      return numbers[name] ?? usual ?? schema['minimum'] ?? 1;
    case 'boolean':
      return usual ?? true;
    default:
      return {};
  }
};

const byFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-11-21T09:30:00.000Z',
  date: '2026-11-21',
  uri: 'https://example.org/steno',
  email: 'ada@example.org',
};

const hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const texts: Readonly<Record<string, string>> = {
  available: 'en',
  before: '4711',
  channel: 'Harbour Notes',
  channel_id: 'UCharbournotes0000000000',
  charge_id: '0197a0c2-6f0e-7b21-9c55-3a1f6f1f2d10',
  content_sha256: hash,
  default: 'en',
  delivery_id: 'dlv_5f0c2a',
  error_code: 'VIDEO_UNAVAILABLE',
  error_message: 'The video is private.',
  handle: '@harbournotes',
  hash,
  id: '0197a0c2-6f0e-7b21-9c55-3a1f6f1f2d10',
  ids: 'lighthouse1',
  ip: '203.0.113.7',
  item_id: 'itm_1',
  job_id: 'job_1',
  key_prefix: 'sk_live_ab12',
  language: 'en',
  name: 'Build server',
  next_before: '4711',
  next_cursor: '4711.itm_1',
  playlist_id: 'PLharbournotes00000000000000000001',
  position: '4711',
  prev_hash: hash,
  reference: 'https://youtu.be/lighthouse1',
  request_id: 'req_0197a0c26f0e7b219c553a1f6f1f2d10',
  requested_language: 'en',
  start: '00:12',
  text: 'The lamp itself was no larger than the ones in our kitchen.',
  timestamp: '00:12',
  title: 'A keeper on the lighthouse',
  url: 'https://www.youtube.com/watch?v=lighthouse1',
  user_agent: 'curl/8.5.0',
  version: '1.0.0',
  video_id: 'lighthouse1',
  webhook_id: 'whk_1',
};

const numbers: Readonly<Record<string, number>> = {
  credits_remaining: 9_900,
  credits_reserved: 0,
  duration: 212,
  http_status: 204,
  rate_limit_per_min: 120,
  start: 12.4,
};

/** The beginning of answers that are not JSON. */
export const textExamples: Readonly<Record<string, string>> = {
  'text/plain': '[00:12] The lamp itself was no larger than the ones in our kitchen.\n',
  'application/x-subrip':
    '1\n00:00:12,400 --> 00:00:16,200\nThe lamp itself was no larger than the ones in our kitchen.\n',
  'text/vtt':
    'WEBVTT\n\n00:00:12.400 --> 00:00:16.200\nThe lamp itself was no larger than the ones in our kitchen.\n',
  'text/markdown':
    '# A keeper on the lighthouse\n\nThe lamp itself was no larger than the ones in our kitchen.\n',
  'text/event-stream':
    'retry: 1000\n\nid: 4711\nevent: item\ndata: {"job_id":"job_1","at":"2026-11-21T09:30:00.000Z","status":"complete","item_ids":["itm_1"],"attempt":1,"error_code":null,"error_message":null}\n\n',
  'text/html': '<!doctype html>',
};
