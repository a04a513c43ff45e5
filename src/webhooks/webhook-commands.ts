import type { manageWebhooks, ShownWebhook } from './register-webhook.ts';
import type { replayDeliveries } from './request-delivery.ts';

export type { ShownWebhook };

/** The application commands on webhooks. */
export type WebhookCommands = ReturnType<typeof manageWebhooks> & ReturnType<typeof replayDeliveries>;
