import type { Asking } from './ask-clients.ts';
import { ask, type Budget, backOff, heed, isAnswer, isPassing } from './asking.ts';
import { classifyHttp, isFailure } from './classify.ts';
import { type Failure, failure, refusalOf } from './failures.ts';
import { browseRequest, resolveRequest } from './innertube.ts';
import { type JsonObject, parseJson, stringAt } from './json-path.ts';
import type { PlatformRequest } from './platform.ts';
import { listProfile } from './profiles.ts';

/** A page of the platform, or `absent` where it says that there is no such thing. */
export type Browsed =
  | { readonly kind: 'document'; readonly document: JsonObject }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly failure: Failure };

const tries = 3;

/** One page of a list. Passing failures are tried again within the budget; a refusal to answer is not. */
export const browse = (
  asking: Asking,
  body: Readonly<Record<string, string>>,
  options: { readonly budget: Budget; readonly visitorData: string | null },
): Promise<Browsed> =>
  askAgain(asking, browseRequest(listProfile, body, options.visitorData), options.budget);

/** The channel id behind an address; null where there is none. */
export const resolveChannel = async (
  asking: Asking,
  url: string,
  budget: Budget,
): Promise<string | null> => {
  const answer = await askAgain(asking, resolveRequest(listProfile, url), budget);
  if (answer.kind === 'absent') return null;
  if (answer.kind === 'failed') throw refusalOf(answer.failure);
  const id = stringAt(answer.document, 'endpoint', 'browseEndpoint', 'browseId');
  if (id?.startsWith('UC')) return id;
  // A name that leads to another kind of page is no channel; an answer without any page is a change.
  if (answer.document['endpoint'] !== undefined) return null;
  throw refusalOf(changed('endpoint.browseEndpoint.browseId'));
};

export const changed = (path: string): Failure =>
  failure(
    'shape',
    { status: null, reason: null, subreason: null, client: listProfile.clientName },
    { path },
  );

const askAgain = async (
  asking: Asking,
  request: PlatformRequest,
  budget: Budget,
): Promise<Browsed> => {
  const { random, settings } = asking;
  let last: Browsed = { kind: 'failed', failure: failure('timeout') };
  for (let round = 0; round < tries && (round === 0 || budget.leftMs() > 0); round += 1) {
    if (round > 0)
      await backOff(budget, { random, backoffMs: settings.backoffMs, round: round - 1 });
    last = await askOnce(asking, request, budget);
    if (last.kind !== 'failed' || !isPassing(last.failure)) return last;
  }
  return last;
};

const askOnce = async (
  { platform, settings }: Asking,
  request: PlatformRequest,
  budget: Budget,
): Promise<Browsed> => {
  const { clientName: client } = listProfile;
  const options = { budget, timeoutMs: settings.requestTimeoutMs, client };
  const answer = await ask(platform, request, options);
  if (!isAnswer(answer)) return { kind: 'failed', failure: answer };
  const code = answer.status === 200 ? null : stringAt(parseJson(answer.body), 'error', 'status');
  if (code === 'NOT_FOUND' || code === 'INVALID_ARGUMENT') return { kind: 'absent' };
  const found = classifyHttp(answer, client);
  if (!isFailure(found)) return { kind: 'document', document: found };
  heed(platform, answer, found);
  return { kind: 'failed', failure: found };
};
