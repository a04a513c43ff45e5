import type { Chapter } from '../../contract/operations/chapters.ts';
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
  /** Title and channel. */
  readonly head: string;
  /** Where the video is. */
  readonly watch: string;
  readonly quotes: readonly Excerpt[];
};

/** Blocks with an empty line between them; empty ones are left out. */
const blocks = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n');

const section = ({ document }: Parts, heading: Parameters<typeof say>[0], lines: readonly string[]): string =>
  lines.length === 0 ? '' : `## ${say(heading, document.language)}\n\n${lines.join('\n')}`;

/** The first is written as the beginning of the video: the platform shows chapters only from 00:00. */
export const chapterLines = (chapters: readonly Chapter[]): string[] =>
  chapters.map(({ timestamp, title }, at) => `${at === 0 ? '00:00' : timestamp} ${title}`);

/** Sentences of a summary as list items. */
const points = ({ document }: Parts, length: 'short' | 'medium'): string[] =>
  summarySentences(document, length).map(({ text }) => `- ${text}`);

const quoteLines = ({ quotes }: Parts, most: number): string[] =>
  quotes.slice(0, most).map(({ timestamp, text }) => `> ${text} (${timestamp})`);

const blog = (parts: Parts): string => {
  const { source, document, head, watch } = parts;
  const titles = chapterTitles(document);
  const told = summarySentences(document, 'detailed');
  const sections = chapterPassages(document).map((_, at) => {
    const sentences = told.filter(({ chapter }) => chapter === at).map(({ text }) => text);
    return sentences.length === 0 ? '' : `## ${titles[at] ?? ''}\n\n${sentences.join(' ')}`;
  });
  const quotes = section(parts, 'quotes', quoteLines(parts, 3));
  return blocks(head, extractSummary(source, { length: 'short' }), ...sections, quotes, watch);
};

const newsletter = (parts: Parts): string => {
  const { source, head, watch } = parts;
  return blocks(
    head,
    extractSummary(source, { length: 'short' }),
    section(parts, 'keyPoints', points(parts, 'medium')),
    section(parts, 'quotes', quoteLines(parts, 2)),
    watch,
  );
};

const linkedin = (parts: Parts): string => {
  const { title, watch, quotes } = parts;
  const [opening] = quotes;
  const text = blocks(opening?.text ?? '', title, points(parts, 'medium').join('\n'));
  return blocks(cut(text, longestLinkedIn - watch.length - 2), watch);
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
  const { document, title, watch, quotes } = parts;
  const [opening] = quotes;
  const told = summarySentences(document, 'medium').map(({ text }) => text);
  const first = opening === undefined || postLength(title) > 120 ? title : `${title}\n${opening.text}`;
  const posts = [first, ...told.filter((text) => opening === undefined || text !== withEllipsis(opening.text))];
  const texts = [...posts, watch];
  return texts.map((text, at) => cut(`${at + 1}/${texts.length} ${text}`, longestPost, postLength)).join('\n\n');
};

const description = (parts: Parts): string => {
  const { source, document, watch } = parts;
  const chapters = `${say('chapters', document.language)}\n${chapterLines(extractChapters(source)).join('\n')}`;
  const end = blocks(chapters, watch);
  const summary = extractSummary(source, { length: 'medium' });
  return blocks(cut(summary, longestDescription - end.length - 2), end);
};

const showNotes = (parts: Parts): string => {
  const { source, head, watch } = parts;
  const clips = extractClips(source).map(
    ({ timestamp, end_timestamp, label }) => `- ${timestamp}–${end_timestamp} ${label}`,
  );
  const chapters = chapterLines(extractChapters(source)).map((line) => `- ${line}`);
  return blocks(
    head,
    section(parts, 'summary', [extractSummary(source, { length: 'short' })]),
    section(parts, 'chapters', chapters),
    section(parts, 'quotes', quoteLines(parts, 4)),
    section(parts, 'moments', clips),
    watch,
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
  const { language } = document;
  const title = plainTitle(source.title ?? '') || say('video', language);
  const channel = plainTitle(source.channel ?? '');
  const head = blocks(`# ${title}`, channel === '' ? '' : `${say('by', language)} ${channel}`);
  const watch = `${say('watch', language)}: ${videoLink(source.videoId)}`;
  const quotes = quotePassages(document).map((passage) => excerptOf(document, passage));
  return templates[format]({ source, document, title, head, watch, quotes });
};

export const extract = { file: 'repurpose', run: composeRepurpose };
