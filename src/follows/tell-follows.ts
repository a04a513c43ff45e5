import { isAppended, systemMeta } from '../eventlog/event-log.ts';
import type { FollowStreams } from './follow-streams.ts';
import type { Unread } from './source-store.ts';
import { foundAppend } from './start-follow.ts';

const followsAtOnce = 100;

/**
 * Tells the active follows of a source of what is new to them: each video is found once by each follow, in one transaction
 * with how far the follow has read. Safe to run twice.
 */
export const tellFollows =
  (deps: Pick<FollowStreams, 'log' | 'sources' | 'clock'>) =>
  async ({ source }: { readonly source: string }): Promise<void> => {
    for (;;) {
      const unread = await deps.sources.unread(source, followsAtOnce);
      if (unread.length === 0) return;
      await Promise.all(unread.map((one) => tell(deps, one)));
    }
  };

const tell = async (
  { log, sources, clock }: Pick<FollowStreams, 'log' | 'sources' | 'clock'>,
  { followId, accountId, videos, readTo }: Unread,
): Promise<void> => {
  const now = clock();
  const meta = systemMeta(accountId, now);
  const at = now.toISOString();
  const appendOf = (one: Unread['videos'][number]) => foundAppend({ followId, accountId }, one, { at, meta });
  const within = (transaction: Parameters<typeof sources.markReadIn>[0]) =>
    sources.markReadIn(transaction, { followId, readTo });
  if (videos.length > 0 && (await log.append(videos.map(appendOf), { within })).every(isAppended)) return;
  // Some were found before, as those that were read although they were there: one by one.
  for (const one of videos) await log.append([appendOf(one)]);
  await sources.markRead({ followId, readTo });
};
