import type { z } from 'zod';
import * as endpoints from '../../../contract/follows.ts';
import type { Call } from '../../../kernel/call.ts';
import { ownValue } from '../../../kernel/own-value.ts';
import type { FollowFeedRow } from '../../../queries.ts';
import type { EventStreams } from '../middleware/event-streams.ts';
import { followedVideoJson, followJson, followWanted } from '../middleware/follow-answers.ts';
import { naming } from '../middleware/job-creation.ts';
import { type HttpResponse, json, noContent } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';

type Deps = Application<
  'checkFollow' | 'editFollow' | 'endFollow' | 'moveFollowFeed' | 'pauseFollow' | 'resumeFollow' | 'startFollow',
  'follow' | 'followFeed' | 'followedVideos' | 'follows'
> & { readonly streams: EventStreams };

/** The only URL of a follow is that of its receiver. */
const fieldNames = { url: 'webhook_url' } as const;

/** Create, read, watch, change, pause and end follows. */
export const follows = ({ commands, queries, streams }: Deps): Route[] => {
  const shown = async ({ accountId }: Call, followId: string, status = 200): Promise<HttpResponse> =>
    json(followJson(await queries.follow(accountId, followId)), { status });
  const action = (
    endpoint: typeof endpoints.pauseFollow | typeof endpoints.checkFollow,
    work: (call: Call, of: { readonly followId: string }) => Promise<void>,
  ): Route =>
    keyRoute(
      endpoint,
      async ({ call, params }) => {
        await work(call, params);
        return await shown(call, params.followId);
      },
      ({ call, params }) => shown(call, params.followId),
    );
  return [
    keyRoute(endpoints.createFollow, async ({ call, body }) => {
      const { followId } = await naming(fieldNames, commands.startFollow(call, followWanted(body)));
      return await shown(call, followId, 201);
    }),
    keyRoute(endpoints.listFollows, async ({ call, query: { limit, before = null } }) => {
      const { rows, nextBefore } = await queries.follows(call.accountId, { limit, before });
      return json({ follows: rows.map(followJson), next_before: nextBefore });
    }),
    keyRoute(endpoints.readFollow, ({ call, params }) => shown(call, params.followId)),
    keyRoute(endpoints.editFollow, async ({ call, params: { followId }, body }) => {
      const changes = {
        language: body.lang,
        captions: body.captions,
        following: body.then,
        keep: body.keep,
        kinds: body.kinds,
        webhookUrl: body.webhook_url,
        maxCreditsPerPeriod: body.max_credits_per_period,
        intervalS: body.interval_seconds,
      };
      await naming(fieldNames, commands.editFollow(call, { followId, changes }));
      return await shown(call, followId);
    }),
    keyRoute(endpoints.endFollow, async ({ call, params }) => {
      await commands.endFollow(call, params);
      return noContent();
    }),
    action(endpoints.pauseFollow, commands.pauseFollow),
    action(endpoints.resumeFollow, commands.resumeFollow),
    action(endpoints.checkFollow, commands.checkFollow),
    action(endpoints.rotateFeed, commands.moveFollowFeed),
    keyRoute(endpoints.listFollowedVideos, async ({ call, params, query: { limit } }) => {
      const { followId } = await queries.follow(call.accountId, params.followId);
      const videos = await queries.followedVideos(followId, limit);
      return json({ videos: videos.map(followedVideoJson) });
    }),
    keyRoute(endpoints.watchFollow, ({ call, params, requestInfo }) =>
      streams(call, requestInfo.request.headers['last-event-id'], async () => {
        const follow = await queries.follow(call.accountId, params.followId);
        let isOver = follow.status === 'ended';
        return {
          read: (page) => queries.followFeed(follow.followId, page),
          tell: (row) => {
            isOver ||= row.type === 'FollowEnded';
            return messageOf(follow.followId, row);
          },
          isOver: async () => isOver,
        };
      }),
    ),
  ];
};

type FollowStatus = z.input<(typeof endpoints.followEventData)['follow']>['status'];

const followStatuses: Readonly<Record<string, FollowStatus>> = {
  FollowStarted: 'active',
  FollowOptionsChosen: 'active',
  FollowPaused: 'paused',
  FollowResumed: 'active',
  FollowBudgetReached: 'waiting',
  FollowEnded: 'ended',
};

const videoStatuses: Readonly<Record<string, z.input<typeof endpoints.followedVideoStatus>>> = {
  FollowVideoFound: 'waiting',
  FollowVideoPostponed: 'waiting',
  FollowBudgetReserved: 'queued',
  FollowVideoTranscribed: 'complete',
  FollowCaptionsChanged: 'complete',
  FollowVideoFailed: 'failed',
  FollowVideoPassedOver: 'failed',
};

/** `follow`: its new status; `video`: that of a video. */
const messageOf = (
  followId: string,
  { type, data }: FollowFeedRow,
): { readonly name: string; readonly data: unknown } => {
  const shared = { follow_id: followId, at: data['at'] };
  const status = ownValue(videoStatuses, type);
  if (status === undefined) {
    const reason = data['why'] ?? data['waitingFor'] ?? null;
    return { name: 'follow', data: { ...shared, status: ownValue(followStatuses, type) ?? 'active', reason } };
  }
  const told = { video_id: data['videoId'], status, job_id: data['jobId'] ?? null };
  return {
    name: 'video',
    data: { ...shared, ...told, error_code: data['code'] ?? null, due_at: data['retryAt'] ?? null },
  };
};
