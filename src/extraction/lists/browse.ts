import { parseJson } from '../../kernel/parse-json.ts';
import { plainText } from '../captions/caption-text.ts';
import { classifyHttp, isFailure } from '../classify.ts';
import { listProfile } from '../clients/client-profiles.ts';
import { browseRequest, resolveRequest } from '../clients/innertube.ts';
import { type Failure, failure, refusalOf } from '../failures.ts';
import { at, isObject, type JsonObject, numberAt, stringAt } from '../json-path.ts';
import type { PlatformRequest, PlatformResponse } from '../platform.ts';
import { type Asking, ask, heed, isAnswer, isPassing, tryAgain } from '../platform-requests.ts';
import { type ChannelReference, parseChannelReference } from './list-reference.ts';

/** A page of the platform; null where it says that there is no such thing. */
type BrowseResult = JsonObject | Failure | null;

/** One page of a list. Passing failures are tried again within the budget; a refusal to answer is not. */
export const browse = (
  client: Asking,
  body: Readonly<Record<string, string>>,
  visitorData: string | null = null,
): Promise<BrowseResult> => askAgain(client, browseRequest(listProfile, body, visitorData));

/** The page; null where there is no such thing. Throws the refusal of a failure. */
export const pageOf = (browsed: BrowseResult): JsonObject | null => {
  if (browsed !== null && isFailure(browsed)) throw refusalOf(browsed);
  return browsed;
};

/** The channel id behind an address; null where there is none. An address that leads to another one is followed once. */
export const resolveChannel = async (client: Asking, url: string): Promise<string | null> => {
  const first = await resolveOnce(client, url);
  if (first === null || first.kind === 'id') return first?.channelId ?? null;
  const second = first.url === url ? null : await resolveOnce(client, first.url);
  return second?.kind === 'id' ? second.channelId : null;
};

const resolveOnce = async (client: Asking, url: string): Promise<ChannelReference | null> => {
  const page = pageOf(await askAgain(client, resolveRequest(listProfile, url)));
  if (page === null) return null;
  const endpoint = at(page, 'endpoint');
  const id = stringAt(endpoint, 'browseEndpoint', 'browseId');
  if (id?.startsWith('UC')) return { kind: 'id', channelId: id };
  const address = stringAt(endpoint, 'urlEndpoint', 'url');
  if (address !== null) return parseChannelReference(address);
  // A name that leads to another kind of page is no channel; an answer without any page is a change.
  if (id !== null || otherPages.some((page) => isObject(at(endpoint, page)))) return null;
  throw refusalOf(changed('endpoint.browseEndpoint.browseId'));
};

const otherPages = [
  'watchEndpoint',
  'watchPlaylistEndpoint',
  'reelWatchEndpoint',
  'searchEndpoint',
  'signInEndpoint',
] as const;

/** A path ends with a name that the platform made up, as long as it likes. */
const longestPath = 200;

/** The failure for a page of a shape that is not known; `path`: where it differs. */
export const changed = (path: string): Failure =>
  failure(
    'shape',
    { status: null, reason: null, subreason: null, client: listProfile.clientName },
    { path: plainText(path.slice(0, longestPath)) },
  );

const askAgain = (client: Asking, request: PlatformRequest): Promise<BrowseResult> => {
  const { clientName } = listProfile;
  const askOnce = async (): Promise<BrowseResult> => {
    const answer = await ask(client, request, clientName);
    if (!isAnswer(answer)) return answer;
    if (isAbsent(answer)) return null;
    const found = classifyHttp(answer, clientName);
    if (isFailure(found)) heed(client, answer, found);
    return found;
  };
  return tryAgain(client, askOnce, (last) => last !== null && isFailure(last) && isPassing(last));
};

/** A 404 of a page in between, which is not JSON, says nothing of the list. */
const isAbsent = ({ status, body }: PlatformResponse): boolean => {
  if (status === 200) return false;
  const error = at(parseJson(body), 'error');
  const code = stringAt(error, 'status');
  return code === 'NOT_FOUND' || code === 'INVALID_ARGUMENT' || numberAt(error, 'code') === 404;
};
