import { z } from 'zod';
import { endpointsWith, type KeyEndpoint } from './endpoint.ts';
import { jobParams } from './jobs.ts';
import {
  answer200,
  count,
  idParameter,
  instant,
  longestLink,
  member,
  named,
  onePage,
  pageOf,
  storable,
  timestamp,
} from './schemas.ts';
import { chosenKinds, defaultWebhookKinds, webhookKinds } from './webhook-events.ts';

const kindSchema = z.enum(webhookKinds);

/** The Webhook of the specification. */
export const webhookSchema = named('Webhook', {
  id: member.id,
  url: member.url,
  events: z.array(kindSchema).describe('Kinds of events that it receives.'),
  active: z.boolean().describe('Whether deliveries are sent to it.'),
  created_at: member.createdAt,
  description: z.string().nullable().describe('A note of the owner.'),
  disabled_reason: z
    .enum(['owner', 'gone', 'failing'])
    .nullable()
    .describe('Why it is inactive; null while it is active.'),
});

export const attemptSchema = named('DeliveryAttempt', {
  attempt: z.int().min(1).describe('Number of the attempt, from 1.'),
  success: z.boolean().describe('Whether the receiver accepted it.'),
  reason: z.string().nullable().describe('Why it failed, such as `timeout`.'),
  http_status: z.int().nullable().describe('Status returned by the receiver; null: no response.'),
  duration_ms: count.describe('Duration of the attempt in milliseconds.'),
  at: timestamp.describe('When, RFC 3339 in UTC.'),
});

export const deliverySchema = named('Delivery', {
  id: member.id,
  webhook_id: z.string().nullable().describe('Id of the webhook; null: the `webhook_url` of a job.'),
  event_id: z.string().describe('The `webhook-id` that the receiver sees.'),
  type: z.string().describe('Kind of the event.'),
  job_id: z.string().nullable().describe('Id of the job.'),
  run: z.int().nullable().describe('1, and one more for each retry of the job; null: no job.'),
  replay_of: z.string().nullable().describe('The delivery that this one repeats; null: none.'),
  status: z.enum(['pending', 'succeeded', 'failed']).describe('pending: it is retried; failed: it is not retried.'),
  next_attempt_at: timestamp.nullable().describe('Next attempt; null: none.'),
  created_at: member.createdAt,
  attempts: z.array(attemptSchema).describe('Its attempts, in order.'),
});

export const secretSchema = named('SigningSecret', {
  secret: z.string().describe('Shown now and never again.'),
  previous_until: timestamp.nullable().describe('Until then the previous secret signs too.'),
});

export const currentSecretSchema = secretSchema
  .extend({ secret: z.string().nullable().describe('The signing secret; null before there is one.') })
  .meta({ id: 'CurrentSigningSecret' });

const common = { access: 'key', scope: 'webhooks', tag: 'Webhooks' } as const;

const ofWebhooks = endpointsWith(common);

const params = z.object({ webhookId: idParameter('Id of the webhook.') });
const deliveryId = idParameter('Id of the delivery.');
const url = z.string().min(1).max(longestLink).meta({ format: 'uri' });
const description = z
  .string()
  .max(200)
  .refine(...storable)
  .nullable();
const one = { description: 'The webhook.', schema: webhookSchema };
const oneWebhook = { params, refusals: ['WEBHOOK_NOT_FOUND'] } as const;

const ofWebhook = endpointsWith({ ...common, ...oneWebhook });

export const list = {
  ...ofWebhooks('listWebhooks', 'GET', '/v1/webhooks'),
  summary: 'The webhooks of this account',
  description: 'Active and disabled ones, without their secrets.',
  answers: answer200('All of them.', 'Webhooks', { webhooks: z.array(webhookSchema).describe('Webhooks.') }),
} satisfies KeyEndpoint;

export const register = {
  ...ofWebhooks('createWebhook', 'POST', '/v1/webhooks'),
  isIdempotent: true,
  summary: 'Register a webhook; its secret is shown once',
  description: 'The address must be on a public network. Deliveries are signed as specified by Standard Webhooks.',
  body: z.object({
    url: url.describe('Where deliveries are sent: https, on a public network.'),
    events: chosenKinds.default([...defaultWebhookKinds]).describe('Kinds of events that it receives.'),
    description: description.default(null).describe('A note of the owner.'),
  }),
  answers: {
    201: {
      description: 'The webhook and its secret.',
      schema: named('CreatedWebhook', {
        webhook: webhookSchema,
        secret: z.string().describe('The signing secret. It is shown now and never again.'),
      }),
    },
  },
} satisfies KeyEndpoint;

export const read = {
  ...ofWebhook('getWebhook', 'GET', '/v1/webhooks/:webhookId'),
  summary: 'One webhook',
  description: 'Without its secret.',
  answers: { 200: one },
} satisfies KeyEndpoint;

export const edit = {
  ...ofWebhook('updateWebhook', 'PATCH', '/v1/webhooks/:webhookId'),
  summary: 'Change a webhook; omitted members do not change',
  description: 'A webhook that is enabled again gets events from then on; `recover` sends those it missed.',
  body: z.object({
    url: url.optional().describe('The new URL for deliveries: https, on a public network.'),
    events: chosenKinds.optional().describe('Kinds of events that it receives.'),
    active: z.boolean().optional().describe('Whether deliveries are sent to it.'),
    description: description.optional().describe('A note of the owner.'),
  }),
  answers: { 200: one },
} satisfies KeyEndpoint;

export const remove = {
  ...ofWebhook('deleteWebhook', 'DELETE', '/v1/webhooks/:webhookId'),
  summary: 'Delete a webhook',
  description: 'Pending deliveries are not sent.',
  answers: { 204: { description: 'The webhook was deleted.' } },
} satisfies KeyEndpoint;

const acting = { ...common, isIdempotent: true, body: z.object({}), isBodyOptional: true } as const;

/** Hours for which the previous secret also signs after a rotation. */
export const secretOverlapHours = 24;

/** Seconds between the time of a signature and now, either way, beyond which a receiver rejects a delivery. */
export const signatureToleranceS = 300;

const action = endpointsWith(acting);

const webhookAction = endpointsWith({ ...acting, ...oneWebhook });

export const rotate = {
  ...webhookAction('rotateWebhookSecret', 'POST', '/v1/webhooks/:webhookId/rotate-secret'),
  summary: `Create a new secret; the previous one also signs for ${secretOverlapHours} hours`,
  description: `Both secrets sign for ${secretOverlapHours} hours, so that receivers can switch.`,
  answers: { 200: { description: 'The new secret.', schema: secretSchema } },
} satisfies KeyEndpoint;

const requested = {
  description: 'A delivery was requested.',
  schema: named('RequestedDelivery', { delivery_id: z.string().describe('Id of the new delivery.') }),
};

export const test = {
  ...webhookAction('testWebhook', 'POST', '/v1/webhooks/:webhookId/test'),
  summary: 'Send a job.completed with `test: true`',
  description: 'The event is about a job that does not exist. The response does not wait for the delivery.',
  answers: { 202: requested },
} satisfies KeyEndpoint;

export const listDeliveries = {
  ...ofWebhook('listDeliveries', 'GET', '/v1/webhooks/:webhookId/deliveries'),
  summary: 'Deliveries with their attempts, newest first',
  description: 'With every attempt, its status and how long it took.',
  query: z.object(pageOf('Deliveries')),
  answers: onePage('Deliveries', { deliveries: z.array(deliverySchema).describe('Deliveries, the newest first.') }),
} satisfies KeyEndpoint;

export const replay = {
  ...action('replayDelivery', 'POST', '/v1/webhooks/:webhookId/deliveries/:deliveryId/replay'),
  summary: 'Send one delivery again, under the same event id',
  description: 'The receiver sees the same `webhook-id`, so it can recognize a repeat. The webhook must be active.',
  params: params.extend({ deliveryId }),
  answers: { 202: requested },
  refusals: ['WEBHOOK_NOT_FOUND', 'NOT_FOUND'],
} satisfies KeyEndpoint;

export const listJobDeliveries = {
  ...ofWebhooks('listJobDeliveries', 'GET', '/v1/jobs/:jobId/deliveries'),
  summary: 'Deliveries about one job, newest first',
  description: 'To registered webhooks and to the `webhook_url` of the job, whose `webhook_id` is null.',
  query: z.object(pageOf('Deliveries')),
  params: jobParams,
  answers: listDeliveries.answers,
  refusals: ['JOB_NOT_FOUND'],
} satisfies KeyEndpoint;

export const replayJobDelivery = {
  ...action('replayJobDelivery', 'POST', '/v1/jobs/:jobId/deliveries/:deliveryId/replay'),
  summary: 'Send one delivery about a job again, under the same event id',
  description:
    'The receiver sees the same `webhook-id`, so it can recognize a repeat. A registered webhook must be active.',
  params: jobParams.extend({ deliveryId }),
  answers: { 202: requested },
  refusals: ['NOT_FOUND', 'WEBHOOK_NOT_FOUND'],
} satisfies KeyEndpoint;

/** Deliveries that one recovery sends again, at most. */
export const maxRecovered = 1_000;

export const recover = {
  ...webhookAction('recoverDeliveries', 'POST', '/v1/webhooks/:webhookId/recover'),
  summary: `Send all failed deliveries since a time again, at most ${maxRecovered.toLocaleString('en')}`,
  description: 'Oldest first, without those that were sent again since.',
  isBodyOptional: false,
  body: z.object({ since: instant.describe('Deliveries that failed since this time are sent again.') }),
  answers: {
    202: {
      description: 'The deliveries that were requested.',
      schema: named('RecoveredDeliveries', {
        delivery_ids: z.array(z.string()).describe('Ids of the new deliveries.'),
      }),
    },
  },
} satisfies KeyEndpoint;

export const showSecret = {
  ...ofWebhooks('getSigningSecret', 'GET', '/v1/webhooks/signing-secret'),
  summary: 'The secret that signs deliveries to the `webhook_url` of jobs',
  description: 'Deliveries to a URL that is also a registered webhook are signed with the secret of that webhook.',
  answers: {
    200: {
      description:
        'The secret; null before the first webhook of the account, the first job with a `webhook_url` or the first ' +
        'rotation. Reading it changes nothing.',
      schema: currentSecretSchema,
    },
  },
} satisfies KeyEndpoint;

export const rotateSigning = {
  ...action('rotateSigningSecret', 'POST', '/v1/webhooks/signing-secret/rotate'),
  summary: `Create a new one; the previous one also signs for ${secretOverlapHours} hours`,
  description: `Both secrets sign for ${secretOverlapHours} hours, so that receivers can switch.`,
  answers: { 200: { description: 'The new secret.', schema: secretSchema } },
} satisfies KeyEndpoint;

/** Literal paths before parameters: `signing-secret` is no id. */
export const webhookEndpoints = [
  list,
  register,
  showSecret,
  rotateSigning,
  read,
  edit,
  remove,
  rotate,
  test,
  listDeliveries,
  replay,
  listJobDeliveries,
  replayJobDelivery,
  recover,
] as const;
