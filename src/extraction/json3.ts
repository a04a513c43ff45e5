import { isTime, type RawLine, UnreadableCaptions } from './caption-line.ts';
import { isObject, parseJson } from './json-path.ts';
import { scanJson3 } from './json3-scan.ts';

/** json3: events without `segs` are windows; an appended event without visible text is only a line feed. */
export const readJson3 = (body: string): RawLine[] => scanJson3(body) ?? readAnyJson3(body);

/** The general reader: slower, and the one that says what is wrong. */
export const readAnyJson3 = (body: string): RawLine[] => {
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

const json3Text = (segs: readonly unknown[], index: number): string => {
  let text = '';
  for (const seg of segs) {
    const part = (seg as { utf8?: unknown } | null)?.utf8;
    if (typeof part === 'string') text += part;
    else if (part !== undefined) throw new UnreadableCaptions(`events[${index}].segs.utf8`);
  }
  return text;
};
