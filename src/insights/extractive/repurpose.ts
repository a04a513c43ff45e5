import type { RepurposeFormat } from '../../contract/operations/repurpose.ts';
import { videoLink } from '../../extraction/platform-links.ts';
import type { Excerpt, Source } from '../source.ts';
import { chapterPassages, chapterTitles, extractChapters } from './chapters.ts';
import { extractClips } from './clips.ts';
import { type Document, excerptOf, readDocument } from './document.ts';
import { countBefore } from './passages.ts';
import { quotePassages } from './quotes.ts';
import { extractSummary, summarySentences, withEllipsis } from './summarize.ts';
import { say } from './templates.ts';
import { plainTitle } from './titles.ts';

export const longestDescription = 5_000;
const longestLinkedIn = 3_000;
export const longestPost = 280;

/** What the templates put together. */
type Parts = {
  readonly source: Source;
  readonly document: Document;
  readonly title: string;
  readonly url: string;
  readonly quotes: readonly Excerpt[];
};

const byline = ({ source, document }: Parts): string => {
  const channel = plainTitle(source.channel ?? '');
  return channel === '' ? '' : `${say('by', document.language)} ${channel}`;
};

/** Blocks with an empty line between them; empty ones are left out. */
const blocks = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n');

const section = (heading: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `## ${heading}\n\n${lines.join('\n')}`;

/** The first is written as the beginning of the video: the platform shows chapters only from 00:00. */
const chapterLines = ({ source }: Parts): string[] =>
  extractChapters(source).map(({ timestamp, title }, at) => `${at === 0 ? '00:00' : timestamp} ${title}`);

/** Sentences of a summary as list items. */
const points = ({ document }: Parts, length: 'short' | 'medium'): string[] =>
  summarySentences(document, length).map(({ text }) => `- ${text}`);

const quoteLines = ({ quotes }: Parts, most: number): string[] =>
  quotes.slice(0, most).map(({ timestamp, text }) => `> ${text} (${timestamp})`);

const blog = (parts: Parts): string => {
  const { source, document, title, url } = parts;
  const titles = chapterTitles(document);
  const told = summarySentences(document, 'detailed');
  const sections = chapterPassages(document).map((_, at) => {
    const sentences = told.filter(({ chapter }) => chapter === at).map(({ text }) => text);
    return sentences.length === 0 ? '' : `## ${titles[at] ?? ''}\n\n${sentences.join(' ')}`;
  });
  const quotes = section(say('quotes', document.language), quoteLines(parts, 3));
  return blocks(
    `# ${title}`,
    byline(parts),
    extractSummary(source, { length: 'short' }),
    ...sections,
    quotes,
    `${say('watch', document.language)}: ${url}`,
  );
};

const newsletter = (parts: Parts): string => {
  const { source, document, title, url } = parts;
  return blocks(
    `# ${title}`,
    byline(parts),
    extractSummary(source, { length: 'short' }),
    section(say('keyPoints', document.language), points(parts, 'medium')),
    section(say('quotes', document.language), quoteLines(parts, 2)),
    `${say('watch', document.language)}: ${url}`,
  );
};

const linkedin = (parts: Parts): string => {
  const { document, title, url, quotes } = parts;
  const end = `${say('watch', document.language)}: ${url}`;
  const [opening] = quotes;
  const text = blocks(opening?.text ?? '', title, points(parts, 'medium').join('\n'));
  return blocks(cut(text, longestLinkedIn - end.length - 2), end);
};

/** As the platform counts: letters of most Asian scripts and emoji count twice. */
const postLength = (text: string): number =>
  [...text].reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) > 0x10ff ? 2 : 1), 0);

/** Cuts at a space where there is one near the end. */
const cut = (text: string, most: number, lengthOf = (part: string) => part.length): string => {
  if (lengthOf(text) <= most) return text;
  const characters = [...text];
  const shortened = (length: number) => characters.slice(0, length).join('');
  const fitting = countBefore(characters.length, (at) => lengthOf(`${shortened(at + 1)}…`) <= most);
  const kept = shortened(fitting);
  const space = kept.lastIndexOf(' ');
  return `${(space > kept.length * 0.6 ? kept.slice(0, space) : kept).trimEnd()}…`;
};

const thread = (parts: Parts): string => {
  const { document, title, url, quotes } = parts;
  const [opening] = quotes;
  const told = summarySentences(document, 'medium').map(({ text }) => text);
  const first = opening === undefined || postLength(title) > 120 ? title : `${title}\n${opening.text}`;
  const posts = [first, ...told.filter((text) => opening === undefined || text !== withEllipsis(opening.text))];
  const texts = [...posts, `${say('watch', document.language)}: ${url}`];
  return texts.map((text, at) => cut(`${at + 1}/${texts.length} ${text}`, longestPost, postLength)).join('\n\n');
};

const description = (parts: Parts): string => {
  const { source, document, url } = parts;
  const chapters = `${say('chapters', document.language)}\n${chapterLines(parts).join('\n')}`;
  const end = blocks(chapters, `${say('watch', document.language)}: ${url}`);
  const summary = extractSummary(source, { length: 'medium' });
  return blocks(cut(summary, longestDescription - end.length - 2), end);
};

const showNotes = (parts: Parts): string => {
  const { source, document, title, url } = parts;
  const clips = extractClips(source).map(
    ({ timestamp, end_timestamp, label }) => `- ${timestamp}–${end_timestamp} ${label}`,
  );
  const chapters = chapterLines(parts).map((line) => `- ${line}`);
  return blocks(
    `# ${title}`,
    byline(parts),
    section(say('summary', document.language), [extractSummary(source, { length: 'short' })]),
    section(say('chapters', document.language), chapters),
    section(say('quotes', document.language), quoteLines(parts, 4)),
    section(say('moments', document.language), clips),
    `${say('watch', document.language)}: ${url}`,
  );
};

const templates: Readonly<Record<RepurposeFormat, (parts: Parts) => string>> = {
  blog,
  newsletter,
  linkedin,
  x_thread: thread,
  youtube_description: description,
  show_notes: showNotes,
};

/** A text in one of six formats: a template around sentences, quotes and chapters of the transcript. */
export const composeRepurpose = (source: Source, { format }: { readonly format: RepurposeFormat }): string => {
  const document = readDocument(source);
  const title = plainTitle(source.title ?? '') || say('video', document.language);
  const url = videoLink(source.videoId);
  const quotes = quotePassages(document).map((passage) => excerptOf(document, passage));
  return templates[format]({ source, document, title, url, quotes });
};

export const extract = { file: 'repurpose', run: composeRepurpose };
