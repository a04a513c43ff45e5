import { parseChannelId, parseHandle, parsePlaylistId } from './lists/list-reference.ts';
import { parseVideoId } from './video-id.ts';

/** What a pasted link names. */
export type LinkTarget =
  | { readonly kind: 'video'; readonly videoId: string; readonly second: number | null }
  | { readonly kind: 'playlist' | 'channel'; readonly reference: string };

/** What a link, an id or a handle names; null: nothing that this service knows. A video within a playlist is the video. */
export const nameLink = (pasted: string): LinkTarget | null => {
  const videoId = parseVideoId(pasted);
  if (videoId !== null) return { kind: 'video', videoId, second: secondOf(pasted) };
  const channel = parseChannelId(pasted);
  if (channel !== null) return { kind: 'channel', reference: channel };
  const isAddress = /[/.=]/.test(pasted) || pasted.startsWith('@');
  const playlist = isAddress || /^(PL|UU|OL|FL|RD)/.test(pasted) ? parsePlaylistId(pasted) : null;
  if (playlist !== null) return { kind: 'playlist', reference: playlist };
  const handle = isAddress ? parseHandle(pasted) : null;
  if (handle !== null) return { kind: 'channel', reference: `@${handle}` };
  return null;
};

/** What is the same for every link to one target. */
export const targetName = (target: LinkTarget): string =>
  target.kind === 'video' ? target.videoId : `${target.kind} ${target.reference}`;

/** The time of a link, in seconds: `t=83`, `t=1m23s`, `start=83`. */
const secondOf = (pasted: string): number | null => {
  const text = /[?&#](?:t|start)=([0-9hms]{1,12})/.exec(pasted)?.[1];
  if (text === undefined) return null;
  const parts = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?$/.exec(text);
  if (parts === null) return null;
  const [, hours = '0', minutes = '0', seconds = '0'] = parts;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
};
