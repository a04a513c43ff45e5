import type { Command } from '@event-driven-io/emmett';
import { metaOf } from '../eventlog/event-log.ts';
import type { Call } from '../kernel/call.ts';
import { uuidOf } from '../kernel/ids.ts';
import { invalidRequest, Refusal } from '../kernel/refusal.ts';
import { rotationOverlapMs, type WebhookSecrets } from './signature.ts';
import * as webhook from './webhook.ts';
import type { WebhookStreams } from './webhook-streams.ts';

export type RegisterWebhook = Command<
  'RegisterWebhook',
  Omit<webhook.WebhookRegistered['data'], 'at'>,
  { now: Date; maxWebhooks: number }
>;

/** Refuses a second webhook with the same URL, which would be notified twice. */
export const decide = (
  { data, metadata: { now, maxWebhooks } }: RegisterWebhook,
  state: webhook.State,
): webhook.WebhookEvent[] => {
  const { accountId, webhookId, url, kinds, description } = data;
  if (state.webhooks.has(webhookId)) return [];
  refuseTooMany(state);
  if (state.webhooks.size >= maxWebhooks) {
    const message = `An account may have at most ${maxWebhooks} webhooks. Delete one first.`;
    throw invalidRequest(message, { path: 'webhooks', code: 'too_many' }, { max: maxWebhooks });
  }
  refuseTaken(state, url, webhookId);
  const at = now.toISOString();
  return [{ type: 'WebhookRegistered', data: { accountId, webhookId, url, kinds, description, at } }];
};

/** Absent members are not changed. */
type WebhookChanges = Partial<Pick<webhook.Webhook, 'url' | 'kinds' | 'description' | 'isActive'>>;

/** One event for each changed member. */
const decideEdit = (
  { webhookId, url, kinds, description, isActive }: WebhookChanges & { readonly webhookId: string },
  now: Date,
  state: webhook.State,
): webhook.WebhookEvent[] => {
  const one = requireWebhook(state, webhookId);
  const about = { accountId: one.accountId, webhookId, at: now.toISOString() };
  const events: webhook.WebhookEvent[] = [];
  if (url !== undefined && url !== one.url) {
    refuseTaken(state, url, webhookId);
    events.push({ type: 'WebhookMoved', data: { ...about, url } });
  }
  if (kinds !== undefined && kinds.join() !== one.kinds.join()) {
    events.push({ type: 'WebhookKindsChosen', data: { ...about, kinds } });
  }
  if (description !== undefined && description !== one.description) {
    events.push({ type: 'WebhookDescribed', data: { ...about, description } });
  }
  if (isActive === true && !one.isActive) events.push({ type: 'WebhookEnabled', data: about });
  if (isActive === false && one.isActive) {
    events.push({ type: 'WebhookDisabled', data: { ...about, why: 'owner' } });
  }
  if (events.length > 0) refuseTooMany(state);
  return events;
};

/** Removes a webhook; its open deliveries end. */
export const decideRemoval = (webhookId: string, now: Date, state: webhook.State): webhook.WebhookEvent[] => {
  const { accountId } = requireWebhook(state, webhookId);
  return [{ type: 'WebhookRemoved', data: { accountId, webhookId, at: now.toISOString() } }];
};

/** Rotates the secret of a webhook; the previous one also signs for `rotationOverlapMs`. Throws WEBHOOK_NOT_FOUND, and INVALID_REQUEST after too many changes. */
const decideRotation = (webhookId: string, now: Date, state: webhook.State): webhook.WebhookEvent[] => {
  const { accountId, signing } = requireWebhook(state, webhookId);
  refuseTooMany(state);
  return [{ type: 'WebhookSecretRotated', data: { accountId, webhookId, ...rotated(signing, now) } }];
};

/** Rotates the secret of the account, which signs deliveries to the `webhook_url` of jobs. */
const decideSigningRotation = (accountId: string, now: Date, state: webhook.State): webhook.WebhookEvent[] => {
  refuseTooMany(state);
  return [{ type: 'SigningSecretRotated', data: { accountId, ...rotated(state.signing, now) } }];
};

const rotated = ({ generation }: webhook.SigningSecret, now: Date) => ({
  generation: generation + 1,
  previousUntil: new Date(now.getTime() + rotationOverlapMs).toISOString(),
  at: now.toISOString(),
});

const refuseTaken = ({ webhooks }: webhook.State, url: string, except: string): void => {
  const taken = webhooks.values().find((one) => one.url === url && one.webhookId !== except);
  if (taken === undefined) return;
  throw invalidRequest(`The URL is already registered, as ${taken.webhookId}.`, {
    path: 'url',
    code: 'taken',
    message: 'is already registered',
  });
};

const refuseTooMany = ({ changes }: webhook.State): void => {
  if (changes < webhook.maxChanges) return;
  const message = 'This account has changed its webhooks too many times.';
  throw invalidRequest(message, { path: 'webhooks', code: 'too_many_changes' });
};

/** Throws WEBHOOK_NOT_FOUND, also for a webhook of another account. */
export const requireWebhook = (state: webhook.State, webhookId: string): webhook.Webhook => {
  const one = state.webhooks.get(webhookId);
  if (one !== undefined) return one;
  throw new Refusal('WEBHOOK_NOT_FOUND', 'This account has no webhook with this id.');
};

export type ManageDeps = WebhookStreams & {
  readonly secrets: WebhookSecrets;
  readonly maxWebhooks: number;
  /** Returns the normalized URL; refuses a URL that deliveries may not be sent to. */
  readonly requireReachable: (url: string) => Promise<string>;
  /** Whether a job of this account names a URL for its deliveries. */
  readonly hasJobWithUrl: (accountId: string) => Promise<boolean>;
};

export type ShownWebhook = Omit<webhook.Webhook, 'signing' | 'accountId'>;

export const shown = ({ signing: _, accountId: __, ...rest }: webhook.Webhook): ShownWebhook => rest;

const noSecret = { secret: null, previousUntil: null };

/** The commands on webhooks. A secret is returned when it is made, and never again. */
export const manageWebhooks = (deps: ManageDeps) => {
  const { webhooks, secrets, clock } = deps;

  /** Decides on the webhooks of the caller's account, and returns what `answer` says of the state after it. */
  const run = <Answer>(
    call: Call,
    decideNow: (now: Date, state: webhook.State) => webhook.WebhookEvent[],
    answer: (state: webhook.State) => Answer,
  ): Promise<Answer> => {
    const now = clock();
    return webhooks.run(webhook.streamOf(call.accountId), {
      decide: (state) => decideNow(now, state),
      meta: metaOf(call, now.toISOString()),
      answer,
    });
  };

  return {
    registerWebhook: async (
      call: Call,
      { kinds, description, ...input }: Pick<webhook.Webhook, 'url' | 'kinds' | 'description'>,
    ): Promise<{ readonly webhook: ShownWebhook; readonly secret: string }> => {
      const { accountId, deduplicationKey } = call;
      const url = await deps.requireReachable(input.url);
      const webhookId = `whk_${uuidOf(`${accountId}|${deduplicationKey}|webhook`).replaceAll('-', '')}`;
      const data = { accountId, webhookId, url, kinds, description };
      const one = await run(
        call,
        (now, state) => {
          const metadata = { now, maxWebhooks: deps.maxWebhooks };
          return decide({ type: 'RegisterWebhook', data, metadata }, state);
        },
        (state) => requireWebhook(state, webhookId),
      );
      return { webhook: shown(one), secret: await secrets.made(accountId, webhookId, one.signing.generation) };
    },
    editWebhook: async (
      call: Call,
      { webhookId, changes }: { webhookId: string; changes: WebhookChanges },
    ): Promise<ShownWebhook> => {
      const { url } = changes;
      const checked = url === undefined ? {} : { url: await deps.requireReachable(url) };
      return await run(
        call,
        (now, state) => decideEdit({ ...changes, ...checked, webhookId }, now, state),
        (state) => shown(requireWebhook(state, webhookId)),
      );
    },
    removeWebhook: async (call: Call, { webhookId }: { webhookId: string }): Promise<void> => {
      await run(
        call,
        (now, state) => decideRemoval(webhookId, now, state),
        () => null,
      );
    },
    rotateWebhookSecret: async (call: Call, { webhookId }: { webhookId: string }) => {
      const { generation, previousUntil } = await run(
        call,
        (now, state) => decideRotation(webhookId, now, state),
        (state) => requireWebhook(state, webhookId).signing,
      );
      return { secret: await secrets.made(call.accountId, webhookId, generation), previousUntil };
    },
    /** The secret that signs deliveries to the `webhook_url` of jobs; none before the first webhook or such a job. */
    signingSecret: async ({ accountId }: Call) => {
      const state = await webhooks.read(webhook.streamOf(accountId));
      const isMade = state.changes > 0 || (await deps.hasJobWithUrl(accountId));
      if (!isMade) return noSecret;
      const { generation, previousUntil } = state.signing;
      return { secret: await secrets.find(accountId, accountId, generation), previousUntil };
    },
    rotateSigningSecret: async (call: Call) => {
      const { generation, previousUntil } = await run(
        call,
        (now, state) => decideSigningRotation(call.accountId, now, state),
        (state) => state.signing,
      );
      return { secret: await secrets.made(call.accountId, call.accountId, generation), previousUntil };
    },
  };
};
