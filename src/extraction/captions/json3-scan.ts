import { parseJson } from '../../kernel/parse-json.ts';
import { isObject } from '../json-path.ts';
import { isTime, type RawLine, type RawWord } from './caption-line.ts';

/**
 * A reader for the one form of json3 that the platform writes: an array of flat events whose `segs` are flat objects.
 * It makes no object for a word, which is most of what a general JSON parser does with a spoken track. Anything it does
 * not expect gives null: the general reader then decides what it is. A test holds both to the same result.
 * `hasWords`: lines with the times of their words, of which there are objects then.
 */
export const scanJson3 = (body: string, hasWords = false): RawLine[] | null => {
  const named = body.indexOf('"events"');
  if (named < 0) return null;
  const cursor: Cursor = {
    text: body,
    at: named + 8,
    escape: body.indexOf('\\', named),
    words: hasWords ? [] : null,
    isSpoken: false,
  };
  const lines: RawLine[] = [];
  if (!skip(cursor, colon) || !scanList(cursor, () => scanEvent(cursor, lines))) return null;
  // What stands around the events is small and has to be JSON as well: a cut document is none.
  const around = `${body.slice(0, named)}"events":0${body.slice(cursor.at)}`;
  return isObject(parseJson(around)) ? lines : null;
};

/** `escape` is the place of the next backslash, -1 when there is none: strings before it need no decoding. */
type Cursor = {
  readonly text: string;
  at: number;
  escape: number;
  /** The words of the present line; null: they are not wanted. */
  words: RawWord[] | null;
  /** Whether a recognizer heard one of them. */
  isSpoken: boolean;
};

const quote = 34;
const comma = 44;
const colon = 58;
const openList = 91;
const backslash = 92;
const closeList = 93;
const open = 123;
const close = 125;

/** The next character that is no white space, where the cursor stops. */
const next = (cursor: Cursor): number => {
  let code = cursor.text.charCodeAt(cursor.at);
  while (code === 32 || code === 10 || code === 13 || code === 9) {
    cursor.at += 1;
    code = cursor.text.charCodeAt(cursor.at);
  }
  return code;
};

/** Goes past a character; false where another one stands. */
const skip = (cursor: Cursor, character: number): boolean => {
  if (next(cursor) !== character) return false;
  cursor.at += 1;
  return true;
};

/** Goes through a list of objects, each read from behind its brace; false where it is not of the expected form. */
const scanList = (cursor: Cursor, scanObject: () => boolean): boolean => {
  if (!skip(cursor, openList)) return false;
  if (skip(cursor, closeList)) return true;
  do {
    if (!skip(cursor, open) || !scanObject()) return false;
  } while (skip(cursor, comma));
  return skip(cursor, closeList);
};

/** Adds the line of one event, if it has one. False: not the expected form. */
const scanEvent = (cursor: Cursor, lines: RawLine[]): boolean => {
  let startMs = -1;
  let durationMs: number | null = null;
  let isAppended = false;
  let text: string | null = null;
  if (skip(cursor, close)) return true;
  do {
    const key = scanKey(cursor);
    if (key === null) return false;
    if (key === 'segs') {
      text = scanSegs(cursor);
      if (text === null) return false;
    } else {
      const value = scanNumber(cursor);
      if (value < 0) return false;
      if ((key === 'tStartMs' || key === 'dDurationMs') && !isTime(value)) return false;
      if (key === 'tStartMs') startMs = value;
      else if (key === 'dDurationMs') durationMs = value;
      else if (key === 'aAppend') isAppended = value === 1;
    }
  } while (skip(cursor, comma));
  if (!skip(cursor, close)) return false;
  if (text === null) return true;
  if (startMs < 0) {
    if (lines.length > 0) return false;
    startMs = 0;
  }
  if (isAppended && text.trim() === '') return true;
  const { words, isSpoken } = cursor;
  lines.push(words !== null && isSpoken ? { text, startMs, durationMs, words } : { text, startMs, durationMs });
  return true;
};

/** The text of `segs`, its words put together; null: not the expected form. */
const scanSegs = (cursor: Cursor): string | null => {
  let text = '';
  cursor.isSpoken = false;
  if (cursor.words !== null) cursor.words = [];
  const isRead = scanList(cursor, () => {
    const word = scanSeg(cursor);
    if (word === null) return false;
    text += word;
    return true;
  });
  return isRead ? text : null;
};

/**
 * Adds a word with the moment at which it is said; false: not the expected form. `from` is where its object begins, `end`
 * where it ends; the cursor is behind its text.
 */
const addWord = (cursor: Cursor, words: RawWord[], word: string, from: number, end: number): boolean => {
  const { text, at } = cursor;
  // The platform writes the offset behind the text, and nothing for the first word of a line.
  const written = text.startsWith(',"tOffsetMs":', at) ? scanDigits(text, at + 13) : -1;
  if (written >= 0) {
    cursor.isSpoken = true;
    words.push({ text: word, startMs: written });
    return isTime(written);
  }
  const numbers = numbersOf(text.slice(from, end + 1), word);
  if (numbers === null) return false;
  cursor.isSpoken ||= numbers.isSpoken;
  words.push({ text: word, startMs: numbers.offsetMs });
  return true;
};

/** A whole number that ends an object or stands before another member of it; -1 for anything else. */
const scanDigits = (text: string, from: number): number => {
  let at = from;
  let value = 0;
  let code = text.charCodeAt(at);
  while (code >= 48 && code <= 57) {
    value = value * 10 + code - 48;
    at += 1;
    code = text.charCodeAt(at);
  }
  return at > from && at - from <= 15 && (code === comma || code === close) ? value : -1;
};

/** When a word is said, and whether a recognizer heard it; null: not the expected form. Zero may be left out. */
const numbersOf = (seg: string, word: string): { readonly offsetMs: number; readonly isSpoken: boolean } | null => {
  // Its text could look like its numbers.
  if (word.includes('"')) return null;
  const at = seg.indexOf('"tOffsetMs"');
  if (at < 0) return { offsetMs: 0, isSpoken: seg.includes('"acAsrConf"') };
  const [, digits = ''] = offset.exec(seg.slice(at, at + maxStretch)) ?? [];
  const offsetMs = Number(digits);
  return digits === '' || !isTime(offsetMs) ? null : { offsetMs, isSpoken: true };
};

const offset = /^"tOffsetMs"\s*:\s*(\d{1,15})\s*[,}]/;

/** More than the numbers of a word ever take. A longer stretch is not what this reader expects. */
const maxStretch = 128;

/** The text of one word. Its numbers (offset, confidence) are skipped unread where its time is not wanted. */
const scanSeg = (cursor: Cursor): string | null => {
  const { text } = cursor;
  next(cursor);
  const from = cursor.at;
  if (!text.startsWith('"utf8"', from)) {
    const named = text.indexOf('"utf8"', from);
    if (named < 0 || named - from > maxStretch || text.slice(from, named).includes('}')) return null;
    cursor.at = named;
  }
  cursor.at += 6;
  if (!skip(cursor, colon)) return null;
  const word = scanString(cursor);
  if (word === null) return null;
  // A quote that is missing or one too many shows here: the string ended where it should not.
  const code = next(cursor);
  if (code !== comma && code !== close) return null;
  const end = text.indexOf('}', cursor.at);
  if (end < 0 || end - cursor.at > maxStretch) return null;
  if (cursor.words !== null && !addWord(cursor, cursor.words, word, from, end)) return null;
  cursor.at = end + 1;
  return word;
};

/** The next key with its colon, the cursor before the value. Keys that are not read are all called `other`. */
const scanKey = (cursor: Cursor): string | null => {
  if (next(cursor) !== quote) return null;
  const { text } = cursor;
  const from = cursor.at + 1;
  let to = from;
  let code = text.charCodeAt(to);
  // Keys are plain letters and digits; a comparison with NaN at the end of the text is false.
  while ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)) {
    to += 1;
    code = text.charCodeAt(to);
  }
  if (code !== quote || to === from) return null;
  cursor.at = to + 1;
  if (!skip(cursor, colon)) return null;
  return keyAt(text, from, to - from);
};

const keyAt = (text: string, from: number, length: number): string => {
  if (length === 4) return text.startsWith('segs', from) ? 'segs' : 'other';
  if (length === 8) return text.startsWith('tStartMs', from) ? 'tStartMs' : 'other';
  if (length === 11) return text.startsWith('dDurationMs', from) ? 'dDurationMs' : 'other';
  return length === 7 && text.startsWith('aAppend', from) ? 'aAppend' : 'other';
};

/** A whole number without sign; -1 for anything else. */
const scanNumber = (cursor: Cursor): number => {
  let code = next(cursor);
  const from = cursor.at;
  const isZero = code === 48;
  let value = 0;
  while (code >= 48 && code <= 57) {
    value = value * 10 + code - 48;
    cursor.at += 1;
    code = cursor.text.charCodeAt(cursor.at);
  }
  const length = cursor.at - from;
  return length === 0 || length > 15 || (isZero && length > 1) ? -1 : value;
};

const scanString = (cursor: Cursor): string | null => {
  if (next(cursor) !== quote) return null;
  const { text } = cursor;
  const from = cursor.at + 1;
  let to = text.indexOf('"', from);
  if (to < 0) return null;
  if (cursor.escape >= 0 && cursor.escape < from) cursor.escape = text.indexOf('\\', from);
  if (cursor.escape < 0 || cursor.escape > to) {
    cursor.at = to + 1;
    return text.slice(from, to);
  }
  while (isEscaped(text, to)) {
    to = text.indexOf('"', to + 1);
    if (to < 0) return null;
  }
  cursor.at = to + 1;
  const decoded = parseJson(text.slice(from - 1, to + 1));
  return typeof decoded === 'string' ? decoded : null;
};

const isEscaped = (text: string, at: number): boolean => {
  let count = 0;
  while (text.charCodeAt(at - 1 - count) === backslash) count += 1;
  return count % 2 === 1;
};
