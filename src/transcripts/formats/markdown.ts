import { channelLink } from '../../extraction/platform-links.ts';
import { ownValue } from '../../kernel/own-value.ts';
import { timestampOf } from '../timestamp.ts';
import type { Cue, Transcript } from '../transcript.ts';
import { linesOf, type ShownCue, shownCues } from './lines.ts';

/** A silence of so many milliseconds begins a new paragraph. */
const paragraphPauseMs = 2_000;
/** From so many captions on, a paragraph ends with the next sentence. */
const paragraphCaptions = 8;
/** Automatic captions have no sentences: a paragraph ends here at the latest. */
const longestParagraph = 24;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * One line of foreign text as Markdown that shows exactly this text: no HTML, link, image, emphasis, code,
 * heading, list, quote, table or rule comes of it, in CommonMark and its GitHub dialect. One exception: GitHub
 * itself looks for mail addresses and names after `@` in the finished text, where no escape is left to see.
 */
export const escapeMarkdown = (line: string): string =>
  line
    .replace(/[\\`*_[\]~|$@]/g, '\\$&')
    .replace(/[&<>]/g, (character) => ownValue(entities, character) ?? character)
    .replaceAll('://', '\\://')
    .replace(/\bwww\./gi, (prefix) => `${prefix.slice(0, -1)}\\.`)
    .replace(/^(?:[#+=-]|:(?=\s))/, '\\$&')
    .replace(/^(\d{1,9})([.)])/, '$1\\$2');

const oneLine = (text: string): string => escapeMarkdown(linesOf(text).join(' '));

/** An address between angle brackets or parentheses: nothing in it can end them. */
const address = (url: string): string =>
  url.replace(/[\s<>()[\]\\`]/gu, (character) =>
    character === '(' || character === ')' ? `%${character.charCodeAt(0).toString(16)}` : encodeURIComponent(character),
  );

const header = (transcript: Omit<Transcript, 'cues'>): string => {
  const { title, channel, channelId, url, language, source } = transcript;
  const rows: string[] = [];
  if (channel !== null) {
    const name = oneLine(channel);
    rows.push(channelId === null ? `- Channel: ${name}` : `- Channel: [${name}](${channelLink(address(channelId))})`);
  }
  rows.push(`- Video: <${address(url)}>`);
  if (language !== null) rows.push(`- Language: ${oneLine(language)} (${oneLine(source)})`);
  return `# ${oneLine(title ?? '') || oneLine(transcript.videoId)}\n\n${rows.join('\n')}\n`;
};

const endsSentence = /[.!?…。！？]["'”’»)\]]*$/u;

const paragraphsOf = (shown: readonly ShownCue[]): string => {
  let text = '';
  let count = 0;
  let last: Cue | null = null;
  for (const { cue, lines } of shown) {
    const isPause = last !== null && cue.startMs - last.endMs >= paragraphPauseMs;
    const isFull =
      count >= longestParagraph || (count >= paragraphCaptions && last !== null && endsSentence.test(last.text));
    if (isPause || isFull) {
      text += '\n';
      count = 0;
    }
    text += `${lines.map(escapeMarkdown).join('\n')}\n`;
    count += 1;
    last = cue;
  }
  return text;
};

const linkedList = (shown: readonly ShownCue[], url: string): string => {
  const link = `${address(url)}${url.includes('?') ? '&' : '?'}t=`;
  return shown
    .map(({ cue, lines }) => {
      const second = Math.floor(cue.startMs / 1000);
      return `- [${timestampOf(cue.startMs)}](${link}${second}s) ${escapeMarkdown(lines.join(' '))}\n`;
    })
    .join('');
};

/**
 * Markdown: title, channel, link and language, then the text in paragraphs that break where the speaker pauses.
 * With `timestamps`, one list item for each caption, and its time links to that second of the video.
 */
export const toMarkdown = (transcript: Transcript, { timestamps }: { readonly timestamps: boolean }): string => {
  const shown = shownCues(transcript.cues, false);
  const body = timestamps ? linkedList(shown, transcript.url) : paragraphsOf(shown);
  return body === '' ? header(transcript) : `${header(transcript)}\n${body}`;
};
