import type { z } from 'zod';
import { answerOf } from '../../../contract/answer-of.ts';
import {
  type createFollow,
  followedVideoSchema,
  followSchema,
  pauseReasons,
  waitingFor,
} from '../../../contract/follows.ts';
import type { FollowedVideoRow, FollowView } from '../../../queries.ts';

const followAnswer = answerOf(followSchema);
const videoAnswer = answerOf(followedVideoSchema);

/** A name that this program knows; null for any other. */
const knownIn = <Name extends string>(names: readonly Name[], given: string | null): Name | null =>
  names.find((name) => name === given) ?? null;

/** A follow as callers see it. */
export const followJson = (follow: FollowView): z.input<typeof followSchema> =>
  followAnswer(follow, {
    id: follow.followId,
    source: { kind: follow.sourceKind, id: follow.sourceId, title: follow.title },
    reason: knownIn(pauseReasons, follow.reason),
    waiting_for: knownIn(waitingFor, follow.waitingFor),
    lang: follow.language,
    // biome-ignore lint/suspicious/noThenProperty: the member of the contract; its value is a list.
    then: [...follow.following],
    kinds: followSchema.shape.kinds.parse(follow.kinds),
    max_credits_per_period: follow.maxCredits,
    interval_seconds: follow.intervalS,
  });

/** A video that a follow has found. */
export const followedVideoJson = (video: FollowedVideoRow): z.input<typeof followedVideoSchema> => videoAnswer(video);

/** What the body of a new follow asks for. */
export const followWanted = (body: z.output<typeof createFollow.body>) => ({
  reference: body.source,
  language: body.lang ?? null,
  captions: body.captions,
  following: body.then,
  keep: body.keep,
  kinds: body.kinds,
  webhookUrl: body.webhook_url ?? null,
  maxCreditsPerPeriod: body.max_credits_per_period,
  intervalS: body.interval_seconds ?? null,
  backfill: body.backfill,
});
