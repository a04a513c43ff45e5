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

const hasText = (body: string): boolean => body.replace(/<?[^<>]*>/g, '').trim() !== '';

const closing = (body: string, from: number): number => {
  let at = body.indexOf('</', from);
  // Words end with `</s>` inside a line; the line ends with `</p>` or `</text>`.
  while (at >= 0 && body[at + 2] !== 'p' && body[at + 2] !== 't') at = body.indexOf('</', at + 2);
  if (at < 0) throw new UnreadableCaptions('end');
  return at;
};

const xmlTimes = (attributes: string, index: number) => {
  const start = attributeOf(attributes, ' start="');
  const isSeconds = start !== null;
  const startMs = millis(start ?? attributeOf(attributes, ' t="') ?? '', isSeconds);
  const duration = attributeOf(attributes, isSeconds ? ' dur="' : ' d="');
  const durationMs = duration === null ? null : millis(duration, isSeconds);
  if (!isTime(startMs) || !isDuration(durationMs))
    throw new UnreadableCaptions(`line[${index}].time`);
  const isAppended = attributes.includes(' a="1"') || attributes.includes(' append="1"');
  return { startMs, durationMs: lastingMs(durationMs), isAppended };
};

const attributeOf = (attributes: string, name: string): string | null => {
  const at = attributes.indexOf(name);
  if (at < 0) return null;
  const from = at + name.length;
  return attributes.slice(from, attributes.indexOf('"', from));
};

/** NaN for what is no number, the empty text included. */
const millis = (text: string, isSeconds: boolean): number => {
  if (text === '') return Number.NaN;
  return isSeconds ? Math.round(Number(text) * 1000) : Number(text);
};
