import { classifyTimedtext } from '../classify.ts';
import type { Profile } from '../clients/client-profiles.ts';
import { type Failure, failure } from '../failures.ts';
import type { PlatformResponse, ProofOfOrigin } from '../platform.ts';
import { type Asking, ask, heed, isAnswer } from '../platform-requests.ts';
import type { AddressedTrack } from '../tracks.ts';
import { UnreadableCaptions } from './caption-line.ts';
import type { Segment } from './caption-track.ts';
import { readCaptions } from './captions.ts';
import { captionAddress, captionRequest, isTranslation, isTranslationOfAutomatic } from './timedtext.ts';

/** json3 has the best times and is escaped least; each other is asked for only when the one before is not there or cannot be read. */
const formats = ['json3', 'srv3', 'srv1'] as const;

type Context = Asking & {
  readonly proofOf: ProofOfOrigin;
  readonly profile: Profile;
  readonly videoId: string;
  /** With the times of words, which only automatic captions have. */
  readonly words: boolean;
};

/**
 * Fetches and reads the document of one track; an empty list is a document without text. A failure here is always
 * about us: another client may have a better address for the same track.
 */
export const readTrack = async (
  { track, baseUrl }: AddressedTrack,
  context: Context,
): Promise<readonly Segment[] | Failure> => {
  const { profile, words } = context;
  const client = profile.clientName;
  const facts = { status: null, reason: null, subreason: null, client };
  let unread: Failure | null = null;
  for (const format of formats) {
    const address = await addressOf(baseUrl, format, context);
    if (address.kind === 'gated') return failure('token_required', facts);
    if (address.kind === 'wrong_video') return failure('wrong_video', facts);
    if (address.kind === 'foreign') return failure('shape', facts, { path: 'captionTracks.baseUrl' });
    const answer = await ask(context, captionRequest(address.url, profile.userAgent), client);
    if (!isAnswer(answer)) return answer;
    const found = classifyTimedtext(answer, client);
    if (found !== null) {
      // Translations are limited far more strictly than captions: that they are refused says nothing of the egress.
      if (!isTranslation(baseUrl)) heed(context, answer, found);
      if (!isOfFormat(answer)) return found;
      unread ??= found;
      continue;
    }
    try {
      return readCaptions(answer.body, {
        isAutomatic: track.kind === 'automatic' || isTranslationOfAutomatic(baseUrl),
        words: words && track.kind === 'automatic',
      });
    } catch (error) {
      if (!(error instanceof UnreadableCaptions)) throw error;
      unread = failure('shape', facts, { path: `timedtext.${format}.${error.path}` });
    }
  }
  return unread ?? failure('shape', facts);
};

/** So answers a platform that no longer writes a format, too. */
const isOfFormat = ({ status }: PlatformResponse): boolean => status === 400 || status === 404 || status === 410;

/** With a proof of origin where the platform wants one and there is one. */
const addressOf = async (
  baseUrl: string,
  format: (typeof formats)[number],
  { videoId, profile: { clientName }, proofOf, budget: { signal } }: Context,
): Promise<ReturnType<typeof captionAddress>> => {
  const address = captionAddress(baseUrl, { videoId, format });
  if (address.kind !== 'gated') return address;
  const token = await proofOf({ videoId, clientName }, { signal });
  if (token === null) return address;
  return captionAddress(baseUrl, { videoId, format, proof: { token, clientName } });
};

export const isSegments = (value: readonly Segment[] | Failure): value is readonly Segment[] => Array.isArray(value);
