import type { Event } from '@event-driven-io/emmett';
import { uuidOf } from '../kernel/ids.ts';
import type { WebhookKind } from './payload.ts';

/*
 * All webhooks of one account are one stream: their number and the uniqueness of their URLs are decided under one
 * version. Bound: `maxChanges` events; later changes are refused (one change a minute for a week).
 */
export const maxChanges = 10_000;

export const streamOf = (accountId: string): string => `webhooks-${accountId}`;

/** A receiver is registered; its secret is that of generation 1. */
export type WebhookRegistered = Event<
  'WebhookRegistered',
  {
    accountId: string;
    webhookId: string;
    url: string;
    kinds: readonly WebhookKind[];
    description: string | null;
    at: string;
  }
>;

/** The receiver is at another address from now on. */
export type WebhookMoved = Event<
  'WebhookMoved',
  { accountId: string; webhookId: string; url: string; at: string }
>;

/** The receiver wants to hear of these things. */
export type WebhookKindsChosen = Event<
  'WebhookKindsChosen',
  { accountId: string; webhookId: string; kinds: readonly WebhookKind[]; at: string }
>;

/** Its owner says what the receiver is for. */
export type WebhookDescribed = Event<
  'WebhookDescribed',
  { accountId: string; webhookId: string; description: string | null; at: string }
>;

/** Deliveries go there again; failures before this are forgiven. */
export type WebhookEnabled = Event<
  'WebhookEnabled',
  { accountId: string; webhookId: string; at: string }
>;

/** `owner`: as asked; `gone`: the receiver answered 410; `failing`: it has failed for days without a success. */
export type DisabledReason = 'owner' | 'gone' | 'failing';

/** Nothing is sent there any more, and what was still due is given up. */
export type WebhookDisabled = Event<
  'WebhookDisabled',
  { accountId: string; webhookId: string; why: DisabledReason; at: string }
>;

/** The receiver is forgotten; what was still due is given up. */
export type WebhookRemoved = Event<
  'WebhookRemoved',
  { accountId: string; webhookId: string; at: string }
>;

/** A new generation signs; the one before signs beside it until `previousUntil`. */
export type WebhookSecretRotated = Event<
  'WebhookSecretRotated',
  { accountId: string; webhookId: string; generation: number; previousUntil: string; at: string }
>;

/** Another generation of the account's own secret signs, for URLs that come with a job. Generation 1 needs no event. */
export type SigningSecretRotated = Event<
  'SigningSecretRotated',
  { accountId: string; generation: number; previousUntil: string | null; at: string }
>;

export type WebhookEvent =
  | WebhookRegistered
  | WebhookMoved
  | WebhookKindsChosen
  | WebhookDescribed
  | WebhookEnabled
  | WebhookDisabled
  | WebhookRemoved
  | WebhookSecretRotated
  | SigningSecretRotated;

/** The generation of the secret, and until when the previous one also signs. */
export type Signing = { readonly generation: number; readonly previousUntil: string | null };

export type Webhook = {
  readonly accountId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly kinds: readonly WebhookKind[];
  readonly description: string | null;
  readonly isActive: boolean;
  readonly disabledReason: DisabledReason | null;
  /** When it was last enabled; earlier failures do not count. */
  readonly enabledAt: string;
  readonly signing: Signing;
  readonly createdAt: string;
};

/** The types of the events of this file, in the order of `docs/events.md`. */
export const eventTypes = {
  WebhookRegistered: true,
  WebhookMoved: true,
  WebhookKindsChosen: true,
  WebhookDescribed: true,
  WebhookEnabled: true,
  WebhookDisabled: true,
  WebhookRemoved: true,
  WebhookSecretRotated: true,
  SigningSecretRotated: true,
} satisfies Readonly<Record<WebhookEvent['type'], true>>;

export type State = {
  readonly webhooks: ReadonlyMap<string, Webhook>;
  /** The secret of the account. Secrets are derived: the first generation needs no event. */
  readonly signing: Signing;
  readonly changes: number;
};

const firstSigning: Signing = { generation: 1, previousUntil: null };

export const initialState = (): State => ({
  webhooks: new Map(),
  signing: firstSigning,
  changes: 0,
});

export const evolve = (state: State, event: WebhookEvent): State => ({
  ...evolved(state, event),
  changes: state.changes + 1,
});

const evolved = (state: State, { type, data }: WebhookEvent): State => {
  switch (type) {
    case 'WebhookRegistered': {
      const { accountId, webhookId, url, kinds, description, at } = data;
      const webhook: Webhook = {
        accountId,
        webhookId,
        url,
        kinds,
        description,
        isActive: true,
        disabledReason: null,
        enabledAt: at,
        signing: firstSigning,
        createdAt: at,
      };
      return { ...state, webhooks: new Map([...state.webhooks, [webhookId, webhook]]) };
    }
    case 'WebhookMoved':
      return withWebhook(state, data.webhookId, (one) => ({ ...one, url: data.url }));
    case 'WebhookKindsChosen':
      return withWebhook(state, data.webhookId, (one) => ({ ...one, kinds: data.kinds }));
    case 'WebhookDescribed':
      return withWebhook(state, data.webhookId, (one) => ({
        ...one,
        description: data.description,
      }));
    case 'WebhookEnabled':
      return withWebhook(state, data.webhookId, (one) => ({
        ...one,
        isActive: true,
        disabledReason: null,
        enabledAt: data.at,
      }));
    case 'WebhookDisabled':
      return withWebhook(state, data.webhookId, (one) => ({
        ...one,
        isActive: false,
        disabledReason: data.why,
      }));
    case 'WebhookRemoved': {
      const webhooks = new Map(state.webhooks);
      webhooks.delete(data.webhookId);
      return { ...state, webhooks };
    }
    case 'WebhookSecretRotated':
      return withWebhook(state, data.webhookId, (one) => ({
        ...one,
        signing: { generation: data.generation, previousUntil: data.previousUntil },
      }));
    case 'SigningSecretRotated':
      return {
        ...state,
        signing: { generation: data.generation, previousUntil: data.previousUntil },
      };
  }
};

const withWebhook = (
  state: State,
  webhookId: string,
  change: (webhook: Webhook) => Webhook,
): State => {
  const webhook = state.webhooks.get(webhookId);
  if (webhook === undefined) return state;
  return { ...state, webhooks: new Map([...state.webhooks, [webhookId, change(webhook)]]) };
};

/** The id of a change is derived from its place in the stream, that of a registration from its webhook. */
export const idOf = (stream: string, { type, data }: WebhookEvent, version: bigint): string =>
  type === 'WebhookRegistered'
    ? uuidOf(`${type}|${data.webhookId}`)
    : uuidOf(`${stream}|${version}`);
