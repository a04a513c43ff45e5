import type { Transcript } from '../../../../commands.ts';

/** APA, 7th edition, of a video whose date is not known. */
export const citationOf = ({ title, channel, videoId, url }: Transcript, readAt: string): string =>
  `${channel ?? 'Unknown'}. (n.d.). ${title ?? videoId} [Video]. YouTube. Retrieved ${readAt.slice(0, 10)}, from ${url}`;

/** BibTeX; braces and backslashes of names are left out, they would end the field. */
export const bibtexOf = ({ title, channel, videoId, url }: Transcript, readAt: string): string =>
  [
    `@misc{${videoId},`,
    `  title = {{${plain(title ?? videoId)}}},`,
    `  author = {{${plain(channel ?? 'Unknown')}}},`,
    `  howpublished = {\\url{${url}}},`,
    `  note = {Video, captions read ${readAt.slice(0, 10)}}`,
    '}',
  ].join('\n');

const plain = (text: string): string => text.replace(/[{}\\]/g, '');
