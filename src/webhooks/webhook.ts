import { z } from 'zod';
import * as field from '../contract/event-fields.ts';
import { type EventOf, event, orNull } from '../eventlog/event-schema.ts';
import { uuidOf } from '../kernel/ids.ts';
import { webhookKind } from './payload.ts';

/*
 * All webhooks of one account are one stream: their number and the uniqueness of their URLs are decided under one
 * version. Bound: `maxChanges` events; later changes are refused (one change a minute for a week).
 */
export const maxChanges = 10_000;

export const streamOf = (accountId: string): string => `webhooks-${accountId}`;

const disabledReason = z
  .enum(['owner', 'gone', 'failing'])
  .meta({
    id: 'DisabledReason',
    description:
      '`owner`: on request. `gone`: the receiver answered 410. `failing`: deliveries have failed for `WEBHOOK_DISABLE_AFTER` without a success',
  });

export type DisabledReason = z.output<typeof disabledReason>;

/** The first fields of events about one webhook. */
const ofWebhook = { accountId: field.accountId, webhookId: field.webhookId };

export const webhookEvents = {
  WebhookRegistered: event('A webhook was registered. Its secret has generation 1.', {
    ...ofWebhook,
    url: field.url,
    kinds: z.array(webhookKind).readonly().describe('the kinds of events that are sent'),
    description: orNull(field.description, 'none'),
    at: field.at,
  }),
  WebhookMoved: event('The URL of the webhook was changed.', { ...ofWebhook, url: field.url, at: field.at }),
  WebhookKindsChosen: event('The owner chose the kinds of events that are sent.', {
    ...ofWebhook,
    kinds: z.array(webhookKind).readonly().describe('the kinds of events that are sent'),
    at: field.at,
  }),
  WebhookDescribed: event('The owner changed the description of the webhook.', {
    ...ofWebhook,
    description: orNull(field.description, 'none'),
    at: field.at,
  }),
  WebhookEnabled: event('The webhook was enabled: deliveries resume, and earlier failures no longer count.', {
    ...ofWebhook,
    at: field.at,
  }),
  WebhookDisabled: event('The webhook was disabled: nothing more is sent, and pending deliveries are given up.', {
    ...ofWebhook,
    why: disabledReason,
    at: field.at,
  }),
  WebhookRemoved: event('The webhook was removed; pending deliveries are given up.', { ...ofWebhook, at: field.at }),
  WebhookSecretRotated: event(
    'The secret of the webhook was rotated. The previous secret also signs until `previousUntil`.',
    { ...ofWebhook, generation: field.generation, previousUntil: field.previousUntil, at: field.at },
  ),
  SigningSecretRotated: event(
    'The secret that signs deliveries to URLs given with jobs and follows was rotated. Generation 1 exists without an event.',
    {
      accountId: field.accountId,
      generation: field.generation,
      previousUntil: orNull(field.previousUntil, 'there was none'),
      at: field.at,
    },
  ),
};

export type WebhookEvent = EventOf<typeof webhookEvents>;
export type WebhookRegistered = EventOf<typeof webhookEvents, 'WebhookRegistered'>;

/** The generation of the secret, and until when the previous one also signs. */
export type SigningSecret = { readonly generation: number; readonly previousUntil: string | null };

export type Webhook = Omit<WebhookRegistered['data'], 'at'> & {
  readonly isActive: boolean;
  readonly disabledReason: DisabledReason | null;
  /** When it was last enabled; earlier failures do not count. */
  readonly enabledAt: string;
  readonly signing: SigningSecret;
  readonly createdAt: string;
};

export type State = {
  readonly webhooks: ReadonlyMap<string, Webhook>;
  /** The secret of the account. Secrets are derived: the first generation needs no event. */
  readonly signing: SigningSecret;
  readonly changes: number;
};

const firstSigning: SigningSecret = { generation: 1, previousUntil: null };

export const initialState = (): State => ({ webhooks: new Map(), signing: firstSigning, changes: 0 });

export const evolve = (state: State, event: WebhookEvent): State => ({
  ...evolved(state, event),
  changes: state.changes + 1,
});

const evolved = (state: State, { type, data }: WebhookEvent): State => {
  switch (type) {
    case 'WebhookRegistered': {
      const { at, ...registered } = data;
      const began = { isActive: true, disabledReason: null, enabledAt: at, signing: firstSigning, createdAt: at };
      return { ...state, webhooks: new Map([...state.webhooks, [data.webhookId, { ...registered, ...began }]]) };
    }
    case 'WebhookMoved':
      return withWebhook(state, data.webhookId, { url: data.url });
    case 'WebhookKindsChosen':
      return withWebhook(state, data.webhookId, { kinds: data.kinds });
    case 'WebhookDescribed':
      return withWebhook(state, data.webhookId, { description: data.description });
    case 'WebhookEnabled':
      return withWebhook(state, data.webhookId, { isActive: true, disabledReason: null, enabledAt: data.at });
    case 'WebhookDisabled':
      return withWebhook(state, data.webhookId, { isActive: false, disabledReason: data.why });
    case 'WebhookRemoved': {
      const webhooks = new Map(state.webhooks);
      webhooks.delete(data.webhookId);
      return { ...state, webhooks };
    }
    case 'WebhookSecretRotated':
      return withWebhook(state, data.webhookId, { signing: signingOf(data) });
    case 'SigningSecretRotated':
      return { ...state, signing: signingOf(data) };
  }
};

const signingOf = ({ generation, previousUntil }: SigningSecret): SigningSecret => ({ generation, previousUntil });

const withWebhook = (state: State, webhookId: string, changes: Partial<Webhook>): State => {
  const webhook = state.webhooks.get(webhookId);
  if (webhook === undefined) return state;
  return { ...state, webhooks: new Map([...state.webhooks, [webhookId, { ...webhook, ...changes }]]) };
};

/** The id of a change is derived from its place in the stream, that of a registration from its webhook. */
export const idOf = (stream: string, { type, data }: WebhookEvent, version: bigint): string =>
  type === 'WebhookRegistered' ? uuidOf(`${type}|${data.webhookId}`) : uuidOf(`${stream}|${version}`);
