import type { ProductEvent } from '../../events.ts';
import type { Work } from '../../kernel/work.ts';

/*
 * Which event starts which task: this table, and nothing else. A subscription hands over committed events and adds
 * what they start in the transaction of its checkpoint, so each is added exactly once. The key of a piece of work
 * is the event's id, the task and its target: what is handed over again by a rebuild of the queue is the same work.
 */

/** An event as far as reactions look at it. */
export type Happened<E extends ProductEvent = ProductEvent> = E & {
  readonly id: string;
  /** By the clock of the database, which the queue goes by too. */
  readonly recordedAt: string;
};

type Reactions = {
  readonly [Type in ProductEvent['type']]?: (
    event: Happened<Extract<ProductEvent, { type: Type }>>,
    waits: Waits,
  ) => readonly Asked[];
};

/** How long something may be left to others before the worker looks after it. */
export type Waits = {
  /** A caller that set credits aside has so long to use them. */
  readonly reservationMs: number;
};

type Asked = Pick<Work, 'task' | 'payload'> &
  Partial<Pick<Work, 'runAt' | 'priority' | 'concurrencyKeys'>> & {
    /** Tells apart what one event starts of one task. It is in the key of queued work: what is a target today stays it. */
    readonly target: string;
  };

/** By then no call of a key is under way that was good before its account was erased. */
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

  DeliveryRequested: ({ data }) => [delivery(data, 0, null)],
  DeliveryAttemptFailed: (event) => {
    const { attempt, retryAt } = event.data;
    return retryAt === null ? [] : [delivery(event.data, attempt, endOf(event, retryAt))];
  },

  CreditsReserved: ({ recordedAt, data: { accountId, jobId, reservationId } }, waits) => [
    {
      task: 'check-reservation',
      target: reservationId,
      payload: { accountId, jobId, reservationId },
      runAt: later(recordedAt, waits.reservationMs),
    },
  ],
  AccountErased: ({ recordedAt, data: { accountId } }) =>
    [recordedAt, later(recordedAt, lastCallsMs)].map((runAt, look) => ({
      task: 'end-account-work',
      target: String(look),
      payload: { accountId, look },
      runAt,
    })),
  BookOpened: ({ data: { accountId, opensAt, closesAt } }) => [
    {
      task: 'renew-credits',
      target: accountId,
      payload: { accountId, opensAt, closesAt },
      runAt: closesAt,
    },
  ],
};

const later = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

/**
 * When a wait is over that an event says. A wait is as long as the event says, from when it was stored: the process that
 * stamped it may go by a clock that is hours off.
 */
const endOf = (
  {
    recordedAt,
    data: { at },
  }: { readonly recordedAt: string; readonly data: { readonly at: string } },
  until: string,
): string => later(recordedAt, Math.max(0, Date.parse(until) - Date.parse(at)));

/** The types that anything reacts to. */
export const reactedTypes = Object.keys(reactions) as readonly ProductEvent['type'][];

/** The work that an event starts. */
export const workOf = (event: Happened, waits: Waits): readonly Work[] => {
  const react = reactions[event.type] as
    | ((happened: Happened, waits: Waits) => readonly Asked[])
    | undefined;
  return (react?.(event, waits) ?? []).map(
    ({ task, target, payload, runAt = null, priority = 0, concurrencyKeys = [] }) => ({
      task,
      key: `${event.id}|${task}|${target}`,
      payload,
      runAt,
      priority,
      concurrencyKeys,
    }),
  );
};

const jobTask = (task: string, { jobId }: { readonly jobId: string }): Asked => ({
  task,
  target: jobId,
  payload: { jobId },
});

const ended = (event: {
  readonly id: string;
  readonly data: { readonly jobId: string; readonly run: number };
}): readonly Asked[] => {
  const { jobId, run } = event.data;
  return [
    jobTask('close-job', event.data),
    { task: 'announce-run', target: jobId, payload: { jobId, run, causeId: event.id } },
  ];
};

/** Items that are taken from the queue together: few enough that they end at about the same time. */
export const itemsPerTask = 10;

const extractions = (jobId: string, itemIds: readonly string[]): readonly Asked[] =>
  Array.from({ length: Math.ceil(itemIds.length / itemsPerTask) }, (_, index) => {
    const from = index * itemsPerTask;
    return extraction({ jobId, after: 0, itemIds: itemIds.slice(from, from + itemsPerTask) }, null);
  });

/** The first items of every job go before the later ones of any: a long job does not hold up a short one. */
const extraction = (
  payload: { readonly jobId: string; readonly after: number; readonly itemIds: readonly string[] },
  runAt: string | null,
): Asked => {
  const [firstId = ''] = payload.itemIds;
  // An item's id ends with its place in the job, in four digits.
  const place = Number(firstId.slice(-4));
  return {
    task: 'extract-items',
    target: firstId,
    payload,
    runAt,
    priority: Math.floor(place / itemsPerTask),
  };
};

const delivery = (
  data: Receiver & { readonly deliveryId: string },
  after: number,
  runAt: string | null,
): Asked => {
  const keys = concurrencyKeysOf(data);
  return {
    task: 'deliver-webhook',
    target: data.deliveryId,
    payload: { deliveryId: data.deliveryId, after },
    runAt,
    concurrencyKeys: runAt === null ? keys : [...keys, 'retries'],
  };
};

type Receiver = { readonly accountId: string; readonly webhookId: string | null };

/** A delivery shares limits with others to its receiver (all URLs of an account's jobs are one) and of its account. */
export const concurrencyKeysOf = ({ accountId, webhookId }: Receiver): readonly string[] => [
  `receiver:${webhookId ?? accountId}`,
  `account:${accountId}`,
];
