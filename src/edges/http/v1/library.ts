import type { Commands } from '../../../commands.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import * as endpoints from '../../../contract/library.ts';
import { json, noContent, receiptHeaders } from '../middleware/response.ts';
import { keyRoute, type Route } from '../middleware/route.ts';

type Deps = {
  readonly commands: Pick<Commands, 'listLibrary' | 'removeFromLibrary' | 'clearLibrary' | 'searchLibrary'>;
};

const videoAnswer = answerOf(endpoints.keptVideoSchema);
const hitAnswer = answerOf(endpoints.librarySearchResults.shape.results.element);

/** What the account keeps of what it read. */
export const library = ({ commands }: Deps): Route[] => [
  keyRoute(endpoints.listLibrary, async ({ call, query: { limit, cursor = null } }) => {
    const videos = await commands.listLibrary(call, { limit, before: cursor });
    const last = videos.length === limit ? videos.at(-1) : undefined;
    const next = last === undefined ? null : endpoints.libraryCursor(last);
    return json({
      videos: videos.map((video) => videoAnswer(video, { content_sha256: video.contentSha256 })),
      next_cursor: next,
    });
  }),
  keyRoute(endpoints.clearLibrary, async ({ call }) => {
    await commands.clearLibrary(call);
    return noContent();
  }),
  keyRoute(endpoints.searchLibrary, async ({ call, query }) => {
    const { q, lang = null, channel = null, from = null, to = null, limit } = query;
    const found = await commands.searchLibrary(call, {
      query: q,
      limit,
      filter: { language: lang, channel, from, to },
    });
    return json({ results: found.hits.map((hit) => hitAnswer(hit)) }, { headers: receiptHeaders(found) });
  }),
  keyRoute(endpoints.removeFromLibrary, async ({ call, params: { videoId } }) => {
    await commands.removeFromLibrary(call, { reference: videoId });
    return noContent();
  }),
];
