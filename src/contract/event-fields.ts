import { z } from 'zod';
import { refusalCodes } from '../kernel/refusal.ts';
import { capPeriods } from './caps.ts';

/* Fields that mean the same in every event that has them, with their units. They are JSON values, named as stored. */

export const accountId = z.string().describe('`acc_…`, or `vis_…` for a visitor on one day');
export const amount = z.int().describe('credits, a whole number above 0');
export const anchorDay = z
  .int()
  .describe('day of the month on which periods begin, 1 to 31, clamped to the end of a month');
export const assignmentId = z.string().describe('UUID, the id of the event');
export const at = z.string().describe('when it happened: RFC 3339, UTC, milliseconds');
export const attempt = z
  .int()
  .describe('counts from 1: of an item through all runs of its job, of a delivery from its beginning');
export const by = z
  .string()
  .describe(
    'id of the actor; `owner` or `operator` of an account; `plan` or `allowance` for credits that come by themselves',
  );
export const authorizationId = z
  .string()
  .describe('`aut_…` of the authorization by which an application asked; absent: none did');
export const cancelled = z.array(z.string()).readonly().describe('`itm_…` of each');
export const capCredits = z.int().describe('the most credits that the key may spend in the window of its cap');
export const capPeriod = z.enum(capPeriods).meta({
  id: 'CapPeriod',
  description: 'the window of the cap: a UTC day, a week that begins on Monday, or the billing period',
});
export const chargeId = z
  .string()
  .describe('UUID of the charge: the deduplication key decides it, so a repeat finds the first');
export const chargedAt = z.string().describe('when it was charged: RFC 3339, UTC, milliseconds; absent: not known');
export const closesAt = z.string().describe('end of the period, exclusive; RFC 3339, UTC');
export const contentSha256 = z
  .string()
  .describe(
    'SHA-256 (hex) of what was delivered, in canonical JSON (RFC 8785): `{language, segments, source, video_id}` of captions, the result of an operation; absent: not known',
  );
export const costTag = z.string().describe('`X-Cost-Tag` of the request; absent: it had none');
export const creditsCharged = z.int().describe('credits');
export const deliveryId = z.string().describe('`dlv_…`');
export const description = z.string().describe('`wrd_…`: words of the owner');
export const durationMs = z.int().describe('milliseconds from the beginning of the attempt to its end');
export const eventId = z.string().describe('`evt_…`, the id that receivers see');
export const deliveredFormat = z.string().describe('the format that was delivered; absent: it has one form only');
export const expiresAt = z.string().describe('RFC 3339, UTC');
export const expiryId = z.string().describe('UUID, the id of the event');
export const failed = z.array(z.string()).readonly().describe('`itm_…` of each');
export const failuresBefore = z.int().describe('wrong passwords for this mailbox since it last went well');
export const followId = z.string().describe('`fol_…`');
export const generation = z.int().describe('which secret it is, counted from 1; the secret itself is never in the log');
export const grantId = z.string().describe('UUID of the grant, the id of the event');
export const group = z.int().describe('which fifty items of the job, counted from 0');
export const httpStatus = z.int().describe('what the receiver answered');
export const itemId = z.string().describe('`itm_…`');
export const itemIds = z.array(z.string()).readonly().describe('`itm_…` of each');
export const jobId = z.string().describe('`job_…`');
export const keyId = z.string().describe('`key_…` that asked');
export const language = z.string().describe('BCP 47');
export const message = z.string().describe('one sentence for people, without secrets');
export const name = z.string().describe('`wrd_…`: how its owner calls it');
export const nextStream = z.string().describe('the stream of the next book');
export const opensAt = z.string().describe('beginning of the period, inclusive; RFC 3339, UTC');
export const operationId = z.string().describe('UUID, the id of the event');
export const options = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .readonly()
  .describe('how it was asked for, without texts that people type; absent: as by default');
export const part = z.int().describe('counts the books of one period from 1');
export const period = z.string().describe('`YYYY-MM` of the first day; `YYYY-MM-DD` for a visitor');
export const prefix = z.string().describe('the first characters of the key, as lists show it');
export const previousHash = z.string().describe('hash of the last event of the book before');
export const previousStream = z.string().describe('stream of the book before');
export const previousUntil = z.string().describe('until when the secret before signs too; RFC 3339, UTC');
export const pricedBy = z
  .object({
    quantity: z.int().exactOptional().describe('entries that a listing returned'),
    usesModel: z.boolean().exactOptional().describe('whether a model made the result'),
    isRecognized: z.boolean().exactOptional().describe('whether the speech of the video was recognized'),
  })
  .readonly()
  .describe('what its price depended on besides the operation; absent: nothing, or not known');
export const priceBook = z.string().describe('version of the price list that was applied');
export const refundId = z.string().describe('UUID, the id of the event');
export const replayOf = z.string().describe('`dlv_…` that this one repeats');
export const requestId = z.string().describe('`X-Request-ID` of the request');
export const requests = z.int().describe('how many requests of usage this charge stands for: 1 or 0');
export const reservationId = z.string().describe('UUID of the reservation');
export const retryAt = z.string().describe('when the next attempt is due; RFC 3339, UTC');
export const rolledTo = z.string().describe('`key_…` that takes over');
export const run = z.int().describe('counts from 1: the first run and each retry');
export const scopes = z.array(z.string()).readonly().describe('what the key may do; empty: everything');
export const sessionId = z.string().describe('`ses_…`');
export const totalItems = z.int().describe('videos of the job; 0 while its listing is pending');
export const url = z.string().describe('`wrd_…`: where the receiver is');
export const videoId = z.string().describe('eleven characters');
export const warnAt = z
  .array(z.int())
  .readonly()
  .describe('shares of the cap, in percent and rising, at which its owner is warned');
export const webhookId = z.string().describe('`whk_…`');
export const webhookUrl = z.string().describe('`wrd_…`: the URL that gets a webhook when the job ends');

/** A refusal, or a fault of the service. */
export const errorCode = z
  .enum([...refusalCodes, 'INTERNAL_ERROR'])
  .meta({ id: 'ErrorCode', description: 'an error code, see [errors.md](errors.md)' });
