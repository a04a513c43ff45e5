import { z } from 'zod';
import { priceOf } from '../../../../commands.ts';
import { createFollow, followTools, maxVideosShown } from '../../../../contract/follows.ts';
import { followedVideoJson, followJson, followWanted } from '../../middleware/follow-answers.ts';
import { json } from '../../middleware/response.ts';
import type { Application } from '../../middleware/route.ts';
import { ofVideo, type Tool, tool } from './tool.ts';

const { source, max_credits_per_period, backfill, interval_seconds, keep } = createFollow.body.shape;

/** What of a new follow an agent decides; the rest is left to pages and the API. */
const input = z.object({
  source,
  max_credits_per_period,
  lang: ofVideo.lang,
  captions: ofVideo.captions,
  backfill,
  interval_seconds,
  keep,
});

const common = { scope: createFollow.scope, operation: 'job', output: null } as const;

/** Follows a channel or playlist, as `POST /v1/follows` does. */
export const followTool = ({ commands, queries }: Application<'startFollow', 'follow'>): Tool =>
  tool({
    ...{ ...common, ...followTools.follow },
    credits: priceOf('job_item'),
    input,
    quote: async (args) => args.max_credits_per_period,
    prepare: (args) => async (call) => {
      const { followId } = await commands.startFollow(call, followWanted(createFollow.body.parse(args)));
      return json(followJson(await queries.follow(call.accountId, followId)));
    },
  });

/** Follows and videos of each, in one answer. */
const [mostFollows, mostVideos] = [100, 10];

/** The follows of the account with the newest videos of each. */
export const listFollowsTool = ({ queries }: Application<never, 'followedVideos' | 'follows'>): Tool =>
  tool({
    ...{ ...common, ...followTools.list },
    input: z.object({
      videos: z
        .int()
        .min(0)
        .max(maxVideosShown)
        .default(mostVideos)
        .meta({ description: 'newest videos of each follow' }),
    }),
    prepare:
      ({ videos }) =>
      async ({ accountId }) => {
        const { rows } = await queries.follows(accountId, { limit: mostFollows, before: null });
        const shown = rows.map(async (one) => ({
          ...followJson(one),
          videos: videos === 0 ? [] : (await queries.followedVideos(one.followId, videos)).map(followedVideoJson),
        }));
        return json({ follows: await Promise.all(shown) });
      },
  });
