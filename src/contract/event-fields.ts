import { z } from 'zod';
import { refusalCodes } from '../kernel/refusal.ts';
import { capPeriods } from './caps.ts';

/* Fields that mean the same in every event that has them, with their units. They are JSON values, named as stored. */

export const accountId = z.string().describe('`acc_…`; `vis_…`: a visitor on one day');
export const amount = z.int().describe('credits, a positive integer');
export const anchorDay = z
  .int()
  .describe('day of the month on which periods begin, 1 to 31; the last day in shorter months');
export const assignmentId = z.string().describe('UUID, the id of the event');
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
export const chargedAt = z.string().describe('when it was charged: RFC 3339, UTC, milliseconds; absent: not known');
export const closesAt = z.string().describe('end of the period, exclusive; RFC 3339, UTC');
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
export const deliveredFormat = z.string().describe('the delivered format; absent: there is only one');
export const expiresAt = z.string().describe('RFC 3339, UTC');
export const expiryId = z.string().describe('UUID, the id of the event');
export const failed = z.array(z.string()).readonly().describe('`itm_…` of each item');
export const failuresBefore = z.int().describe('wrong passwords for this mailbox since the last successful sign-in');
export const followId = z.string().describe('`fol_…`');
export const generation = z.int().describe('number of the secret, from 1; the secret itself is never in the log');
export const grantId = z.string().describe('UUID of the grant, the id of the event');
export const group = z.int().describe('number of the group of 50 items, from 0');
export const httpStatus = z.int().describe('the status that the receiver returned');
export const itemId = z.string().describe('`itm_…`');
export const itemIds = z.array(z.string()).readonly().describe('`itm_…` of each item');
export const jobId = z.string().describe('`job_…`');
export const keyId = z.string().describe('`key_…`');
export const language = z.string().describe('language tag (BCP 47)');
export const message = z.string().describe('one sentence in English, without secrets');
export const name = z.string().describe('`wrd_…`: the name that its owner gave it');
export const nextStream = z.string().describe('the stream of the next book');
export const opensAt = z.string().describe('beginning of the period, inclusive; RFC 3339, UTC');
export const operationId = z.string().describe('UUID, the id of the event');
export const options = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .readonly()
  .describe('options of the request, without free text; absent: the defaults');
export const part = z.int().describe('number of the book within its period, from 1');
export const period = z.string().describe('`YYYY-MM` of the first day; `YYYY-MM-DD` for a visitor');
export const prefix = z.string().describe('the first characters of the key, as shown in lists');
export const previousHash = z.string().describe('hash of the last event of the previous book');
export const previousStream = z.string().describe('stream of the previous book');
export const previousUntil = z.string().describe('until when the previous secret also signs; RFC 3339, UTC');
export const pricedBy = z
  .object({
    quantity: z.int().exactOptional().describe('entries that a listing returned'),
    usesModel: z.boolean().exactOptional().describe('whether a model made the result'),
    isRecognized: z.boolean().exactOptional().describe('whether the speech of the video was recognized'),
  })
  .readonly()
  .describe('what the price depended on in addition to the operation; absent: nothing, or not known');
export const priceBook = z.string().describe('version of the applied price list');
export const refundId = z.string().describe('UUID, the id of the event');
export const replayOf = z.string().describe('`dlv_…` that this delivery repeats');
export const requestId = z.string().describe('`X-Request-ID` of the request');
export const requests = z.int().describe('requests that usage counts for this charge: 1 or 0');
export const reservationId = z.string().describe('UUID of the reservation');
export const retryAt = z.string().describe('when the next attempt is due; RFC 3339, UTC');
export const rolledTo = z.string().describe('`key_…` of the key that replaces it');
export const run = z.int().describe('number of the run, from 1; each retry is a run');
export const scopes = z.array(z.string()).readonly().describe('what the key may do; empty: everything');
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
