import { aboutWebhookKind, type WebhookKind, webhookKinds } from '../../../contract/webhook-events.ts';
import { type RecordedExamples, recordedExamples } from './recorded-examples.ts';

const headers = {
  'webhook-id': 'The id of the event; a repeat has the same.',
  'webhook-timestamp': 'Unix time of the attempt in seconds.',
  'webhook-signature': '`v1,` and the signature in Base64, of each secret that is valid now.',
  'X-Service-Signature': '`t=`, the time, and `v1=`, the signature in hexadecimal.',
  'User-Agent': 'The sender and the version of its format.',
};
/** Only where the service is traced. */
const traceHeader = {
  name: 'traceparent',
  in: 'header',
  required: false,
  description:
    'The trace that the delivery belongs to (W3C Trace Context): that of the request which made the job, if it sent one. Absent where the service is not traced.',
  schema: { type: 'string' },
  example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};

/** The `webhooks` section: what the service sends. */
export const webhooksSection = (schemaFor: (kind: WebhookKind) => unknown): Record<string, unknown> =>
  Object.fromEntries(
    webhookKinds.flatMap((type) => {
      const example = recordedExamples().webhooks[type];
      return example === undefined ? [] : [[type, sectionOf(type, example, schemaFor(type))]];
    }),
  );

/** `onJobCompleted` of `job.completed`. */
const operationIdOf = (kind: WebhookKind): string =>
  `on${kind.replaceAll(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}`;

type Example = RecordedExamples['webhooks'][string];

/** Who gets a kind. */
const receiversOf = (type: WebhookKind): string => {
  const { toUrlOf } = aboutWebhookKind(type);
  const own = toUrlOf === undefined ? '' : ` and to the \`webhook_url\` of the ${toUrlOf}`;
  return `registered webhooks${own}`;
};

const sectionOf = (type: WebhookKind, example: Example, schema: unknown) => ({
  post: {
    operationId: operationIdOf(type),
    tags: ['Webhooks'],
    summary: aboutWebhookKind(type).summary,
    description: `Sent to ${receiversOf(type)}, and again after a failure, over about three days. Answer any 2xx at once; 410 disables the webhook. docs/webhook-verification.md shows how to verify it.`,
    security: [],
    parameters: [
      ...Object.entries(headers).map(([name, description]) => ({
        name,
        in: 'header',
        required: true,
        description,
        schema: { type: 'string' },
        example: example.headers[name.toLowerCase()],
      })),
      traceHeader,
    ],
    requestBody: { required: true, content: { 'application/json': { schema, example: example.body } } },
    responses: { '2XX': { description: 'It was accepted.' }, default: { description: 'It is sent again later.' } },
  },
});
