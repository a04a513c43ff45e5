import { isDuration, isTime, lastingMs, type RawLine, UnreadableCaptions } from './caption-line.ts';
import { scanXml } from './caption-xml-scan.ts';

/**
 * srv1, srv2, srv3: `<text start dur>` in seconds, `<text t d>` and `<p t d>` in milliseconds, `<s>` for words. `end`
 * closes the document: one without it was cut off.
 */
export const readXml = (body: string, end: string): RawLine[] => {
  const stop = body.lastIndexOf(end);
  // A self-closing root is an empty document; anything else without an end was cut off.
  if (stop < 0) {
    if (/<(?:transcript|timedtext)[^<>]*\/>\s*$/.test(body)) return [];
    throw new UnreadableCaptions('end');
  }
  return scanXml(body) ?? readAnyXml(body);
};

const opening = /<(?:p|text)((?:\s[^<>]*?)?)(\/?)>/g;
const inner = /<\/?s(?:\s[^<>]*)?>/g;

/** The general reader: slower, and the one that says what is wrong. */
export const readAnyXml = (body: string): RawLine[] => {
  const lines: RawLine[] = [];
  let end = 0;
  opening.lastIndex = 0;
  for (let match = opening.exec(body); match !== null; match = opening.exec(body)) {
    // A line that is lost among many is as loud as all of them.
    if (hasText(body.slice(end, match.index))) throw new UnreadableCaptions('line');
    const from = opening.lastIndex;
    const isEmpty = match[2] === '/';
    const to = isEmpty ? from : closing(body, from);
    const times = xmlTimes(match[1] ?? '', lines.length);
    opening.lastIndex = to;
    end = to;
    const content = body.slice(from, to);
    if (content.includes('<!')) throw new UnreadableCaptions(`line[${lines.length}].markup`);
    const text = content.includes('<s') ? content.replace(inner, '') : content;
    if (times.isAppended && text.trim() === '') continue;
    lines.push({ text, startMs: times.startMs, durationMs: times.durationMs });
  }
  if (hasText(body.slice(end, body.lastIndexOf('<')))) throw new UnreadableCaptions('line');
  return lines;
};

/** Whether anything but tags and white space stands here. A pattern would look at text without a tag again and again. */
const hasText = (body: string): boolean =>
  body.split('<').some((part, index) => {
    const end = part.lastIndexOf('>');
    const isUnclosed = index > 0 && end < 0;
    return isUnclosed || part.slice(end + 1).trim() !== '';
  });

const closing = (body: string, from: number): number => {
  let at = body.indexOf('</', from);
  // Words end with `</s>` inside a line; the line ends with `</p>` or `</text>`.
  while (at >= 0 && body[at + 2] !== 'p' && body[at + 2] !== 't') at = body.indexOf('</', at + 2);
  if (at < 0) throw new UnreadableCaptions('end');
  return at;
};

const attribute = /\s([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The attributes of a tag; of two with one name the first counts. */
const attributesOf = (text: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const [, name = '', double, single = ''] of text.matchAll(attribute))
    if (!found.has(name)) found.set(name, double ?? single);
  return found;
};

const xmlTimes = (text: string, index: number) => {
  const attributes = attributesOf(text);
  const start = attributes.get('start');
  const isSeconds = start !== undefined;
  const startMs = millis(start ?? attributes.get('t') ?? '', isSeconds);
  const duration = attributes.get(isSeconds ? 'dur' : 'd');
  const durationMs = duration === undefined ? null : millis(duration, isSeconds);
  if (!isTime(startMs) || !isDuration(durationMs))
    throw new UnreadableCaptions(`line[${index}].time`);
  const isAppended = attributes.get('a') === '1' || attributes.get('append') === '1';
  return { startMs, durationMs: lastingMs(durationMs), isAppended };
};

/** NaN for what is no number, the empty text included. */
const millis = (text: string, isSeconds: boolean): number => {
  if (text.trim() === '') return Number.NaN;
  return isSeconds ? Math.round(Number(text) * 1000) : Number(text);
};
