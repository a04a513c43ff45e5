import { z } from 'zod';
import { answerOf, type ViewOf } from '../contract/answer-of.ts';
import { type WebhookKind, webhookEventKinds, webhookKinds } from '../contract/webhook-events.ts';

/** The events that receivers can subscribe to. */
export const webhookKind = z
  .enum(webhookKinds)
  .meta({ id: 'WebhookKind', description: 'an event that receivers can subscribe to' });

/** The version of the payload below; a change that is not additive gets a new one. */
export const apiVersion = '1.0.0';

/** What receivers are told of something else than a job: the members of `data`. */
export type Subject = Readonly<Record<string, string | number | null>>;

const runSchema = webhookEventKinds['job.completed'].body.shape.data;
const runAnswer = answerOf(runSchema);

/** The result of a run of a job, read from its streams; it ended at `updatedAt`. A run always has the same result. */
export type RunFacts = Omit<ViewOf<typeof runSchema>, 'resultsUrl' | 'receiptsUrl'>;

/** The `data` of an event that tells of a run of a job. `publicUrl` has no trailing slash. */
export const dataOfRun = (facts: RunFacts, publicUrl: string): Subject =>
  runAnswer(facts, {
    results_url: `${publicUrl}/v1/jobs/${facts.jobId}/results`,
    receipts_url: `${publicUrl}/v1/receipts/${facts.jobId}`,
  });

/** What a delivery tells. `at`: when it happened, RFC 3339. */
export type Notice = {
  readonly eventId: string;
  readonly kind: WebhookKind;
  readonly at: string;
  readonly data: Subject;
  readonly isTest: boolean;
};

/** The body of a delivery: the same bytes at every attempt, below 20 kB, without transcript text. */
export const bodyOf = ({ eventId, kind, at, data, isTest }: Notice): string =>
  JSON.stringify({
    id: eventId,
    type: kind,
    timestamp: at,
    api_version: apiVersion,
    ...(isTest ? { test: true } : {}),
    data,
  });

/** The payload of a test delivery: a job that does not exist. */
export const sampleFacts = (at: string): RunFacts => ({
  jobId: 'job_test',
  kind: 'batch',
  status: 'completed',
  run: 1,
  totalItems: 1,
  completedItems: 1,
  failedItems: 0,
  creditsCharged: 0,
  createdAt: at,
  updatedAt: at,
});
