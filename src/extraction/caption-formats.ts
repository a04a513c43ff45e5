import { isObject, parseJson } from './json-path.ts';

/** The formats that are understood. `srv2` shares the reader of `srv3`. */
export type CaptionFormat = 'json3' | 'srv3' | 'srv1' | 'vtt';

/** One line as the document has it: text still escaped, times in milliseconds, null where no duration is written. */
export type RawLine = {
  readonly text: string;
  readonly startMs: number;
  readonly durationMs: number | null;
};

/** The document is none of ours: `path` says where it stops making sense, without any caption text. */
export class UnreadableCaptions extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`unreadable captions at ${path}`);
    this.name = 'UnreadableCaptions';
    this.path = path;
  }
}

/** Reads the lines of a `json3`, `srv1`, `srv2` or `srv3` document in their order; the body says which it is. */
export const readLines = (body: string): RawLine[] => {
  const start = body.trimStart();
  if (start.startsWith('{')) return readJson3(body);
  const head = start.slice(0, 600);
  if (/<(?:!doctype html|html)/i.test(head)) throw new UnreadableCaptions('html');
  if (head.includes('<transcript')) return readXml(body, '</transcript>');
  if (head.includes('<timedtext')) return readXml(body, '</timedtext>');
  throw new UnreadableCaptions('format');
};

/** json3: events without `segs` are windows; an appended event without visible text is only a line feed. */
const readJson3 = (body: string): RawLine[] => {
  const document = parseJson(body);
  if (!isObject(document)) throw new UnreadableCaptions('json');
  const events = document['events'];
  if (events === undefined && document['wireMagic'] === 'pb3') return [];
  if (!Array.isArray(events)) throw new UnreadableCaptions('events');
  const lines: RawLine[] = [];
  for (let index = 0; index < events.length; index += 1) {
    const event = events[index] as Json3Event | null;
    const segs = event?.segs;
    if (event === null || segs === undefined) continue;
    if (!Array.isArray(segs)) throw new UnreadableCaptions(`events[${index}].segs`);
    const { tStartMs: startMs = 0, dDurationMs: durationMs = null } = event;
    if (!isTime(startMs) || !(durationMs === null || isTime(durationMs)))
      throw new UnreadableCaptions(`events[${index}].tStartMs`);
    const text = json3Text(segs, index);
    if (event.aAppend === 1 && text.trim() === '') continue;
    lines.push({ text, startMs, durationMs });
  }
  return lines;
};

type Json3Event = {
  readonly tStartMs?: unknown;
  readonly dDurationMs?: unknown;
  readonly aAppend?: unknown;
  readonly segs?: unknown;
};

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && Number.isFinite(value);

const json3Text = (segs: readonly unknown[], index: number): string => {
  let text = '';
  for (const seg of segs) {
    const part = (seg as { utf8?: unknown } | null)?.utf8;
    if (typeof part === 'string') text += part;
    else if (part !== undefined) throw new UnreadableCaptions(`events[${index}].segs.utf8`);
  }
  return text;
};

const opening = /<(?:p|text)((?:\s[^<>]*?)?)(\/?)>/g;
const attribute = /\b(t|d|start|dur|a|append)="([^"]*)"/g;
const inner = /<\/?s(?:\s[^<>]*)?>/g;

/** srv1, srv2, srv3: `<text start dur>` in seconds, `<text t d>` and `<p t d>` in milliseconds, `<s>` for words. */
const readXml = (body: string, end: string): RawLine[] => {
  const stop = body.lastIndexOf(end);
  // A self-closing root is an empty document; anything else without an end was cut off.
  if (stop < 0) {
    if (/<(?:transcript|timedtext)[^<>]*\/>\s*$/.test(body)) return [];
    throw new UnreadableCaptions('end');
  }
  const lines: RawLine[] = [];
  opening.lastIndex = 0;
  for (let match = opening.exec(body); match !== null; match = opening.exec(body)) {
    const from = opening.lastIndex;
    const isEmpty = match[2] === '/';
    const to = isEmpty ? from : closing(body, from);
    const times = xmlTimes(match[1] ?? '', lines.length);
    opening.lastIndex = to;
    const content = body.slice(from, to);
    const text = content.includes('<s') ? content.replace(inner, '') : content;
    if (times.isAppended && text.trim() === '') continue;
    lines.push({ text, startMs: times.startMs, durationMs: times.durationMs });
  }
  return lines;
};

const closing = (body: string, from: number): number => {
  let at = body.indexOf('</', from);
  // Words end with `</s>` inside a line; the line ends with `</p>` or `</text>`.
  while (at >= 0 && body[at + 2] !== 'p' && body[at + 2] !== 't') at = body.indexOf('</', at + 2);
  if (at < 0) throw new UnreadableCaptions('end');
  return at;
};

const xmlTimes = (attributes: string, index: number) => {
  let startMs = Number.NaN;
  let durationMs: number | null = null;
  let isAppended = false;
  attribute.lastIndex = 0;
  for (let match = attribute.exec(attributes); match !== null; match = attribute.exec(attributes)) {
    const [, name, value = ''] = match;
    if (name === 't') startMs = Number(value);
    else if (name === 'start') startMs = Math.round(Number(value) * 1000);
    else if (name === 'd') durationMs = Number(value);
    else if (name === 'dur') durationMs = Math.round(Number(value) * 1000);
    else isAppended = value === '1';
  }
  if (!isTime(startMs) || !(durationMs === null || isTime(durationMs)))
    throw new UnreadableCaptions(`line[${index}].time`);
  return { startMs, durationMs, isAppended };
};
