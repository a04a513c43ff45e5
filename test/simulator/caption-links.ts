import { createHmac } from 'node:crypto';
import { type Client, profileOf } from './clients.ts';
import type { SampleTrack } from './samples.ts';

/** Links live about six hours on the platform. */
const linkLifeS = 6 * 3600;

const encode = (value: string): string =>
  encodeURIComponent(value).replaceAll('%20', '+').replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%3D', '=');

const signatureOf = (secret: string, signed: readonly (readonly [string, string])[]): string => {
  const hex = createHmac('sha512', secret)
    .update(signed.map(([name, value]) => `${name}=${value}`).join('&'))
    .digest('hex')
    .toUpperCase();
  return `${hex.slice(0, 40)}.${hex.slice(40, 80)}`;
};

/** The caption link in a client's answer: on the real host, signed, with an expiry. */
export const captionLink = (
  secret: string,
  nowS: number,
  session: string,
  wanted: { videoId: string; track: SampleTrack; client: Client },
): string => {
  const { videoId, track, client } = wanted;
  const isGated = track.tokenGateOn?.some((name) => name === '*' || name === client.name) ?? false;
  const fixed: [string, string][] = [
    ['v', videoId],
    ['ei', session],
    ['caps', 'asr'],
    ['opi', '112496729'],
    ...(isGated ? [['exp', 'xpe'] satisfies [string, string]] : []),
    ['xoaf', '5'],
    ['xowf', '1'],
    ['hl', client.language],
    ['ip', '0.0.0.0'],
    ['ipbits', '0'],
    ['expire', String(nowS + linkLifeS)],
  ];
  const names = ['ip', 'ipbits', 'expire', 'v', 'ei', 'caps', 'opi', ...(isGated ? ['exp'] : []), 'xoaf'];
  const sparams = names.join(',');
  const signed = [...names.map((name) => [name, valueIn(fixed, name)] as const), ['sparams', sparams] as const];
  const format = profileOf(client)?.captionFormat;
  const all: [string, string][] = [
    ...fixed,
    ['sparams', sparams],
    ['signature', signatureOf(secret, signed)],
    ['key', 'yt8'],
  ];
  if (track.kind === 'asr') all.push(['kind', 'asr']);
  all.push(['lang', track.language]);
  if (track.trackName) all.push(['name', track.trackName]);
  if (format) all.push(['fmt', format]);
  const query = all.map(([name, value]) => `${name}=${encode(value)}`).join('&');
  return `https://www.youtube.com/api/timedtext?${query}`;
};

const valueIn = (pairs: readonly (readonly [string, string])[], name: string): string =>
  pairs.find(([key]) => key === name)?.[1] ?? '';

const mustBeSigned = ['ip', 'ipbits', 'expire', 'v', 'ei', 'caps', 'opi', 'xoaf'];

/** Whether the signature of the link is valid and the link has not expired. */
export const isLinkGood = (secret: string, nowS: number, query: URLSearchParams): boolean => {
  const sparams = query.get('sparams') ?? '';
  const names = sparams.split(',');
  if (!mustBeSigned.every((name) => names.includes(name))) return false;
  const signed = [...names.map((name) => [name, query.get(name) ?? ''] as const), ['sparams', sparams] as const];
  return query.get('signature') === signatureOf(secret, signed) && Number(query.get('expire')) > nowS;
};
