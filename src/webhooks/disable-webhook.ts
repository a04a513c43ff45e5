import type * as webhook from './webhook.ts';

/** The receiver answered 410 Gone. */
export const decideGone = (webhookId: string, now: Date, { webhooks }: webhook.State): webhook.WebhookEvent[] =>
  disabled(webhooks.get(webhookId), 'gone', now);

/** Disables a webhook that has failed since `since` without one success. Enabling it starts a new count. */
export const decideFailing = (
  {
    webhookId,
    since,
    disableAfterMs,
    now,
  }: {
    readonly webhookId: string;
    readonly since: string | null;
    readonly disableAfterMs: number;
    readonly now: Date;
  },
  { webhooks }: webhook.State,
): webhook.WebhookEvent[] => {
  const one = webhooks.get(webhookId);
  if (one === undefined || since === null) return [];
  const from = Math.max(Date.parse(since), Date.parse(one.enabledAt));
  return now.getTime() - from < disableAfterMs ? [] : disabled(one, 'failing', now);
};

const disabled = (one: webhook.Webhook | undefined, why: webhook.DisabledReason, now: Date): webhook.WebhookEvent[] => {
  if (one?.isActive !== true) return [];
  const { accountId, webhookId } = one;
  return [{ type: 'WebhookDisabled', data: { accountId, webhookId, why, at: now.toISOString() } }];
};
