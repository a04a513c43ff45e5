import { z } from 'zod';
import { refusalCodes } from '../kernel/refusal.ts';
import { capPeriods } from './caps.ts';

/** Items of a job whose events share a stream. */
export const itemsPerGroup = 50;

/* Fields that mean the same in every event that has them, with their units. They are JSON values, named as stored. */

export const accountId = z.string().describe('`acc_…`; `vis_…`: a visitor on one day');
export const amount = z.int().describe('credits, a positive integer');
export const at = z.string().describe('when it happened: RFC 3339, UTC, milliseconds');
export const attempt = z
  .int()
  .describe('number of the attempt, from 1; for an item, counted across all runs of its job');
export const by = z.string().describe('id of the actor');
export const authorizationId = z
  .string()
  .describe('`aut_…` of the authorization that an application used; absent: none');
export const cancelled = z.array(z.string()).readonly().describe('`itm_…` of each item');
export const capCredits = z.int().describe('the maximum credits that the key may spend in the window of its cap');
export const capPeriod = z
  .enum(capPeriods)
  .meta({
    id: 'CapPeriod',
    description: 'the window of the cap: a UTC day, a week that begins on Monday, or the billing period',
  });
export const chargeId = z
  .string()
  .describe('UUID of the charge, derived from the deduplication key: a repeated request has the same one');
export const contentSha256 = z
  .string()
  .describe(
    'SHA-256 (hex) of what was delivered, as canonical JSON (RFC 8785): for captions `{language, segments, source, video_id}`, for an operation its result; absent: not known',
  );
export const costTag = z.string().describe('`X-Cost-Tag` of the request; absent: none');
export const creditsCharged = z.int().describe('credits, 0 or more');
export const deliveryId = z.string().describe('`dlv_…`');
export const description = z.string().describe('`wrd_…`: the description that its owner gave it');
export const durationMs = z.int().describe('duration of the attempt in milliseconds');
export const eventId = z.string().describe('`evt_…`: the id that receivers get');
export const expiresAt = z.string().describe('RFC 3339, UTC');
export const failed = z.array(z.string()).readonly().describe('`itm_…` of each item');
export const followId = z.string().describe('`fol_…`');
export const generation = z.int().describe('number of the secret, from 1; the secret itself is never in the log');
export const grantId = z.string().describe('UUID of the grant, the id of the event');
export const group = z.int().describe(`number of the group of ${itemsPerGroup} items, from 0`);
export const httpStatus = z.int().describe('the status that the receiver returned');
export const itemId = z.string().describe('`itm_…`');
export const itemIds = z.array(z.string()).readonly().describe('`itm_…` of each item');
export const jobId = z.string().describe('`job_…`');
export const keyId = z.string().describe('`key_…`');
export const language = z.string().describe('language tag (BCP 47)');
export const message = z.string().describe('one sentence in English, without secrets');
export const previousUntil = z.string().describe('until when the previous secret also signs; RFC 3339, UTC');
export const replayOf = z.string().describe('`dlv_…` that this delivery repeats');
export const requestId = z.string().describe('`X-Request-ID` of the request');
export const reservationId = z.string().describe('UUID of the reservation');
export const retryAt = z.string().describe('when the next attempt is due; RFC 3339, UTC');
export const run = z.int().describe('number of the run, from 1; each retry is a run');
export const sessionId = z.string().describe('`ses_…`');
export const totalItems = z.int().describe('number of videos; 0 while the listing is pending');
export const url = z.string().describe('`wrd_…`: the URL of the receiver');
export const videoId = z.string().describe('video id of 11 characters');
export const warnAt = z
  .array(z.int())
  .readonly()
  .describe('percentages of the cap, ascending, at which its owner is warned');
export const webhookId = z.string().describe('`whk_…`');
export const webhookUrl = z.string().describe('`wrd_…`: the URL that is notified when the job ends');

/** A refusal, or a fault of the service. */
export const errorCode = z
  .enum([...refusalCodes, 'INTERNAL_ERROR'])
  .meta({ id: 'ErrorCode', description: 'an error code, see [errors.md](errors.md)' });
