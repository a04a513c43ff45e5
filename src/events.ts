import { accountEvents } from './accounts/account.ts';
import { mailboxEvents } from './accounts/email-address.ts';
import { sessionEvents } from './accounts/sign-in/session.ts';
import { authorizationEvents } from './authorizations/authorization.ts';
import { creditsEvents } from './credits/credits.ts';
import type { EventOf, EventSchemas } from './eventlog/event-schema.ts';
import type { Upcasters } from './eventlog/upcasting.ts';
import { followEvents } from './follows/follow.ts';
import { followBudgetEvents } from './follows/follow-budget.ts';
import { followedVideoEvents } from './follows/followed-video.ts';
import { itemEvents } from './jobs/item-group.ts';
import { jobEvents } from './jobs/job.ts';
import { keyEvents } from './keys/key.ts';
import { libraryEvents } from './library/library.ts';
import { deliveryEvents } from './webhooks/delivery.ts';
import { webhookEvents } from './webhooks/webhook.ts';

type SchemasOfAll = (typeof chapters)[keyof typeof chapters]['events'];

/** Everything that can stand in the log. */
export type ProductEvent = SchemasOfAll extends infer Schemas
  ? Schemas extends EventSchemas
    ? EventOf<Schemas>
    : never
  : never;

export type EventType = ProductEvent['type'];

/** How the data of old events become today’s; each step has a golden stream in `test/replay`. */
export const upcasters: Upcasters = {};

/**
 * What is refused of an account that is being erased, with the fields that hold texts of its owner; see
 * `adapters/postgres/personal-text-store.ts`.
 */
export const personalTextFields = {
  KeyCreated: { name: '' },
  AuthorizationGranted: { clientId: '' },
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
  VideoKept: {},
  FollowStarted: { webhookUrl: null, operations: null },
  FollowOptionsChosen: { webhookUrl: null, operations: null },
  FollowVideoFound: {},
  FollowBudgetReserved: {},
} satisfies { readonly [Type in EventType]?: Readonly<Record<string, string | null>> };

/** A chapter of the catalogue: the events of one kind of stream. */
type Chapter = {
  readonly title: string;
  readonly events: EventSchemas;
  readonly stream: string;
  /** How long such a stream can get. */
  readonly bound: string;
};

/** The chapters of `docs/events.md`, in their order. */
export const chapters = {
  ledger: {
    title: 'The ledger',
    events: creditsEvents,
    stream: 'ledger-<account>-<period>',
    bound:
      'one book per account and billing period; a book of 100,000 events continues in another one (`….0002`). All books of an account form one hash chain',
  },
  accounts: {
    title: 'Accounts',
    events: accountEvents,
    stream: 'account-<account>',
    bound: 'about 100 events a day at most, as changes and password resets are limited',
  },
  mailboxes: {
    title: 'Mailboxes',
    events: mailboxEvents,
    stream: 'mailbox-<keyed hash>',
    bound: 'one event, and one more for each erased account',
  },
  sessions: { title: 'Sessions', events: sessionEvents, stream: 'session-<session>', bound: 'two events' },
  keys: {
    title: 'API keys',
    events: keyEvents,
    stream: 'key-<key>',
    bound: 'three events, and at most 500 changes of the cap',
  },
  authorizations: {
    title: 'Authorizations',
    events: authorizationEvents,
    stream: 'authorization-<authorization>',
    bound: 'two events',
  },
  jobs: {
    title: 'Jobs',
    events: jobEvents,
    stream: 'job-<job>',
    bound: 'at most 251 events, for 10 runs of 20 groups; 23 for a job of 1,000 items that is never retried',
  },
  items: {
    title: 'Items of jobs',
    events: itemEvents,
    stream: 'items-<job>-<group>',
    bound: '50 items share a stream; 151 events if every first attempt succeeds',
  },
  libraries: {
    title: 'Libraries',
    events: libraryEvents,
    stream: 'library-<account>-<video>',
    bound: 'one event for each version of the captions of a video, and two each time it is removed and kept again',
  },
  follows: {
    title: 'Follows',
    events: followEvents,
    stream: 'follow-<follow>',
    bound: 'at most 10,000 events; further changes are refused',
  },
  followedVideos: {
    title: 'Videos of follows',
    events: followedVideoEvents,
    stream: 'follow-video-<follow>-<video>',
    bound: 'about 60 events, as waits grow with the age of the video and attempts are limited',
  },
  followBudgets: {
    title: 'Budgets of follows',
    events: followBudgetEvents,
    stream: 'follow-budget-<follow>-<period>',
    bound:
      'two events for each of at most 4,000 jobs in an accounting period, and one an hour while credits are missing',
  },
  webhooks: {
    title: 'Webhooks',
    events: webhookEvents,
    stream: 'webhooks-<account>',
    bound: 'at most 10,000 events; further changes are refused',
  },
  deliveries: {
    title: 'Deliveries',
    events: deliveryEvents,
    stream: 'delivery-<delivery>',
    bound: 'two events, and one for each failed attempt',
  },
} as const satisfies Readonly<Record<string, Chapter>>;

/** The catalogue: each event with its chapter. */
export const catalogue = Object.fromEntries(
  Object.entries(chapters).flatMap(([chapter, { events }]) => Object.keys(events).map((type) => [type, chapter])),
) as Readonly<Record<EventType, keyof typeof chapters>>;

/** The schema of each event. */
export const eventSchemas: EventSchemas = Object.assign({}, ...Object.values(chapters).map(({ events }) => events));
