import type { Commands, ShownWebhook } from '../../../commands.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import * as endpoints from '../../../contract/webhooks.ts';
import type { DeliveryRow, Page } from '../../../queries.ts';
import { type HttpResponse, json, noContent } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';

const webhookAnswer = answerOf(endpoints.webhookSchema);
const deliveryAnswer = answerOf(endpoints.deliverySchema);
const attemptAnswer = answerOf(endpoints.attemptSchema);
const secretAnswer = answerOf(endpoints.secretSchema);
const currentSecretAnswer = answerOf(endpoints.currentSecretSchema);

const webhookJson = (webhook: ShownWebhook) =>
  webhookAnswer(webhook, { id: webhook.webhookId, events: webhook.kinds, active: webhook.isActive });

const deliveryJson = (delivery: DeliveryRow) =>
  deliveryAnswer(delivery, {
    id: delivery.deliveryId,
    type: delivery.kind,
    next_attempt_at: delivery.dueAt,
    created_at: delivery.requestedAt,
    attempts: delivery.attempts.map((attempt) =>
      attemptAnswer(attempt, { success: attempt.isSuccess, reason: attempt.why }),
    ),
  });

const requestedAnswer = async (requested: ReturnType<Commands['testWebhook']>): Promise<HttpResponse> =>
  json({ delivery_id: (await requested).deliveryId }, { status: 202 });

const deliveriesAnswer = ({ rows, nextBefore }: Page<DeliveryRow>): HttpResponse =>
  json({ deliveries: rows.map(deliveryJson), next_before: nextBefore });

/** Webhooks by API key. */
export const webhooks = ({
  commands,
  queries,
}: Application<
  | 'editWebhook'
  | 'recoverDeliveries'
  | 'registerWebhook'
  | 'removeWebhook'
  | 'replayDelivery'
  | 'replayJobDelivery'
  | 'rotateSigningSecret'
  | 'rotateWebhookSecret'
  | 'signingSecret'
  | 'testWebhook',
  'job' | 'jobDeliveries' | 'webhook' | 'webhookDeliveries' | 'webhooks'
>): Route[] => [
  keyRoute(endpoints.list, async ({ call }) =>
    json({ webhooks: (await queries.webhooks(call.accountId)).map(webhookJson) }),
  ),
  keyRoute(endpoints.register, async ({ call, body }) => {
    const { url, events: kinds, description } = body;
    const { webhook, secret } = await commands.registerWebhook(call, { url, kinds, description });
    return json({ webhook: webhookJson(webhook), secret }, { status: 201 });
  }),
  keyRoute(endpoints.showSecret, async ({ call }) => json(currentSecretAnswer(await commands.signingSecret(call)))),
  keyRoute(endpoints.rotateSigning, async ({ call }) => json(secretAnswer(await commands.rotateSigningSecret(call)))),
  keyRoute(endpoints.read, async ({ call, params: { webhookId } }) => {
    return json(webhookJson(await queries.webhook(call.accountId, webhookId)));
  }),
  keyRoute(endpoints.edit, async ({ call, params: { webhookId }, body }) => {
    const { url, events: kinds, active: isActive, description } = body;
    const changes = {
      ...(url === undefined ? {} : { url }),
      ...(kinds === undefined ? {} : { kinds }),
      ...(isActive === undefined ? {} : { isActive }),
      ...(description === undefined ? {} : { description }),
    };
    return json(webhookJson(await commands.editWebhook(call, { webhookId, changes })));
  }),
  keyRoute(endpoints.remove, async ({ call, params }) => {
    await commands.removeWebhook(call, params);
    return noContent();
  }),
  keyRoute(endpoints.rotate, async ({ call, params }) =>
    json(secretAnswer(await commands.rotateWebhookSecret(call, params))),
  ),
  keyRoute(endpoints.test, ({ call, params }) => requestedAnswer(commands.testWebhook(call, params))),
  keyRoute(endpoints.listDeliveries, async ({ call, params: { webhookId }, query }) => {
    const { limit, before = null } = query;
    return deliveriesAnswer(await queries.webhookDeliveries(call.accountId, webhookId, { limit, before }));
  }),
  keyRoute(endpoints.listJobDeliveries, async ({ call, params, query }) => {
    const { limit, before = null } = query;
    const { jobId } = await queries.job(call.accountId, params.jobId);
    return deliveriesAnswer(await queries.jobDeliveries(call.accountId, jobId, { limit, before }));
  }),
  keyRoute(endpoints.replayJobDelivery, ({ call, params }) =>
    requestedAnswer(commands.replayJobDelivery(call, params)),
  ),
  keyRoute(endpoints.replay, ({ call, params }) => requestedAnswer(commands.replayDelivery(call, params))),
  keyRoute(endpoints.recover, async ({ call, params: { webhookId }, body: { since } }) => {
    const { deliveryIds } = await commands.recoverDeliveries(call, { webhookId, since });
    return json({ delivery_ids: deliveryIds }, { status: 202 });
  }),
];
