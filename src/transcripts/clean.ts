import type { Word } from '../extraction/captions/caption-track.ts';
import { isSound, isSpeaker } from './sound-cues.ts';
import type { Cue } from './transcript.ts';

/** Where something was taken out, until the spaces around it are settled; a private-use character. */
const gap = '\ue000';

/** With the wave that stands beside a note, apart from any word: `♪〜` is how Japanese captions write music. */
const notes = /(?:(?<=^|\s)[~〜～]+)?[\u2669-\u266c\u{1f3b5}\u{1f3b6}\u{1f3bc}]\ufe0f?(?:[~〜～]+(?=\s|$))?/gu;

/** Brackets that hold no brackets and at most 120 characters; doubled ones (`[[Music]]`) count as one pair. */
const spans =
  /\[{1,3}([^[\]\n]{0,120})\]{1,3}|\({1,3}([^()\n]{0,120})\){1,3}|【([^【】\n]{0,120})】|（([^（）\n]{0,120})）|［([^［］\n]{0,120})］/gu;

/** Characters before the first word of a line that say who speaks. */
const speakerMark = /^(?:(?:>>+|[-–—])\s*)+/u;

/** A look at the text that finds out quickly that there is nothing to do. */
const isSuspicious = /[[(【（［\u2669-\u266c\u{1f3b5}\u{1f3b6}\u{1f3bc}]|&gt;/u;

/** White space and what shows nothing by itself: right-to-left captions wrap their lines in marks of direction. */
const blanks = '\\s\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff';
const isBlank = new RegExp(`^[${blanks}]*$`, 'u');

/** What is left of music without its notes: that it goes on. */
const isRest = new RegExp(`^[${blanks}~〜～.…—–-]*$`, 'u');

/** Notes, numbers, code, masked words and whole sentences in brackets are content. */
const carriesContent = (content: string): boolean =>
  !/\p{L}/u.test(content) ||
  /[\d_=;{}<>/\\@]/u.test(content) ||
  /[.!?…。！？]\s*$/u.test(content) ||
  /^\s*sic\s*$/iu.test(content) ||
  (content.match(/[\p{L}\p{M}]+/gu) ?? []).length > 6;

const participles = /^(?:\p{L}+\s+){0,3}\p{Ll}{2,}(?:s|ing)$/u;

/** Alone in its line, a span in square brackets is a cue unless it carries content; round ones must look like one. */
const isCueAlone = (content: string, isRound: boolean): boolean =>
  !carriesContent(content) && (!isRound || participles.test(content.trim()));

/** Only brackets and punctuation are left when the words between them are taken away. */
const standsAlone = (line: string): boolean =>
  isBlank.test(
    line
      .replace(/<\/?[a-z][^<>]*>/giu, '')
      .replace(speakerMark, '')
      .replace(spans, ''),
  );

/** What is known of a span: its brackets and content, and where in which line it stands. */
type Span = {
  readonly whole: string;
  readonly content: string;
  /** The character before it: both halves of a surrogate pair. */
  readonly last: string;
  /** All that is before it; null where that is too long for the start of a line. */
  readonly before: string | null;
  readonly after: string;
  readonly isAlone: boolean;
};

/** A label that says who speaks stands within so many characters of the start of its line. */
const labelWithin = 200;

const isDropped = ({ whole, content, last, before, after, isAlone }: Span): boolean => {
  const bare = content.replaceAll(gap, '');
  if (bare !== content && isRest.test(bare)) return true;
  if (/[\p{Script=Latin}\d_)\]]$/u.test(last)) return false;
  if (isSound(bare)) return true;
  if (isAlone) return isSpeaker(bare) || isCueAlone(bare, /^[(（]/u.test(whole));
  if (before === null) return false;
  const isFirst = isBlank.test(before.replace(speakerMark, '').replaceAll(gap, ''));
  const isLabel = /^\s*:/u.test(after) && !carriesContent(bare);
  return isFirst && (isLabel || isSpeaker(bare));
};

/** A line may be as long as a document: nothing here looks at what is before a span as a whole, for every span. */
const withoutSpans = (line: string): string => {
  const isAlone = standsAlone(line.replaceAll(gap, ''));
  let result = '';
  let from = 0;
  for (const match of line.matchAll(spans)) {
    const [whole, ...contents] = match;
    const between = line.slice(from, match.index);
    const last = between === '' && result !== '' ? gap : between.slice(-2);
    const isNear = result.length + between.length <= labelWithin;
    const before = isNear ? result + between : null;
    const after = line.slice(match.index + whole.length);
    const content = contents.find((one) => one !== undefined) ?? '';
    if (!isDropped({ whole, content, last, before, after, isAlone })) continue;
    result += between + gap;
    const colon = isSound(content) ? null : /^\s*:/u.exec(after);
    from = match.index + whole.length + (colon?.[0].length ?? 0);
  }
  return result + line.slice(from);
};

/** Gaps that touch are one, with at most one space behind it: each pattern below looks at a bounded stretch. */
const runs = new RegExp(`${gap}[ \\t${gap}]*`, 'gu');
const joined = (text: string): string => text.replace(runs, (run) => (/[ \t]/.test(run) ? `${gap} ` : gap));

const emptiedTags = new RegExp(`<(i|b|u|em|strong|font|c)(?:[ .][^<>]*)?>[\\s${gap}]*</\\1>`, 'giu');
const gapAfterTag = new RegExp(`(<\\w[^<>]*>)[ \\t]{0,9}${gap} ?`, 'gu');
const direction = '[\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]';
const gapAfterMark = new RegExp(`^(${direction}{1,9})[ \\t]{0,9}${gap} ?`, 'u');
const gapBeforeSign = new RegExp(`[ \\t]{0,9}${gap} ?(?=[,.!?…;:、。！？]|</|${direction}{0,9}$)`, 'gu');
const gaps = new RegExp(`[ \\t]{0,9}${gap} ?`, 'gu');

/** Two speakers share a cue: the mark of one who only made a sound, before that of the other or at the end. */
const emptiedMark = new RegExp(
  `^(?:>>+|[-–—])[ \\t]{0,9}${gap} ?(?=(?:>>+|[-–—])[ \\t])|[ \\t](?:>>+|[-–—])[ \\t]{0,9}${gap} ?$`,
  'gu',
);
const emptiedClause = new RegExp(`[,;、،][ \\t]{0,9}${gap} ?(?=[,;、،])`, 'gu');

/** Closes the gaps: one space where there was one, none where there was none, none before a comma. */
const settled = (text: string): string =>
  joined(joined(text).replace(emptiedTags, gap))
    .replace(emptiedMark, '')
    .replace(emptiedClause, '')
    .replace(gapAfterTag, '$1')
    .replace(gapAfterMark, '$1')
    .replace(gapBeforeSign, '')
    .replace(gaps, (run) => (/[ \t]/.test(run) ? ' ' : ''))
    .trim();

const cleanLine = (original: string): string => {
  const line = original.replace(/^(\s*)((?:&gt;){2,})/u, (_, space: string, marks: string) =>
    space.concat('>'.repeat(marks.length / 4)),
  );
  const silent = line.replace(notes, gap);
  const marked = withoutSpans(silent);
  const text = marked.includes(gap) ? settled(marked) : marked.trim();
  const isNothing = silent === line ? isBlank : isRest;
  return isNothing.test(text.replace(speakerMark, '')) ? '' : text;
};

const cleanText = (text: string): string =>
  text
    .split('\n')
    .map(cleanLine)
    .filter((line) => line !== '')
    .join('\n');

/**
 * The cues without music symbols and without what is not speech: `[Music]`, `(laughs)`, `[음악]`, and speaker
 * labels in brackets. Lyrics stay without their notes; brackets that carry content, such as `(2019)`, `[sic]`,
 * `array[0]` and `[ __ ]`, stay; `>>` stays. Cues that end up empty are left out, times never change; words are those that are left.
 */
export const clean = (cues: readonly Cue[]): Cue[] => {
  const kept: Cue[] = [];
  for (const cue of cues) {
    if (!isSuspicious.test(cue.text)) {
      if (!isBlank.test(cue.text)) kept.push(cue);
      continue;
    }
    const text = cleanText(cue.text);
    if (text !== '') kept.push(text === cue.text ? cue : { ...cue, text, ...wordsLeft(cue, text) });
  }
  return kept;
};

/** The words that are still in the text of a cue, without what was taken off them. */
const wordsLeft = ({ words }: Cue, text: string): Pick<Cue, 'words'> => {
  if (words === undefined || words === null) return words === undefined ? {} : { words };
  const left: Word[] = [];
  let at = 0;
  for (const { text: word, startMs } of words) {
    const bare = word.replace(notes, '').trim();
    const found = bare === '' ? -1 : text.indexOf(bare, at);
    if (found < 0 || !isBlank.test(text.slice(at, found))) continue;
    at = found + bare.length;
    left.push({ text: bare, startMs });
  }
  return { words: left.length === 0 ? null : left };
};
