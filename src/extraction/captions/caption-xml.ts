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
  const lines = readLines(document, end);
  if (!hasWords) return lines;
  const spoken = spokenLines(document);
  return lines.map((line) => {
    const words = spoken.get(`${line.startMs} ${line.text}`);
    return words === undefined ? line : { ...line, words };
  });
};

/** Some characters of attributes at most: of a longer tag nothing is read. */
const spokenLine = /<p\s([^<>]{0,200})>((?:<s(?:\s[^<>]{0,100})?>[^<]*<\/s>)+)<\/p>/g;
const spokenWord = /<s((?:\s[^<>]{0,100})?)>([^<]*)<\/s>/g;

/** The words of the lines that are nothing but words, under the start and the text of their line. */
const spokenLines = (document: string): ReadonlyMap<string, readonly RawWord[]> => {
  const found = new Map<string, readonly RawWord[]>();
  for (const [, head = '', body = ''] of document.matchAll(spokenLine)) {
    const words: RawWord[] = [];
    let line = '';
    for (const [, attributes = '', text = ''] of body.matchAll(spokenWord)) {
      const { t = '0' } = attributesOf(attributes);
      words.push({ text, offsetMs: millis(t, false) });
      line += text;
    }
    const { t = '' } = attributesOf(` ${head}`);
    if (words.every(({ offsetMs }) => isTime(offsetMs))) found.set(`${millis(t, false)} ${line}`, words);
  }
  return found;
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
