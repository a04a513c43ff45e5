import type { CreditsEvent } from './credits/credits.ts';
import type { ItemEvent } from './jobs/item-group.ts';
import type { JobEvent } from './jobs/job.ts';
import type { DeliveryEvent } from './webhooks/delivery.ts';
import type { WebhookEvent } from './webhooks/webhook.ts';

/** What others than its own room react to. */
export type ProductEvent = CreditsEvent | JobEvent | ItemEvent | WebhookEvent | DeliveryEvent;
