import { z } from 'zod';
import { budgetPeriods, wholeCap } from './caps.ts';
import { pauseReasons } from './follows.ts';
import { jobKind } from './jobs.ts';
import { member, timestamp } from './schemas.ts';

/** How a run of a job can end, as receivers are told. */
const endedStatus = z.enum(['completed', 'completed_with_errors', 'failed']);

export type EndedStatus = z.output<typeof endedStatus>;

/** The body of a delivery: the same bytes at every attempt. */
const bodyOf = <Data extends z.ZodObject>(id: string, kinds: readonly [string, ...string[]], data: Data) =>
  z
    .object({
      id: z.string().describe('The `webhook-id`: the same at every attempt and replay.'),
      type: z.enum(kinds).describe('Kind of the event.'),
      timestamp: timestamp.describe('When it happened, RFC 3339 in UTC.'),
      api_version: z.string().describe('Schema version of this body.'),
      test: z
        .literal(true)
        .optional()
        .describe('true: a test delivery requested by its owner; its job does not exist.'),
      data: data.describe('The data of the event.'),
    })
    .meta({ id });

/** What a receiver is told of a run of a job that has ended. */
const jobWebhook = bodyOf(
  'WebhookEvent',
  ['job.completed', 'job.failed'],
  z.object({
    job_id: member.jobId,
    kind: jobKind,
    status: endedStatus.describe('How the run ended.'),
    run: z.int().min(1).describe('1, and one more for each retry of the job.'),
    total_items: member.totalItems,
    completed_items: member.completedItems,
    failed_items: member.failedItems,
    credits_charged: member.creditsCharged,
    created_at: member.createdAt,
    updated_at: member.updatedAt,
    results_url: z.url().describe('Where the results are read.'),
    receipts_url: z.url().describe('Where the signed receipts of its charges are.'),
  }),
);

const followId = z.string().describe('Id of the follow.');
const contentHash = z.string().nullable().describe('SHA-256 (hex) of the captions; null: not known.');

const transcribedWebhook = bodyOf(
  'VideoTranscribedEvent',
  ['video.transcribed'],
  z.object({
    follow_id: followId,
    video_id: member.videoId,
    job_id: member.jobId,
    language: member.language,
    credits_charged: member.creditsCharged,
    charge_id: member.chargeId,
    receipts_url: z.url().nullable().describe('Where the signed receipt of its charge is; null: nothing was charged.'),
    content_hash: contentHash,
  }),
);

const failedWebhook = bodyOf(
  'VideoFailedEvent',
  ['video.failed'],
  z.object({
    follow_id: followId,
    video_id: member.videoId,
    error_code: member.errorCode,
    job_id: z.string().nullable().describe('Id of the job that failed to read it; null: none.'),
  }),
);

const pausedWebhook = bodyOf(
  'FollowPausedEvent',
  ['follow.paused'],
  z.object({ follow_id: followId, reason: z.enum(pauseReasons).describe('Why it is paused.') }),
);

const changedWebhook = bodyOf(
  'CaptionsChangedEvent',
  ['captions.changed'],
  z.object({
    follow_id: followId,
    video_id: member.videoId,
    content_hash: z.string().describe('SHA-256 (hex) of the captions.'),
    previous_content_hash: z.string().describe('That of the previously read captions.'),
  }),
);

const budgetWebhook = bodyOf(
  'BudgetEvent',
  ['budget.warning', 'budget.exhausted'],
  z.object({
    key_id: z.string().optional().describe('Id of the key; absent: an authorized application spends.'),
    grant_id: z.string().optional().describe('Id of the authorization; absent: a key spends.'),
    cap_credits: z.int().describe('Credits that may be spent in the window of the cap or budget.'),
    cap_period: z
      .enum(budgetPeriods)
      .describe("The window: a UTC day, a week from Monday, a billing period; total: the application's total budget."),
    spent: z.int().describe('Credits spent and reserved in the window.'),
    share: z.int().describe('The percentage reached; 100: all of it.'),
  }),
);

type WebhookEventKind = {
  /** When it is sent. */
  readonly summary: string;
  /** Its body. */
  readonly body: ReturnType<typeof bodyOf>;
  /** Whether a webhook gets it that does not choose. */
  readonly isDefault?: true;
  /** Whose `webhook_url` gets it besides. */
  readonly toUrlOf?: 'job' | 'follow';
};

/** The kinds of webhook events. */
export const webhookEventKinds = {
  'job.completed': {
    summary: 'A run of a job is over: at least one item is complete, or its list has no videos',
    body: jobWebhook,
    isDefault: true,
    toUrlOf: 'job',
  },
  'job.failed': {
    summary: 'A run of a job is over: no item is complete, or its list could not be read',
    body: jobWebhook,
    isDefault: true,
    toUrlOf: 'job',
  },
  'video.transcribed': { summary: 'A follow has read a new video', body: transcribedWebhook, toUrlOf: 'follow' },
  'video.failed': { summary: 'A follow cannot read a new video', body: failedWebhook, toUrlOf: 'follow' },
  'follow.paused': { summary: 'A follow is paused', body: pausedWebhook, toUrlOf: 'follow' },
  'captions.changed': {
    summary: 'The captions of a video read by a follow have changed',
    body: changedWebhook,
    toUrlOf: 'follow',
  },
  'budget.warning': {
    summary: 'A key has reached a percentage of its cap, or an application of its budget',
    body: budgetWebhook,
  },
  'budget.exhausted': { summary: 'A key has spent its cap, or an application its budget', body: budgetWebhook },
} as const satisfies Readonly<Record<string, WebhookEventKind>>;

export type WebhookKind = keyof typeof webhookEventKinds;

export const webhookKinds = Object.keys(webhookEventKinds) as WebhookKind[];

/** The declaration of a kind, with its optional members. */
export const aboutWebhookKind = (kind: WebhookKind): WebhookEventKind => webhookEventKinds[kind];

/** The kinds that a webhook gets that does not choose. */
export const defaultWebhookKinds: readonly WebhookKind[] = webhookKinds.filter(
  (kind) => aboutWebhookKind(kind).isDefault,
);

/** The kind that tells of a run which ended so. */
export const kindFor = (status: EndedStatus): WebhookKind => (status === 'failed' ? 'job.failed' : 'job.completed');

/** The kind that tells of a share of a cap, in percent. */
export const budgetKindFor = (share: number): WebhookKind =>
  share >= wholeCap ? 'budget.exhausted' : 'budget.warning';

/** The kinds that a webhook wants. */
export const chosenKinds = z.array(z.enum(webhookKinds)).min(1).max(webhookKinds.length);
