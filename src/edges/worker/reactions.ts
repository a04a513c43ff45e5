import type { ProductEvent } from '../../events.ts';
import type { Task } from './task.ts';

/*
 * The table of events and the tasks that they start. A subscription passes committed events to it and adds the tasks in
 * the transaction of its checkpoint, so each is added exactly once. The key of a task is the event's id, the task's name
 * and its target: an event that is passed again gives the same keys.
 */

/** An event with what reactions need of its record. */
export type ReactionEvent<E extends ProductEvent = ProductEvent> = E & {
  readonly id: string;
  /** By the clock of the database, which the queue goes by too. */
  readonly recordedAt: string;
  /** The request that caused it; absent: none did. */
  readonly requestId?: string;
  /** The span that caused it, in the metadata of the event. */
  readonly traceparent?: string;
};

/** The subscription that fills the queue; its checkpoint is stored under this name. */
export const reactionsName = 'reactions';

type Reactions = {
  readonly [Type in ProductEvent['type']]?: (
    event: ReactionEvent<Extract<ProductEvent, { type: Type }>>,
    settings: ReactionSettings,
  ) => readonly TaskRequest[];
};

export type ReactionSettings = {
  /** A reservation that is not used within this time is released. */
  readonly reservationMs: number;
  /** Whether this installation sends mails. */
  readonly isMailing: boolean;
  /** When the captions of a video that a follow has read are looked at again, counted from then. */
  readonly recheckMs: readonly number[];
  /** Whether an account that somebody registers waits for a proof of its mailbox. */
  readonly requiresMailboxProof: boolean;
};

type TaskRequest = Omit<Task, 'key'> & {
  /** Distinguishes the tasks of one name that an event starts. It is part of stored keys and never changes. */
  readonly target: string;
};

/** They run when a time has come, long after the trace of their event. */
const untraced: ReadonlySet<string> = new Set([
  'check-reservation',
  'renew-credits',
  'recheck-captions',
  'pause-follows-of-grant',
]);

/** After this time no request is running that was authenticated before the account was erased. */
const lastCallsMs = 120_000;

const reactions: Reactions = {
  JobCreated: ({ data }) => (data.listing === null ? [] : [jobTask('resolve-listing', data)]),
  JobRetried: ({ data }) => [jobTask('requeue-items', data)],
  JobCancelled: ({ data }) => [jobTask('cancel-items', data)],
  JobCancellationSettled: ({ data }) => [jobTask('close-job', data)],
  JobCompleted: (event) => ended(event),
  JobCompletedWithErrors: (event) => ended(event),
  JobFailed: (event) => ended(event),

  ItemsQueued: ({ data }) =>
    extractions(
      data.jobId,
      data.items.map(({ itemId }) => itemId),
    ),
  ItemsRequeued: ({ data }) => extractions(data.jobId, data.itemIds),
  ItemPostponed: (event) => {
    const { jobId, itemId, attempt, retryAt } = event.data;
    return [extraction({ jobId, after: attempt, itemIds: [itemId] }, endOf(event, retryAt))];
  },

  FollowVideoFound: ({ data }) => [videoTurn(data, 0, null)],
  FollowVideoPostponed: (event) => [videoTurn(event.data, event.data.waits, endOf(event, event.data.retryAt))],
  FollowVideoTranscribed: (event, { recheckMs }) => [announcement(event), ...rechecks(event, recheckMs)],
  FollowVideoFailed: (event) => [announcement(event)],
  FollowCaptionsChanged: (event) => [announcement(event)],
  FollowPaused: (event) => [announcement(event)],
  FollowResumed: ({ data }) => [wake(data, null)],
  FollowOptionsChosen: ({ data }) => [wake(data, null)],
  FollowBudgetReached: (event) => [wake(event.data, endOf(event, event.data.retryAt))],
  BudgetReached: ({ id, data }, settings) => [
    request('announce-budget', data.keyId ?? data.authorizationId ?? '', { eventId: id }),
    ...mail(settings, id, {
      ...{ accountId: data.accountId, told: `${data.spent} of ${data.capCredits}` },
      ...(data.keyId === undefined
        ? { kind: 'grant_budget', authorizationId: data.authorizationId ?? '' }
        : { kind: 'budget', keyId: data.keyId }),
    }),
  ],
  KeyRevoked: ({ data: { keyId } }) => [request('pause-follows-of-key', keyId, { keyId })],
  AuthorizationGranted: (event) => [pauseOfGrant(event.data, endOf(event, event.data.expiresAt))],
  // The follows of an erased account end.
  AuthorizationEnded: ({ data }) => (data.why === 'account' ? [] : [pauseOfGrant(data, null)]),
  AccountResumed: ({ data: { accountId } }) => [request('wake-follows', accountId, { accountId })],

  DeliveryRequested: ({ data }) => [delivery(data, 0, null)],
  DeliveryAttemptFailed: (event) => {
    const { attempt, retryAt } = event.data;
    return retryAt === null ? [] : [delivery(event.data, attempt, endOf(event, retryAt))];
  },

  CreditsReserved: ({ recordedAt, data: { accountId, jobId, reservationId } }, { reservationMs }) => [
    request('check-reservation', reservationId, { accountId, jobId, reservationId }, later(recordedAt, reservationMs)),
  ],
  PasswordResetRequested: ({ id, data: { accountId, by, at } }, settings) =>
    by === 'operator' ? [] : mail(settings, id, { kind: 'password_reset', accountId, requestedAt: at }),
  AccountRegistered: ({ id, data: { accountId, by } }, settings) =>
    by === 'owner' && settings.requiresMailboxProof ? mail(settings, id, { kind: 'mailbox_proof', accountId }) : [],
  MailboxProofRequested: ({ id, data: { accountId } }, settings) =>
    mail(settings, id, { kind: 'mailbox_proof', accountId }),
  MailboxProved: ({ data: { accountId } }) => [request('assign-first-plan', accountId, { accountId })],
  SessionStarted: ({ id, requestId, data: { accountId } }, settings) =>
    requestId === undefined ? [] : mail(settings, id, { kind: 'new_place', accountId, requestId }),
  KeyCreated: ({ id, data: { accountId, keyId } }, settings) =>
    mail(settings, id, { kind: 'new_key', accountId, keyId }),
  AccountErased: ({ recordedAt, data: { accountId } }) =>
    [recordedAt, later(recordedAt, lastCallsMs)].map((runAt, look) =>
      request('end-account-work', String(look), { accountId, look }, runAt),
    ),
  BookOpened: ({ data: { accountId, opensAt, closesAt } }) => [
    request('renew-credits', accountId, { accountId, opensAt, closesAt }, closesAt),
  ],
};

const later = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

/**
 * The end of a wait. Its length comes from the event and starts when the event was stored, because the clock of the
 * process that wrote the event may be hours off.
 */
const endOf = (
  { recordedAt, data: { at } }: { readonly recordedAt: string; readonly data: { readonly at: string } },
  until: string,
): string => later(recordedAt, Math.max(0, Date.parse(until) - Date.parse(at)));

/** The event types that start tasks. */
export const reactedTypes = Object.keys(reactions) as readonly ProductEvent['type'][];

/** The tasks that an event starts. */
export const workOf = (event: ReactionEvent, settings: ReactionSettings): readonly Task[] => {
  const react = reactions[event.type] as
    | ((happened: ReactionEvent, settings: ReactionSettings) => readonly TaskRequest[])
    | undefined;
  const { traceparent } = event;
  return (react?.(event, settings) ?? []).map(({ target, ...work }) => ({
    ...work,
    key: `${event.id}|${work.task}|${target}`,
    payload: traceparent === undefined || untraced.has(work.task) ? work.payload : { ...work.payload, traceparent },
  }));
};

/** `runAt` null: now. */
const request = (task: string, target: string, payload: Task['payload'], runAt: string | null = null): TaskRequest => ({
  task,
  target,
  payload,
  runAt,
});

const jobTask = (task: string, { jobId }: { readonly jobId: string }): TaskRequest => request(task, jobId, { jobId });

const ended = (event: {
  readonly id: string;
  readonly data: { readonly jobId: string; readonly run: number };
}): readonly TaskRequest[] => {
  const { jobId, run } = event.data;
  return [jobTask('close-job', event.data), request('announce-run', jobId, { jobId, run, causeId: event.id })];
};

/** Items of one task: few enough that they end at about the same time. */
export const itemsPerTask = 10;

const extractions = (jobId: string, itemIds: readonly string[]): readonly TaskRequest[] =>
  Array.from({ length: Math.ceil(itemIds.length / itemsPerTask) }, (_, index) => {
    const from = index * itemsPerTask;
    return extraction({ jobId, after: 0, itemIds: itemIds.slice(from, from + itemsPerTask) }, null);
  });

type OfVideo = { readonly followId: string; readonly videoId: string };

/** `afterWaits`: how often the video had been put off before. */
const videoTurn = ({ followId, videoId }: OfVideo, afterWaits: number, runAt: string | null): TaskRequest =>
  request('advance-video', videoId, { followId, videoId, afterWaits }, runAt);

const wake = ({ followId }: { readonly followId: string }, runAt: string | null): TaskRequest =>
  request('wake-follow', followId, { followId }, runAt);

const pauseOfGrant = ({ authorizationId }: { readonly authorizationId: string }, runAt: string | null): TaskRequest =>
  request('pause-follows-of-grant', authorizationId, { authorizationId }, runAt);

/** What receivers are told is read from the event. */
const announcement = ({ id }: { readonly id: string }): TaskRequest => request('announce-follow', id, { eventId: id });

/** What others have read in the second half of a wait is new enough for all. */
const rechecks = (
  { recordedAt, data: { followId, videoId } }: { readonly recordedAt: string; readonly data: OfVideo },
  recheckMs: readonly number[],
): readonly TaskRequest[] =>
  recheckMs.map((afterMs, index) => {
    const payload = { followId, videoId, since: later(recordedAt, afterMs / 2) };
    return request('recheck-captions', `${videoId} ${index}`, payload, later(recordedAt, afterMs));
  });

/** Tasks with earlier items of a job run first, so that a long job does not delay a short one. */
const extraction = (
  payload: { readonly jobId: string; readonly after: number; readonly itemIds: readonly string[] },
  runAt: string | null,
): TaskRequest => {
  const [firstId = ''] = payload.itemIds;
  // An item's id ends with its place in the job, in four digits.
  const place = Number(firstId.slice(-4));
  return { ...request('extract-items', firstId, payload, runAt), priority: Math.floor(place / itemsPerTask) };
};

const delivery = (
  { deliveryId, ...receiver }: Receiver & { readonly deliveryId: string },
  after: number,
  runAt: string | null,
): TaskRequest => ({
  ...request('deliver-webhook', deliveryId, { deliveryId, after }, runAt),
  concurrencyKeys: [...concurrencyKeysOf(receiver), ...(runAt === null ? [] : ['retries'])],
});

/** Mails share a limit: a mail server that hangs leaves other deliveries their places. */
export const mailConcurrencyKeys: readonly string[] = ['mail:smtp'];

/** A mail to the owner of an account, by what it is about: the address is looked up when it is sent. */
const mail = (
  { isMailing }: ReactionSettings,
  mailId: string,
  about: { readonly kind: string; readonly accountId: string } & Readonly<Record<string, string>>,
): readonly TaskRequest[] =>
  isMailing
    ? [{ ...request('send-mail', about.kind, { ...about, mailId }), concurrencyKeys: mailConcurrencyKeys }]
    : [];

type Receiver = { readonly accountId: string; readonly webhookId: string | null };

/** A delivery shares limits with others to its receiver (all URLs of an account's jobs are one) and of its account. */
export const concurrencyKeysOf = ({ accountId, webhookId }: Receiver): readonly string[] => [
  `receiver:${webhookId ?? accountId}`,
  `account:${accountId}`,
];
