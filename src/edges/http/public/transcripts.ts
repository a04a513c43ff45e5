import { endpointsWith, type OpenEndpoint } from '../../../contract/endpoint.ts';
import {
  languagesAnswers,
  refusalsOfReading,
  transcriptAnswers,
  transcriptParams,
  transcriptQuery,
} from '../../../contract/transcripts.ts';
import { callAs, requestOf } from '../middleware/build-call.ts';
import { countedAddress } from '../middleware/client-address.ts';
import type { HttpResponse } from '../middleware/response.ts';
import type { RequestInfo, Route } from '../middleware/route.ts';
import { ownOriginRoute, type SessionDeps, visitorCookie } from '../middleware/session.ts';
import { languagesAnswer, transcriptAnswer, wantedOf } from '../v1/transcripts.ts';

/** For the pages of the website only: not in the reference, and refused to other sites. */
const forPages = endpointsWith({
  access: 'anyone',
  rateLimit: 'visitor',
  cacheControl: 'private, no-store',
  tag: 'Website',
  readsPlatform: true,
  params: transcriptParams,
  refusals: refusalsOfReading,
});

const readTranscript = {
  ...forPages('getPublicTranscript', 'GET', '/api/public/transcripts/:videoId'),
  summary: 'Get the transcript of a video as a visitor',
  query: transcriptQuery,
  answers: transcriptAnswers,
} satisfies OpenEndpoint;

const listLanguages = {
  ...forPages('listPublicLanguages', 'GET', '/api/public/transcripts/:videoId/languages'),
  summary: 'List the languages a video has captions in as a visitor',
  answers: languagesAnswers,
} satisfies OpenEndpoint;

/** What visitors without account may do, within the allowances of the day. */
export const publicReading = (deps: SessionDeps<'listLanguages' | 'readTranscript' | 'serveVisitor'>): Route[] => {
  const { commands } = deps;
  return [
    ownOriginRoute(deps, readTranscript, ({ requestInfo, params, query }) =>
      asVisitor(deps, requestInfo, async (call) => {
        const wanted = { reference: params.videoId, ...wantedOf(query) };
        return transcriptAnswer(await commands.readTranscript(call, wanted), wanted);
      }),
    ),
    ownOriginRoute(deps, listLanguages, ({ requestInfo, params }) =>
      asVisitor(deps, requestInfo, async (call) =>
        languagesAnswer(await commands.listLanguages(call, { reference: params.videoId })),
      ),
    ),
  ];
};

/** Does the work under the account of the visitor, who gets a cookie with the first answer. */
const asVisitor = async (
  deps: SessionDeps<'serveVisitor'>,
  requestInfo: RequestInfo,
  work: (call: ReturnType<typeof callAs>) => Promise<HttpResponse>,
): Promise<HttpResponse> => {
  const visiting = {
    token: visitorCookie.read(requestInfo),
    network: countedAddress(requestInfo.address),
    cause: requestOf(requestInfo),
  };
  const { result, newToken } = await deps.commands.serveVisitor(
    visiting,
    ({ accountId, cause: { actor }, allowance }) => work({ ...callAs(requestInfo, { accountId, actor }), allowance }),
  );
  if (newToken === null) return result;
  return { ...result, headers: { ...result.headers, 'Set-Cookie': visitorCookie.write(deps, requestInfo, newToken) } };
};
