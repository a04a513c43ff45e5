import type { Command } from '@event-driven-io/emmett';
import { bySystem } from '../eventlog/commands/decision-batcher.ts';
import { type ExpectedAttempt, isSuperseded } from '../kernel/attempt-fencing.ts';
import type { Clock } from '../kernel/clock.ts';
import * as delivery from './delivery.ts';
import { bodyOf, dataOfRun, type Notice, type RunFacts, sampleFacts } from './payload.ts';
import { type Secrets, signatureHeaders, type WebhookSecrets } from './signature.ts';
import * as webhook from './webhook.ts';
import type { WebhookStreams } from './webhook-streams.ts';

/** The result of one attempt. `retryAfterMs`: the wait that the receiver asked for, else null. */
export type Attempt =
  | { readonly kind: 'delivered'; readonly httpStatus: number; readonly durationMs: number }
  | {
      readonly kind: 'failed';
      readonly why: delivery.AttemptFailure;
      readonly httpStatus: number | null;
      readonly retryAfterMs: number | null;
      readonly durationMs: number;
    };

/** The port to receivers. Sends one POST, follows no redirect and resolves for every failure of a receiver. */
export type SendWebhook = (request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}) => Promise<Attempt>;

/** `jitter` from 0 to 1. */
export type RecordAttempt = Command<
  'RecordAttempt',
  { attempt: number; outcome: Attempt; jitter: number },
  { now: Date; scheduleMs: readonly number[] }
>;

const longestRetryAfterMs = 24 * 3_600_000;

/**
 * Records an attempt once. The delivery fails after the last attempt of the schedule, or at once when the receiver
 * answers 410.
 */
export const decide = (
  { data, metadata: { now, scheduleMs } }: RecordAttempt,
  { requested, status, attempts }: delivery.State,
): delivery.DeliveryEvent[] => {
  const { attempt, outcome, jitter } = data;
  if (requested === null || status !== 'pending' || attempt !== attempts + 1) return [];
  const { deliveryId, accountId, webhookId } = requested;
  const at = now.toISOString();
  const about = { deliveryId, accountId, webhookId, at };
  if (outcome.kind === 'delivered') {
    const { httpStatus, durationMs } = outcome;
    return [{ type: 'DeliverySucceeded', data: { ...about, attempt, httpStatus, durationMs } }];
  }
  const { why, httpStatus, durationMs } = outcome;
  const delayMs = scheduleMs[attempt];
  const isGone = httpStatus === 410;
  const retryAt =
    delayMs === undefined || isGone
      ? null
      : new Date(now.getTime() + waitMs(delayMs, jitter, outcome.retryAfterMs)).toISOString();
  const failed: delivery.DeliveryAttemptFailed = {
    type: 'DeliveryAttemptFailed',
    data: { ...about, attempt, why, httpStatus, durationMs, retryAt },
  };
  if (retryAt !== null) return [failed];
  return [failed, { type: 'DeliveryGivenUp', data: { ...about, why: isGone ? 'gone' : 'exhausted' } }];
};

/** The delay with 10 % of jitter, at least as long as the receiver asked for (a day at most). */
const waitMs = (delayMs: number, jitter: number, retryAfterMs: number | null): number =>
  Math.max(Math.round(delayMs * (0.9 + 0.2 * jitter)), Math.min(retryAfterMs ?? 0, longestRetryAfterMs));

/** Ends a delivery whose webhook is disabled or removed. */
export const decideDisabled = ({ requested, status }: delivery.State, now: Date): delivery.DeliveryEvent[] => {
  if (requested === null || status !== 'pending') return [];
  const { deliveryId, accountId, webhookId } = requested;
  const at = now.toISOString();
  return [{ type: 'DeliveryGivenUp', data: { deliveryId, accountId, webhookId, why: 'disabled', at } }];
};

export type DeliverDeps = WebhookStreams & {
  readonly send: SendWebhook;
  readonly secrets: WebhookSecrets;
  /** The base URL of links, without a trailing slash. */
  readonly publicUrl: () => Promise<string>;
  /** Null when there is no such run. */
  readonly factsOf: (about: { readonly jobId: string; readonly run: number }) => Promise<RunFacts | null>;
  /**
   * The start of the present series of failures, RFC 3339; null when the newest attempt succeeded or there was none.
   */
  readonly failingSince: (webhookId: string) => Promise<string | null>;
  readonly clock: Clock;
  readonly random: () => number;
  /** The delay before each attempt; its length is the number of attempts. */
  readonly scheduleMs: readonly number[];
  readonly disableAfterMs: number;
};

export type DeliveryAttempt = { readonly deliveryId: string; readonly expectedAttempt: ExpectedAttempt };

/**
 * Makes the next attempt of a delivery and records the result. Two concurrent runs may send the request twice, with the
 * same id and the same bytes, but record one attempt.
 */
export const deliverWebhook =
  (deps: DeliverDeps) =>
  async (
    { deliveryId, expectedAttempt }: DeliveryAttempt,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<void> => {
    const { deliveries, webhooks } = deps;
    const stream = delivery.streamOf(deliveryId);
    const { requested, status, attempts } = await deliveries.read(stream);
    if (requested === null || status !== 'pending' || isSuperseded(attempts, expectedAttempt)) return;
    const { accountId, webhookId } = requested;
    const account = await webhooks.read(webhook.streamOf(accountId));
    const receiver = webhookId === null ? null : (account.webhooks.get(webhookId) ?? null);
    // An erasure of the account has removed the URL.
    const isOver = requested.url === '' || (webhookId !== null && receiver?.isActive !== true);
    if (isOver) {
      await deliveries.run(stream, bySystem(deps, accountId, decideDisabled));
      return;
    }
    const outcome = await deps.send({
      url: requested.url,
      ...(await signedBody(deps, requested, await secretsFor(deps, account, requested))),
      signal,
    });
    // Aborted before there was a response: another run makes this attempt. A response is always recorded.
    if (outcome.httpStatus === null) signal.throwIfAborted();
    const data = { attempt: attempts + 1, outcome, jitter: deps.random() };
    const { scheduleMs } = deps;
    const recorded = bySystem(deps, accountId, (state: delivery.State, now) =>
      decide({ type: 'RecordAttempt', data, metadata: { now, scheduleMs } }, state),
    );
    await deliveries.run(stream, recorded);
    if (webhookId !== null && outcome.kind === 'failed') {
      await disableWhenDue(deps, accountId, webhookId, outcome);
    }
  };

/**
 * A registered webhook signs with its own secret, also when its URL was given with a job: the receiver knows no other
 * secret. Any other URL of a job is signed with the secret of the account.
 */
const secretsFor = (
  { secrets, clock }: DeliverDeps,
  account: webhook.State,
  { accountId, webhookId, url }: delivery.DeliveryRequested['data'],
): Promise<Secrets> => {
  const isHere = (one: webhook.Webhook): boolean =>
    webhookId === null ? one.url === url : one.webhookId === webhookId;
  const receiver = account.webhooks.values().find(isHere);
  const ownerId = receiver?.webhookId ?? accountId;
  const { generation: newest, previousUntil } = (receiver ?? account).signing;
  const overlaps = previousUntil !== null && clock().toISOString() < previousUntil;
  const generations = overlaps ? [newest, newest - 1] : [newest];
  return Promise.all(generations.map((generation) => secrets.find(accountId, ownerId, generation)));
};

const signedBody = async (deps: DeliverDeps, requested: delivery.DeliveryRequested['data'], secrets: Secrets) => {
  const { clock } = deps;
  const { eventId, kind } = requested;
  const body = bodyOf({ eventId, kind, ...(await toldOf(deps, requested)) });
  const timestampS = Math.floor(clock().getTime() / 1_000);
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Steno-Webhooks/1.0',
      ...signatureHeaders({ id: eventId, timestampS, body, secrets }),
    },
  };
};

/** What a delivery tells: that of a run of a job is read from its streams, and is always the same. */
const toldOf = async (
  { factsOf, publicUrl }: DeliverDeps,
  { jobId, run, subject, happenedAt, at }: delivery.DeliveryRequested['data'],
): Promise<Pick<Notice, 'at' | 'data' | 'isTest'>> => {
  if (subject !== undefined) return { at: happenedAt ?? at, data: subject, isTest: false };
  const isTest = jobId === null || run === null;
  const facts = isTest ? sampleFacts(at) : await factsOf({ jobId, run });
  if (facts === null) throw new Error(`${jobId} has no run ${run}`);
  return { at: facts.updatedAt, data: dataOfRun(facts, await publicUrl()), isTest };
};

/**
 * Disables a webhook whose receiver answered 410, or that has failed for `disableAfterMs` without one success. Enabling
 * it starts a new count.
 */
const disableWhenDue = async (
  deps: DeliverDeps,
  accountId: string,
  webhookId: string,
  { httpStatus }: Attempt,
): Promise<void> => {
  const isGone = httpStatus === 410;
  const since = isGone ? null : await deps.failingSince(webhookId);
  const disabled = bySystem(deps, accountId, (state: webhook.State, now): readonly webhook.WebhookEvent[] => {
    const one = state.webhooks.get(webhookId);
    if (one?.isActive !== true || (!isGone && since === null)) return [];
    const from = Math.max(Date.parse(since ?? one.enabledAt), Date.parse(one.enabledAt));
    if (!isGone && now.getTime() - from < deps.disableAfterMs) return [];
    const why = isGone ? 'gone' : 'failing';
    return [{ type: 'WebhookDisabled', data: { accountId, webhookId, why, at: now.toISOString() } }];
  });
  await deps.webhooks.run(webhook.streamOf(accountId), disabled);
};
