import { parseJson } from '../../kernel/parse-json.ts';
import { isObject, type JsonObject } from '../json-path.ts';
import { isDuration, isTime, lastingMs, type RawLine, type RawWord, UnreadableCaptions } from './caption-line.ts';
import { scanJson3 } from './json3-scan.ts';

/**
 * json3, with the times of words where they are wanted: events without `segs` are windows, which hold numbers and nothing else; an appended event without visible text
 * is only a line feed. Text under a name that is not known is no empty document.
 */
export const readJson3 = (body: string, hasWords = false): RawLine[] =>
  scanJson3(body, hasWords) ?? readAnyJson3(body, hasWords);

/** The general reader: slower, and the one that says what is wrong. */
export const readAnyJson3 = (body: string, hasWords = false): RawLine[] => {
  const document = parseJson(body);
  if (!isObject(document)) throw new UnreadableCaptions('json');
  const events = document['events'];
  if (events === undefined && document['wireMagic'] === 'pb3' && !hasStrangeList(document)) return [];
  if (!Array.isArray(events)) throw new UnreadableCaptions('events');
  const lines: RawLine[] = [];
  for (let index = 0; index < events.length; index += 1) {
    const event = events[index] as Json3Event;
    if (!isObject(event)) throw new UnreadableCaptions(`events[${index}]`);
    const { segs } = event;
    if (segs === undefined) {
      // One line that is lost among many is as loud as all of them: the other format may have it.
      if (Object.values(event).some(isText)) throw new UnreadableCaptions(`events[${index}]`);
      continue;
    }
    if (!Array.isArray(segs)) throw new UnreadableCaptions(`events[${index}].segs`);
    // Zero may be left out, and that is where the first line begins.
    const { tStartMs: startMs = lines.length === 0 ? 0 : null, dDurationMs: durationMs = null } = event;
    if (!isTime(startMs) || !isDuration(durationMs)) throw new UnreadableCaptions(`events[${index}].tStartMs`);
    const text = json3Text(segs, index);
    if (event.aAppend === 1 && text.trim() === '') continue;
    const words = hasWords ? wordsOf(segs) : null;
    const line = { text, startMs, durationMs: lastingMs(durationMs) };
    lines.push(words === null ? line : { ...line, words });
  }
  return lines;
};

/** What a document has beside its events: how windows look. */
const looks: ReadonlySet<string> = new Set(['pens', 'wsWinStyles', 'wpWinPositions']);

const hasStrangeList = (document: JsonObject): boolean =>
  Object.entries(document).some(([name, value]) => !looks.has(name) && Array.isArray(value) && value.length > 0);

const isText = (value: unknown): boolean => typeof value === 'string' || (typeof value === 'object' && value !== null);

type Json3Event = Readonly<Partial<Record<'tStartMs' | 'dDurationMs' | 'aAppend' | 'segs', unknown>>>;

const json3Text = (segs: readonly unknown[], index: number): string => {
  let text = '';
  for (const seg of segs) {
    const part = (seg as { utf8?: unknown } | null)?.utf8;
    if (typeof part === 'string') text += part;
    else if (part !== undefined || Object.values(seg ?? {}).some(isText))
      throw new UnreadableCaptions(`events[${index}].segs.utf8`);
  }
  return text;
};

type Json3Word = { readonly utf8?: unknown; readonly tOffsetMs?: unknown; readonly acAsrConf?: unknown };

/** Null where no recognizer heard the line, or one of its times makes no sense. */
const wordsOf = (segs: readonly unknown[]): RawWord[] | null => {
  const given = segs.map((seg) => (seg ?? {}) as Json3Word);
  const isSpoken = given.some(({ tOffsetMs, acAsrConf }) => tOffsetMs !== undefined || acAsrConf !== undefined);
  const words = given.flatMap(({ utf8, tOffsetMs: startMs = 0 }) =>
    isTime(startMs) ? { text: typeof utf8 === 'string' ? utf8 : '', startMs } : [],
  );
  return isSpoken && words.length === given.length ? words : null;
};
