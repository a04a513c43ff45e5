import { type AccountEvent, eventTypes as typesOfAccounts } from './accounts/account.ts';
import { type MailboxClaimed, eventTypes as typesOfMailboxes } from './accounts/mailbox.ts';
import { type SessionEvent, eventTypes as typesOfSessions } from './accounts/session.ts';
import { type CreditsEvent, eventTypes as typesOfLedger } from './credits/credits.ts';
import type { Upcasters } from './eventlog/upcasting.ts';
import { type ItemEvent, eventTypes as typesOfItems } from './jobs/item-group.ts';
import { type JobEvent, eventTypes as typesOfJobs } from './jobs/job.ts';
import { type KeyEvent, eventTypes as typesOfKeys } from './keys/key.ts';
import { type DeliveryEvent, eventTypes as typesOfDeliveries } from './webhooks/delivery.ts';
import { eventTypes as typesOfWebhooks, type WebhookEvent } from './webhooks/webhook.ts';

/** Everything that can stand in the log. */
export type ProductEvent =
  | CreditsEvent
  | AccountEvent
  | MailboxClaimed
  | SessionEvent
  | KeyEvent
  | JobEvent
  | ItemEvent
  | WebhookEvent
  | DeliveryEvent;

export type EventType = ProductEvent['type'];

/** How the data of old events become today’s; each step has a golden stream in `test/replay`. */
export const upcasters: Upcasters = {};

/**
 * What is refused of an account that is being erased, with the fields that hold texts of its owner; see
 * `adapters/personal-text-store.ts`.
 */
export const personalTextFields = {
  KeyCreated: { name: '' },
  WebhookRegistered: { url: '', description: null },
  WebhookMoved: { url: '' },
  WebhookDescribed: { description: null },
  WebhookKindsChosen: {},
  WebhookEnabled: {},
  WebhookDisabled: {},
  WebhookSecretRotated: {},
  SigningSecretRotated: {},
  DeliveryRequested: { url: '' },
  JobCreated: { webhookUrl: null, operations: null },
  JobRetried: {},
} satisfies { readonly [Type in EventType]?: Readonly<Record<string, string | null>> };

/** A chapter of the catalogue: the events of one kind of stream. `source`: where they are declared, within `src`. */
type Chapter = {
  readonly title: string;
  readonly source: string;
  readonly types: Readonly<Record<string, true>>;
  readonly stream: string;
  /** How long such a stream can get. */
  readonly bound: string;
};

/** The chapters of `docs/events.md`, in their order. */
export const chapters = {
  ledger: {
    title: 'The ledger',
    source: 'credits/credits.ts',
    types: typesOfLedger,
    stream: 'ledger-<account>-<period>',
    bound:
      'one book per account and billing period; a book of 100,000 events goes on in a further one (`….0002`). Hash-chained through all books of an account',
  },
  accounts: {
    title: 'Accounts',
    source: 'accounts/account.ts',
    types: typesOfAccounts,
    stream: 'account-<account>',
    bound:
      'some 40 events a day, by the limits on what an owner and a forgotten password may change',
  },
  mailboxes: {
    title: 'Mailboxes',
    source: 'accounts/mailbox.ts',
    types: typesOfMailboxes,
    stream: 'mailbox-<keyed hash>',
    bound: 'one event, and one more for each account that was erased',
  },
  sessions: {
    title: 'Sessions',
    source: 'accounts/session.ts',
    types: typesOfSessions,
    stream: 'session-<session>',
    bound: 'two events',
  },
  keys: {
    title: 'API keys',
    source: 'keys/key.ts',
    types: typesOfKeys,
    stream: 'key-<key>',
    bound: 'three events',
  },
  jobs: {
    title: 'Jobs',
    source: 'jobs/job.ts',
    types: typesOfJobs,
    stream: 'job-<job>',
    bound: '251 events: 10 runs of 20 groups; 23 for a job of 1,000 items that is never retried',
  },
  items: {
    title: 'Items of jobs',
    source: 'jobs/item-group.ts',
    types: typesOfItems,
    stream: 'items-<job>-<group>',
    bound: '50 items share a stream; 151 events when each is read at the first try',
  },
  webhooks: {
    title: 'Webhooks',
    source: 'webhooks/webhook.ts',
    types: typesOfWebhooks,
    stream: 'webhooks-<account>',
    bound: '10,000 events; further changes are refused',
  },
  deliveries: {
    title: 'Deliveries',
    source: 'webhooks/delivery.ts',
    types: typesOfDeliveries,
    stream: 'delivery-<delivery>',
    bound: 'two events and one per attempt',
  },
} as const satisfies Readonly<Record<string, Chapter>>;

/** The catalogue: each event with its chapter. */
export const catalogue = Object.fromEntries(
  Object.entries(chapters).flatMap(([chapter, { types }]) =>
    Object.keys(types).map((type) => [type, chapter]),
  ),
) as Readonly<Record<EventType, keyof typeof chapters>>;

type FieldsOf<Data> = Data extends unknown ? keyof Data : never;

/** What a field means that has no comment of its own, wherever it stands, with its unit. */
export const fields: Readonly<Partial<Record<FieldsOf<ProductEvent['data']>, string>>> = {
  accountId: '`acc_…`, or `vis_…` for a visitor on one day',
  amount: 'credits, a whole number above 0',
  anchorDay: 'day of the month on which periods begin, 1 to 31, clamped to the end of a month',
  assignmentId: 'UUID, the id of the event',
  at: 'when it happened: RFC 3339, UTC, milliseconds',
  attempt:
    'counts from 1: of an item through all runs of its job, of a delivery from its beginning',
  by: 'id of the actor; `owner` or `operator` of an account; `plan` or `allowance` for credits that come by themselves',
  cancelled: '`itm_…` of each',
  capCredits: 'the most credits that the key may spend in a period; null: no cap',
  carriedGrants: 'what is left of each grant, taken over from the book before',
  carriedReservations: 'what is still set aside, taken over from the book before',
  chargedAt: 'when it was charged: RFC 3339, UTC, milliseconds; absent: not known',
  chargeId: 'UUID of the charge: the operation key decides it, so a repeat finds the first',
  closesAt: 'end of the period, exclusive; RFC 3339, UTC',
  code: 'an error code, see [errors.md](errors.md)',
  complete: 'each complete item with the credits it cost',
  creditsCharged: 'credits',
  deliveryId: '`dlv_…`',
  description: '`wrd_…`: words of the owner; null: none',
  durationMs: 'milliseconds from the beginning of the attempt to its end',
  eventId: '`evt_…`, the id that receivers see',
  expiresAt: 'RFC 3339, UTC; null: never',
  expiryId: 'UUID, the id of the event',
  failed: '`itm_…` of each',
  failuresBefore: 'wrong passwords for this mailbox since it last went well',
  generation: 'which secret it is, counted from 1; the secret itself is never in the log',
  grantId: 'UUID of the grant, the id of the event',
  group: 'which fifty items of the job, counted from 0',
  groups: 'how many groups of items there are; in a retry, those that are queued again',
  httpStatus: 'what the receiver answered; null: nothing',
  itemId: '`itm_…`',
  itemIds: '`itm_…` of each',
  items: 'what is to be read, in the order of the job',
  jobId: '`job_…`',
  keyId: '`key_…` that asked; null: no key',
  kind: 'which kind of grant, of job or of webhook event it is',
  kinds: 'which webhook events the receiver wants',
  language: 'BCP 47; null: the default of the video',
  listing: 'what is to be listed first; null: the items are known',
  message: 'one sentence for people, without secrets',
  name: '`wrd_…`: how its owner calls it',
  nextStream: 'the stream of the next book',
  opensAt: 'beginning of the period, inclusive; RFC 3339, UTC',
  operation: 'the kind of usage, see the price book',
  operationId: 'UUID, the id of the event',
  part: 'counts the books of one period from 1',
  period: '`YYYY-MM` of the first day; `YYYY-MM-DD` for a visitor',
  plan: 'key of the plan; null: none, the allowance of one day',
  prefix: 'the first signs of the key, as lists show it',
  previousHash: 'hash of the last event of the book before; null: there is none',
  previousStream: 'stream of the book before; null: there is none',
  previousUntil: 'until when the secret before signs too; RFC 3339, UTC; null: there was none',
  priceBook: 'version of the price list that was applied',
  refundId: 'UUID, the id of the event',
  replayOf: '`dlv_…` that this one repeats; null: none',
  requestId: '`X-Request-ID` of the request; null: nobody asked, time brought it',
  requests: 'how many requests of usage this charge stands for: 1 or 0',
  reservationId: 'UUID of the reservation; null: nothing can be charged',
  retryAt: 'when the next attempt is due; RFC 3339, UTC; null: there is none',
  rolledTo: '`key_…` that takes over',
  run: 'counts from 1: the first run and each retry',
  scopes: 'what the key may do; empty: everything',
  sessionId: '`ses_…`',
  totalItems: 'videos of the job; 0 while its listing is pending',
  url: '`wrd_…`: where the receiver is',
  videoId: 'eleven signs; null: not of one video',
  webhookId: '`whk_…`; null: the URL came with a job',
  webhookUrl: '`wrd_…`: the URL that gets a webhook when the job ends; null: none',
  why: 'the reason',
};
