import { searchResult, timestampOf } from '../../../commands.ts';
import { answerOf } from '../../../contract/answer-of.ts';
import * as endpoints from '../../../contract/library.ts';
import { isDryRun, quoteAnswer } from '../middleware/dry-run.ts';
import {
  libraryAnswerJson,
  libraryArchive,
  librarySearchOf,
  versionJson,
  versionTextJson,
} from '../middleware/library-answers.ts';
import { json, noContent, receiptHeaders } from '../middleware/response.ts';
import { type Application, keyRoute, type Route } from '../middleware/route.ts';

const videoAnswer = answerOf(endpoints.keptVideoSchema);
const changeAnswer = answerOf(endpoints.captionChangeSchema);

/** What the account keeps of what it read. */
export const library = ({
  commands,
}: Application<
  | 'askLibrary'
  | 'clearLibrary'
  | 'compareVersions'
  | 'exportLibrary'
  | 'libraryVersion'
  | 'libraryVersions'
  | 'listLibrary'
  | 'quoteLibrary'
  | 'removeFromLibrary'
  | 'searchLibrary'
>): Route[] => [
  keyRoute(endpoints.listLibrary, async ({ call, query: { limit, cursor = null } }) => {
    const { rows, hasMore } = await commands.listLibrary(call, { limit, before: cursor });
    const last = hasMore ? rows.at(-1) : undefined;
    return json({
      videos: rows.map((video) => videoAnswer(video, { content_sha256: video.contentSha256 })),
      next_cursor: last === undefined ? null : endpoints.libraryCursor(last),
    });
  }),
  keyRoute(endpoints.clearLibrary, async ({ call }) => {
    await commands.clearLibrary(call);
    return noContent();
  }),
  keyRoute(endpoints.exportLibrary, async ({ call, query: { limit, cursor = null } }) =>
    libraryArchive(commands, call, { limit, before: cursor }),
  ),
  keyRoute(endpoints.searchLibrary, async ({ requestInfo, call, query }) => {
    if (isDryRun(requestInfo.request.headers))
      return quoteAnswer(commands.quoteLibrary(endpoints.searchLibrary.operation));
    const found = await commands.searchLibrary(call, librarySearchOf(query));
    return json(searchResult(found.hits), { headers: receiptHeaders(found) });
  }),
  keyRoute(endpoints.askLibrary, async ({ requestInfo, call, body }) => {
    if (isDryRun(requestInfo.request.headers))
      return quoteAnswer(commands.quoteLibrary(endpoints.askLibrary.operation));
    const answered = await commands.askLibrary(call, body);
    return json(libraryAnswerJson(body.question, answered), { headers: receiptHeaders(answered) });
  }),
  keyRoute(endpoints.removeFromLibrary, async ({ call, params: { videoId } }) => {
    await commands.removeFromLibrary(call, { reference: videoId });
    return noContent();
  }),
  keyRoute(endpoints.listVersions, async ({ call, params: { videoId } }) => {
    const found = await commands.libraryVersions(call, videoId);
    return json({ video_id: found.videoId, versions: found.versions.map(versionJson) });
  }),
  keyRoute(endpoints.readVersion, async ({ call, params: { videoId, version } }) =>
    json(versionTextJson(await commands.libraryVersion(call, videoId, version))),
  ),
  keyRoute(endpoints.compareVersions, async ({ call, params: { videoId }, query: { from, to } }) => {
    const { videoId: id, changes } = await commands.compareVersions(call, videoId, { from, to });
    const shown = changes.map(({ change, line: { text, startMs } }) =>
      changeAnswer({ change, text, start: startMs / 1_000, timestamp: timestampOf(startMs) }),
    );
    return json({ video_id: id, from, to, changes: shown });
  }),
];
