import { isTime, type RawLine } from './caption-line.ts';

/**
 * A reader for the forms of srv1, srv2 and srv3 that the platform writes: lines of text or words, attributes in double
 * quotes, times in plain digits. It looks for no patterns, which takes most of the time that such a document takes.
 * Anything it does not expect gives null: the general reader then decides what it is. A test holds both to the same
 * result.
 */
export const scanXml = (body: string): RawLine[] | null => {
  const lines: RawLine[] = [];
  const cursor: Cursor = { body, at: 0, unit: 0, startMs: -1, durationMs: null, isAppended: false };
  for (let at = body.indexOf('<'); at >= 0; at = body.indexOf('<', cursor.at)) {
    if (isAfterText(body, at)) return null;
    cursor.at = at + 1;
    const length = lineName(body, at + 1);
    if (length === 0) continue;
    cursor.at += length;
    const tag = length < 0 ? 0 : scanAttributes(cursor);
    if (tag === 0) return null;
    const text = tag === opened ? scanContent(cursor) : '';
    const { startMs, durationMs, isAppended } = cursor;
    if (text === null || !isTime(startMs)) return null;
    if (durationMs !== null && !isTime(durationMs)) return null;
    if (isAppended && text.trim() === '') continue;
    lines.push({ text, startMs, durationMs });
  }
  return lines.length === 0 ? null : lines;
};

/** Whether anything but white space stands between a tag and the one before it: text outside of the lines. */
const isAfterText = (body: string, at: number): boolean => {
  let before = at - 1;
  while (before >= 0 && body.charCodeAt(before) <= space) before -= 1;
  return before >= 0 && body.charCodeAt(before) !== more && body.charCodeAt(before) !== byteOrder;
};

/** The place in the document, and what the attributes of the line there say; `startMs` -1 where there is no start. */
type Cursor = {
  readonly body: string;
  at: number;
  /** Of the times: `inSeconds`, `inMillis`, 0 before the first of them. */
  unit: number;
  startMs: number;
  durationMs: number | null;
  isAppended: boolean;
};

const inSeconds = 1;
const inMillis = 2;

/** How a tag ended; 0 where it is not of the expected form. */
const opened = 1;
const empty = 2;

const space = 32;
const mark = 33;
const byteOrder = 0xfeff;
const quote = 34;
const point = 46;
const slash = 47;
const less = 60;
const equals = 61;
const more = 62;
const letterA = 97;
const letterD = 100;
const letterP = 112;
const letterS = 115;
const letterT = 116;
const letterZ = 122;

/** The length of the name of a line that begins here (`p`, `text`); 0 where none does, -1 without attributes. */
const lineName = (body: string, at: number): number => {
  const code = body.charCodeAt(at);
  if (code !== letterP && code !== letterT) return 0;
  if (code === letterT && !body.startsWith('text', at)) return 0;
  const length = code === letterP ? 1 : 4;
  const after = body.charCodeAt(at + length);
  if (after === space) return length;
  // Further letters make it another element: `<pen`.
  return after >= letterA && after <= letterZ ? 0 : -1;
};

const scanAttributes = (cursor: Cursor): number => {
  const { body } = cursor;
  cursor.unit = 0;
  cursor.startMs = -1;
  cursor.durationMs = null;
  cursor.isAppended = false;
  for (;;) {
    const from = cursor.at;
    let code = body.charCodeAt(from);
    while (code === space) {
      cursor.at += 1;
      code = body.charCodeAt(cursor.at);
    }
    if (code === more) {
      cursor.at += 1;
      return opened;
    }
    if (code === slash && body.charCodeAt(cursor.at + 1) === more) {
      cursor.at += 2;
      return empty;
    }
    if (cursor.at === from || !scanAttribute(cursor)) return 0;
  }
};

/** One attribute; false where it is not of the expected form. */
const scanAttribute = (cursor: Cursor): boolean => {
  const { body, at: from } = cursor;
  let to = from;
  let code = body.charCodeAt(to);
  while (code >= letterA && code <= letterZ) {
    to += 1;
    code = body.charCodeAt(to);
  }
  if (to === from || code !== equals || body.charCodeAt(to + 1) !== quote) return false;
  cursor.at = to + 2;
  const first = body.charCodeAt(from);
  if (to - from === 1 && first === letterT) return scanStart(cursor, inMillis);
  if (to - from === 1 && first === letterD) return scanDuration(cursor, inMillis);
  if (to - from === 5 && body.startsWith('start', from)) return scanStart(cursor, inSeconds);
  if (to - from === 3 && body.startsWith('dur', from)) return scanDuration(cursor, inSeconds);
  const value = cursor.at;
  if (!skipValue(cursor)) return false;
  const isAppend = to - from === 1 ? first === letterA : body.startsWith('append=', from);
  if (isAppend && body.startsWith('1"', value)) cursor.isAppended = true;
  return true;
};

const skipValue = (cursor: Cursor): boolean => {
  const { body } = cursor;
  let { at } = cursor;
  let code = body.charCodeAt(at);
  while (code !== quote && code !== less && code !== more && at < body.length) {
    at += 1;
    code = body.charCodeAt(at);
  }
  cursor.at = at + 1;
  return code === quote;
};

const scanStart = (cursor: Cursor, unit: number): boolean => {
  if (cursor.startMs >= 0 || !isOfUnit(cursor, unit)) return false;
  cursor.startMs = scanTime(cursor, unit);
  return cursor.startMs >= 0;
};

const scanDuration = (cursor: Cursor, unit: number): boolean => {
  if (cursor.durationMs !== null || !isOfUnit(cursor, unit)) return false;
  const durationMs = scanTime(cursor, unit);
  cursor.durationMs = durationMs;
  return durationMs >= 0;
};

/** The times of a line are all of one unit. */
const isOfUnit = (cursor: Cursor, unit: number): boolean => {
  if (cursor.unit !== 0 && cursor.unit !== unit) return false;
  cursor.unit = unit;
  return true;
};

/** More digits than the longest time has. */
const maxDigits = 12;

/** A time in milliseconds, seconds with three decimals at most; -1 for anything else. The closing quote is passed. */
const scanTime = (cursor: Cursor, unit: number): number => {
  const { body, at: from } = cursor;
  let at = from;
  let value = 0;
  let code = body.charCodeAt(at);
  while (code >= 48 && code <= 57) {
    value = value * 10 + code - 48;
    at += 1;
    code = body.charCodeAt(at);
  }
  if (at === from || at - from > maxDigits) return -1;
  if (unit === inSeconds) {
    let weight = 1000;
    if (code === point) {
      at += 1;
      code = body.charCodeAt(at);
      while (code >= 48 && code <= 57 && weight > 1) {
        value = value * 10 + code - 48;
        weight /= 10;
        at += 1;
        code = body.charCodeAt(at);
      }
    }
    value *= weight;
  }
  cursor.at = at + 1;
  return code === quote ? value : -1;
};

/** The text up to the end of the line, without the tags of its words; null where it is not of the expected form. */
const scanContent = (cursor: Cursor): string | null => {
  const { body } = cursor;
  let text = '';
  let from = cursor.at;
  let isInWord = false;
  for (let at = body.indexOf('<', from); at >= 0; at = body.indexOf('<', at + 1)) {
    const code = body.charCodeAt(at + 1);
    if (code === slash) {
      const name = body.charCodeAt(at + 2);
      if (name === letterP || name === letterT) {
        cursor.at = at + 2;
        return from === at ? text : text + body.slice(from, at);
      }
      if (name !== letterS) continue;
      if (!isInWord || body.charCodeAt(at + 3) !== more) return null;
      text += body.slice(from, at);
      from = at + 4;
    } else if (code === mark) {
      return null;
    } else if (code === letterS) {
      const to = wordStart(body, at + 2);
      if (to < 0) return null;
      isInWord = true;
      text += body.slice(from, at);
      from = to;
    }
  }
  return null;
};

/** Where the text of a word begins whose tag `<s` is read; -1 where it is another tag. */
const wordStart = (body: string, from: number): number => {
  let code = body.charCodeAt(from);
  if (code !== space && code !== more) return -1;
  let at = from;
  while (code !== more) {
    if (code === less || at >= body.length) return -1;
    at += 1;
    code = body.charCodeAt(at);
  }
  return at + 1;
};
