import { isDuration, isTime, lastingMs, type RawLine, type RawWord, UnreadableCaptions } from './caption-line.ts';

/** The mark of a word, of which a line may hold many. Within another tag that is damaged it is none. */
const word = /<\/?s(?<=>[^<>]*<\/?s)(?:\s[^<>]*)?>/g;
/** A line as the platform nearly always writes it, behind the end of the one before: found by one pattern. */
const usualLine =
  /(?:<\/[a-z]+>)?\s*<(?:p|text) (?:t="(\d+)" d="(\d+)"(?: w="\d+")?|start="([\d.]+)" dur="([\d.]+)")>([^<]*)(?=<\/[pt])/y;
const opening = /<(?:p|text)((?:\s[^<>]*?)?)(\/?)>/g;

/**
 * srv1, srv2, srv3: `<text start dur>` in seconds, `<text t d>` and `<p t d>` in milliseconds, `<s>` for words. `end`
 * closes the document: one without it was cut off. `hasWords`: lines with the times of their words.
 */
export const readXml = (document: string, end: string, hasWords = false): RawLine[] => {
  const usual = hasWords ? readSpoken(document, end) : null;
  if (usual !== null) return usual;
  const lines = readLines(document, end);
  if (!hasWords) return lines;
  const spoken = spokenLines(document);
  return lines.map((line) => {
    const words = spoken.get(line.startMs)?.find(({ text }) => text === line.text)?.words;
    return words === undefined ? line : { ...line, words };
  });
};

/** The head of a line of recognized speech as the platform nearly always writes it. */
const spokenHead = /\s*<p t="(\d{1,15})" d="(\d{1,15})"(?: w="\d+")?( a="1")?>/y;

/** The lines of a document of recognized speech with their words, each looked at once; null: it is not the expected form. */
const readSpoken = (document: string, end: string): RawLine[] | null => {
  let at = document.indexOf('<p ');
  if (at < 0 || document.lastIndexOf(end) < 0 || hasText(document.slice(0, at))) return null;
  const lines: RawLine[] = [];
  for (;;) {
    spokenHead.lastIndex = at;
    const head = spokenHead.exec(document);
    if (head === null) return hasText(document.slice(at)) ? null : lines;
    const from = spokenHead.lastIndex;
    const spoken = spokenLine(document, from);
    const close = spoken?.end ?? document.indexOf('<', from);
    if (!document.startsWith('</p>', close)) return null;
    at = close + 4;
    const [, t = '', d, appended] = head;
    const text = spoken?.text ?? document.slice(from, close);
    if (appended !== undefined && text.trim() === '') continue;
    const line = lineOf(text, { t, d }, lines.length);
    if (spoken === null) lines.push(line);
    else lines.push({ text, startMs: line.startMs, durationMs: line.durationMs, words: spoken.words });
  }
};

/** A line that is nothing but words; `end` is where it ends. */
type SpokenLine = { readonly text: string; readonly words: RawWord[]; readonly end: number };

/** The lines that are nothing but words, by their start. */
const spokenLines = (document: string): ReadonlyMap<number, readonly SpokenLine[]> => {
  const found = new Map<number, SpokenLine[]>();
  for (let at = document.indexOf('<p '); at >= 0; at = document.indexOf('<p ', at + 3)) {
    const end = tagEnd(document, at + 2);
    const line = end < 0 ? null : spokenLine(document, end + 1);
    if (line === null) continue;
    const startMs = timeIn(document, at + 2, end) ?? Number.NaN;
    found.set(startMs, [...(found.get(startMs) ?? []), line]);
  }
  return found;
};

/** Some characters of a tag at most: of a longer one nothing is read. */
const longestTag = 200;
const quote = 34;
const openTag = 60;
const closeTag = 62;

/** Where the tag ends whose name ends here; -1: it is not the expected form. */
const tagEnd = (document: string, from: number): number => {
  for (let at = from; at < from + longestTag; at += 1) {
    const code = document.charCodeAt(at);
    if (code === closeTag) return at;
    if (code === openTag) return -1;
  }
  return -1;
};

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

const readLines = (document: string, end: string): RawLine[] => {
  // A self-closing root is an empty document; anything else without an end was cut off.
  if (document.lastIndexOf(end) < 0) {
    if (/<(?:transcript|timedtext)[^<>]*\/>\s*$/.test(document)) return [];
    throw new UnreadableCaptions('end');
  }
  const body = document.includes('<s') ? document.replace(word, '') : document;
  const lines: RawLine[] = [];
  let done = 0;
  for (;;) {
    usualLine.lastIndex = done;
    const usual = usualLine.exec(body);
    if (usual !== null) {
      const [, t = '', d, start, dur, text = ''] = usual;
      lines.push(lineOf(text, { t, d, start, dur }, lines.length));
      done = usualLine.lastIndex;
      continue;
    }
    opening.lastIndex = done;
    const match = opening.exec(body);
    // A line that is lost among many is as loud as all of them.
    if (hasText(body.slice(done, match?.index ?? body.lastIndexOf('<')))) throw new UnreadableCaptions('line');
    if (match === null) return lines;
    const from = opening.lastIndex;
    done = match[2] === '/' ? from : closing(body, from);
    const text = body.slice(from, done);
    const attributes = attributesOf(match[1] ?? '');
    const line = lineOf(text, attributes, lines.length);
    if (text.includes('<!')) throw new UnreadableCaptions(`line[${lines.length}].markup`);
    const isAppended = attributes['a'] === '1' || attributes['append'] === '1';
    if (!isAppended || text.trim() !== '') lines.push(line);
  }
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
