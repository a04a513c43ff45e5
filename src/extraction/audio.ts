import { parseJson } from '../kernel/parse-json.ts';
import type { Video } from './captions/caption-track.ts';
import { classifyPlayer } from './classify.ts';
import type { PlatformClient } from './clients/client-fallback.ts';
import { playerFields, playerRequest } from './clients/innertube.ts';
import { type FailureReason, failure, refusalOf } from './failures.ts';
import { at, listAt, numberAt, stringAt } from './json-path.ts';
import { ask, isAnswer } from './platform-requests.ts';
import { isOnDomain } from './platform-url.ts';

/** Speech of a video as the platform stores it, without pictures. */
export type Audio = { readonly bytes: Uint8Array; readonly mediaType: string; readonly durationS: number | null };

/** What providers of speech recognition take. */
const maxAudioBytes = 25_000_000;

type Format = { readonly url: string; readonly mediaType: string; readonly length: number };

/**
 * Fetches the smallest audio of a video: one client after the other, until the address that one was given works. Throws
 * the refusal that the video cannot be heard.
 */
export const fetchAudio = async (
  client: PlatformClient,
  videoId: string,
): Promise<{ readonly video: Video; readonly audio: Audio }> => {
  let reason: FailureReason = 'audio_unavailable';
  for (const profile of client.order.current()) {
    const request = playerRequest(profile, videoId, `${playerFields},streamingData`);
    const answer = await ask(client, request, profile.clientName);
    if (!isAnswer(answer)) continue;
    const outcome = classifyPlayer(answer, videoId, profile);
    const video = outcome.kind === 'playable' || outcome.kind === 'unconfirmed' ? outcome.video : null;
    const [smallest] = formatsOf(answer.body).toSorted((a, b) => a.length - b.length);
    if (video === null || smallest === undefined) continue;
    if (smallest.length > maxAudioBytes) {
      reason = 'audio_too_large';
      continue;
    }
    const wanted = audioRequest(smallest, profile.userAgent);
    const sent = await ask(client, wanted, profile.clientName, client.budget.leftMs());
    if (!isAnswer(sent) || (sent.status !== 200 && sent.status !== 206)) continue;
    const bytes = Buffer.from(sent.body, 'latin1');
    const { mediaType } = smallest;
    const { durationS } = video;
    if (bytes.length > 0) return { video, audio: { bytes, mediaType, durationS } };
  }
  throw refusalOf(failure(reason));
};

/** Addresses that still need a signature are left out, and so are dubbed voices. */
const formatsOf = (body: string): readonly Format[] => {
  const document = parseJson(body);
  const player = at(document, 'playerResponse') ?? document;
  return listAt(player, 'streamingData', 'adaptiveFormats').flatMap((format) => {
    const url = stringAt(format, 'url');
    const [mediaType = ''] = (stringAt(format, 'mimeType') ?? '').split(';');
    const length = numberAt(format, 'contentLength') ?? 0;
    const isDubbed = at(format, 'audioTrack', 'audioIsDefault') === false;
    const isWanted = url !== null && isOfMedia(url) && length > 0 && !isDubbed;
    return isWanted && mediaType.startsWith('audio/') ? [{ url, mediaType, length }] : [];
  });
};

const isOfMedia = (address: string): boolean => {
  const url = URL.parse(address);
  return url !== null && isOnDomain(url, 'googlevideo.com');
};

/** With a range the platform sends at full speed, without one at that of playing. */
const audioRequest = ({ url, length }: Format, userAgent: string) =>
  ({
    method: 'GET',
    url,
    headers: { 'user-agent': userAgent, range: `bytes=0-${length - 1}` },
    body: null,
    maxBytes: maxAudioBytes,
    isBinary: true,
  }) as const;
