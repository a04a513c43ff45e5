import type { manageWebhooks, ShownWebhook } from './register-webhook.ts';
import type { sendAgain } from './request-delivery.ts';

export type { WebhookKind } from './payload.ts';
export type { ShownWebhook };

/** What an owner can do with webhooks. */
export type WebhookCommands = ReturnType<typeof manageWebhooks> & ReturnType<typeof sendAgain>;
