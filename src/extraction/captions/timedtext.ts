import type { PlatformRequest } from '../platform.ts';
import { isOnDomain } from '../platform-url.ts';

/** The formats that a caption document is asked for in. */
export type CaptionFormat = 'json3' | 'srv3' | 'srv1';

/** Eleven hours of words are about 4 MB of json3; a body of 16 MB is no caption document. */
const maxCaptionBytes = 16_000_000;

/** A signed address has some 800 characters. `URLSearchParams` takes quadratic time over fields without `=`. */
const maxAddressLength = 16_000;

/** Fields of the query that are not signed and that we set ourselves. */
const ours = /^(?:fmt|xosf)(?:=|$)/;

/** Whether an address asks the platform to translate the track: it was given as one, or made by `translationOf`. */
export const isTranslation = (baseUrl: string): boolean => /[?&]tlang=[^&]/.test(baseUrl);

/** A translated line is shown as long as its original: of automatic captions lines overlap. */
export const isTranslationOfAutomatic = (baseUrl: string): boolean =>
  isTranslation(baseUrl) && /[?&]kind=asr(?:&|$)/.test(baseUrl);

/** The address of a track that the platform is to translate; `tlang` is not signed. */
export const translationOf = (baseUrl: string, language: string): string =>
  `${baseUrl}&tlang=${encodeURIComponent(language)}`;

/** A token with the client that it was made for: the platform wants both. */
export type Proof = { readonly token: string; readonly clientName: string };

export type CaptionAddress =
  | { readonly kind: 'open'; readonly url: string }
  /** The platform wants a token with it and would answer 200 with nothing, sometimes after 8 s. */
  | { readonly kind: 'gated' }
  /** The address is of another video. */
  | { readonly kind: 'wrong_video' }
  /** The address is not the platform's own, or of no plausible length: it is never asked. */
  | { readonly kind: 'foreign' };

/**
 * The address of a caption document in a format. Only https on the platform's own domain is followed. The query is
 * kept byte for byte, for it is signed; the first `fmt` wins at the platform, so an existing one is taken out.
 */
export const captionAddress = (
  baseUrl: string,
  wanted: { readonly videoId: string; readonly format: CaptionFormat; readonly proof?: Proof },
): CaptionAddress => {
  const { videoId, format, proof = null } = wanted;
  if (baseUrl.length > maxAddressLength) return { kind: 'foreign' };
  const url = URL.parse(baseUrl, 'https://www.youtube.com');
  if (url === null || !isOnDomain(url, 'youtube.com')) return { kind: 'foreign' };
  const named = url.searchParams.get('v');
  if (named !== null && named !== videoId) return { kind: 'wrong_video' };
  const experiments = (url.searchParams.get('exp') ?? '').split(',');
  const isGated = experiments.includes('xpe') || experiments.includes('xpv');
  const isProven = proof !== null || url.searchParams.has('pot');
  if (isGated && !isProven) return { kind: 'gated' };
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((field) => field !== '' && !ours.test(field));
  const proven = proof === null ? [] : [`pot=${encodeURIComponent(proof.token)}`, 'potc=1', `c=${proof.clientName}`];
  const query = [...kept, ...proven, `fmt=${format}`].join('&');
  return { kind: 'open', url: `https://${url.hostname}${url.pathname}?${query}` };
};

/** The request for captions at the URL of `captionAddress`, with the user agent of the client that was given the track. */
export const captionRequest = (url: string, userAgent: string): PlatformRequest => ({
  method: 'GET',
  url,
  headers: { 'user-agent': userAgent, 'accept-language': 'en-US,en;q=0.9' },
  body: null,
  maxBytes: maxCaptionBytes,
});
