import { isDuration, isTime, lastingMs, type RawLine, type RawWord, UnreadableCaptions } from './caption-line.ts';

/** The mark of a word, of which a line may hold many. Within another tag that is damaged it is none. */
const word = /<\/?s(?<=>[^<>]*<\/?s)(?:\s[^<>]*)?>/g;
/** The head of a line as the platform nearly always writes it, behind the end of the one before: found by one pattern. */
const usualHead =
  /(?:<\/[a-z]+>)?\s*<(?:p|text) (?:t="(\d+)" d="(\d+)"(?: w="\d+")?(?: a="(1)")?|start="([\d.]+)" dur="([\d.]+)")>/y;
const opening = /<(?:p|text)((?:\s[^<>]*?)?)(\/?)>/g;

/**
 * srv1, srv2, srv3: `<text start dur>` in seconds, `<text t d>` and `<p t d>` in milliseconds, `<s>` for words. `end`
 * closes the document: one without it was cut off. `hasWords`: lines with the times of their words.
 */
export const readXml = (document: string, end: string, hasWords = false): RawLine[] => {
  // A self-closing root is an empty document; anything else without an end was cut off.
  if (document.lastIndexOf(end) < 0) {
    if (/<(?:transcript|timedtext)[^<>]*\/>\s*$/.test(document)) return [];
    throw new UnreadableCaptions('end');
  }
  const body = !hasWords && document.includes('<s') ? document.replace(word, '') : document;
  const lines: RawLine[] = [];
  let done = 0;
  for (;;) {
    const head = headAt(body, done);
    if (head === null) return lines;
    const { attributes, from } = head;
    const spoken = hasWords && !head.isEmpty ? spokenLine(body, from) : null;
    done = head.isEmpty ? from : (spoken?.end ?? closing(body, from));
    const text = spoken?.text ?? textOf(body, from, done, hasWords);
    const line = lineOf(text, attributes, lines.length);
    if (text.includes('<!')) throw new UnreadableCaptions(`line[${lines.length}].markup`);
    const isAppended = attributes['a'] === '1' || attributes['append'] === '1';
    if (isAppended && text.trim() === '') continue;
    lines.push(spoken === null ? line : { ...line, words: spoken.words });
  }
};

type Head = { readonly attributes: Attributes; readonly from: number; readonly isEmpty: boolean };

/** The head of the next line, and where its text begins; null: there is none. */
const headAt = (body: string, done: number): Head | null => {
  usualHead.lastIndex = done;
  const usual = usualHead.exec(body);
  if (usual !== null) {
    const [, t, d, a, start, dur] = usual;
    return { attributes: { t, d, a, start, dur }, from: usualHead.lastIndex, isEmpty: false };
  }
  opening.lastIndex = done;
  const match = opening.exec(body);
  // A line that is lost among many is as loud as all of them.
  if (hasText(body.slice(done, match?.index ?? body.lastIndexOf('<')))) throw new UnreadableCaptions('line');
  if (match === null) return null;
  return { attributes: attributesOf(match[1] ?? ''), from: opening.lastIndex, isEmpty: match[2] === '/' };
};

/** The text of a line without the marks of its words, the first of which stands behind the head. */
const textOf = (body: string, from: number, to: number, hasMarks: boolean): string =>
  hasMarks
    ? body
        .slice(from - 1, to)
        .replace(word, '')
        .slice(1)
    : body.slice(from, to);

/** A line that is nothing but words; `end` is where it ends. */
type SpokenLine = { readonly text: string; readonly words: RawWord[]; readonly end: number };

/** Some characters of a tag at most: of a longer one nothing is read. */
const longestTag = 200;
const quote = 34;
const closeTag = 62;

/** The words from here to the end of their line; null: it has none, or something besides. */
const spokenLine = (document: string, from: number): SpokenLine | null => {
  const words: RawWord[] = [];
  const texts: string[] = [];
  let at = from;
  while (document.startsWith('<s', at)) {
    // The next tag, which closes this one, comes after the end of this one.
    const next = document.indexOf('<', at + 2);
    const end = document.indexOf('>', at + 2);
    if (
      end < 0 ||
      next < end ||
      end - at > longestTag ||
      !document.startsWith('</s', next) ||
      document.charCodeAt(next + 3) !== closeTag
    )
      return null;
    const startMs = timeIn(document, at + 2, end) ?? 0;
    if (!isTime(startMs)) return null;
    const text = document.slice(end + 1, next);
    words.push({ text, startMs });
    texts.push(text);
    at = next + 4;
  }
  return words.length > 0 && document.startsWith('</p>', at) ? { text: texts.join(''), words, end: at } : null;
};

/** The time among the attributes of a tag, NaN for what is no number; null: it has none. */
const timeIn = (document: string, from: number, end: number): number | null => {
  if (from === end) return null;
  // As the platform nearly always writes it.
  if (document.startsWith(' t=', from) && document.charCodeAt(from + 3) === quote) {
    let [at, value] = [from + 4, 0];
    let code = document.charCodeAt(at);
    while (code >= 48 && code <= 57) {
      value = value * 10 + code - 48;
      at += 1;
      code = document.charCodeAt(at);
    }
    if (code === quote && at > from + 4 && at - from < 20) return value;
  }
  const { t } = attributesOf(document.slice(from, end));
  return t === undefined ? null : millis(t, false);
};

/** Whether anything but tags and white space stands here. A pattern would look at text without a tag again and again. */
const hasText = (body: string): boolean =>
  body.split('<').some((part, index) => {
    const end = part.lastIndexOf('>');
    const isUnclosed = index > 0 && end < 0;
    return isUnclosed || part.slice(end + 1).trim() !== '';
  });

/** Where the line ends with `</p>` or `</text>`: other tags may end inside it. */
const closing = (body: string, from: number): number => {
  let at = body.indexOf('</', from);
  while (at >= 0 && body[at + 2] !== 'p' && body[at + 2] !== 't') at = body.indexOf('</', at + 2);
  if (at < 0) throw new UnreadableCaptions('end');
  return at;
};

type Attributes = Readonly<Record<string, string | undefined>>;

const attribute = /\s([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The attributes of a tag; of two with one name the first counts. */
const attributesOf = (text: string): Attributes =>
  Object.fromEntries(
    [...text.matchAll(attribute)].toReversed().map(([, name = '', double, single = '']) => [name, double ?? single]),
  );

const lineOf = (text: string, { start, dur, t = '', d }: Attributes, index: number): RawLine => {
  const isSeconds = start !== undefined;
  const startMs = millis(start ?? t, isSeconds);
  const duration = isSeconds ? dur : d;
  const durationMs = duration === undefined ? null : millis(duration, isSeconds);
  if (!isTime(startMs) || !isDuration(durationMs)) throw new UnreadableCaptions(`line[${index}].time`);
  return { text, startMs, durationMs: lastingMs(durationMs) };
};

/** NaN for what is no number, the empty text included. */
const millis = (text: string, isSeconds: boolean): number => {
  if (text.trim() === '') return Number.NaN;
  return isSeconds ? Math.round(Number(text) * 1000) : Number(text);
};
