import { ownValue } from '../../kernel/own-value.ts';

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lrm: '\u200e',
  rlm: '\u200f',
  zwj: '\u200d',
  zwnj: '\u200c',
  shy: '',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  euro: '€',
  pound: '£',
  middot: '·',
};

const entity = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/iy;

/** Whatever is not plain printable ASCII, may be an escape or a tag, or is a space too many. */
const needsWork = /[^\x20-\x25\x27-\x3b\x3d-\x7a\x7c-\x7e]|^ | $| {2}/;

/** Formatting only. `<` before anything else is text: "5 < 6", `vector<int>`, "a <b and c> d". */
const tag =
  /<\/?(?:i|b|u|s|em|strong|font|c|ruby|rt|rb|rp|span|p|br)(?:\.[^\s<>]*)?(?:\s[^<>=]*=[^<>]*|\s*)\/?>|<\/?(?:v|lang)(?:[.\s][^<>]*)?>|<(?:\d+:)?\d{2}:\d{2}\.\d{3}>/gi;
const lineBreak = /<br\s*\/?>/gi;
/** Alignment and position codes that converters leave behind: `{\an8}`. */
const override = /\{\\an?\d{1,2}\}/g;
/** What terminals act on. A line break before a bracket (`…\n[Music]`) is none. */
const escapeSequence = /(?![\t\n\v\f\r\u0085])\p{Cc}\[[0-9;?]*[A-Za-z]/gu;
/** Control characters other than white space, byte order marks, zero-width spaces and soft hyphens. */
const invisible = /(?![\t\n\v\f\r\u0085])\p{Cc}|[\u00ad\u200b\u2060\ufeff]/gu;
/** Marks of direction and joiners show nothing by themselves: right-to-left captions wrap their empty lines in them. */
const onlyMarks = /^[\s\u200c-\u200f\u202a-\u202e\u2061-\u206f]*$/;
const space = /[ \t\n\v\f\r\u0085\u00a0\u2028\u2029]+/g;

/**
 * The text of one caption line as people read it: entities resolved however often they were escaped, formatting tags,
 * control and zero-width characters removed, folded to one line, NFC. Joiners, direction marks and embeddings stay,
 * for without them Persian, emoji and right-to-left lines change their look. Empty when nothing readable is left.
 */
export const readableText = (raw: string): string => {
  if (!needsWork.test(raw)) return raw;
  let text = raw.includes('&') ? resolved(raw) : raw;
  if (text.includes('<')) text = text.replace(lineBreak, ' ').replace(tag, '');
  if (text.includes('{')) text = text.replace(override, '');
  // Most lines that needed work only held an escaped apostrophe.
  if (!needsWork.test(text)) return text;
  text = text.replace(escapeSequence, '').replace(invisible, '').replace(space, ' ').trim();
  if (onlyMarks.test(text)) return '';
  return text.normalize('NFC').toWellFormed();
};

/** The formats escape once or twice, and uploaders once more; three rounds end where every format agrees. */
const resolved = (text: string): string => {
  let here = text;
  for (let round = 0; round < 3; round += 1) {
    const next = resolvedOnce(here);
    if (next === here) break;
    here = next;
    if (!here.includes('&')) break;
  }
  return here;
};

/** What the platform itself escapes: nearly all there is, and found without a pattern. */
const usual = [
  ['amp;', '&'],
  ['#39;', "'"],
  ['quot;', '"'],
  ['lt;', '<'],
  ['gt;', '>'],
] as const;

const resolvedOnce = (text: string): string => {
  let result = '';
  let from = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', Math.max(at + 1, from))) {
    const found = usual.find(([name]) => text.startsWith(name, at + 1));
    entity.lastIndex = at;
    const match = found === undefined ? entity.exec(text) : null;
    if (found === undefined && match === null) continue;
    const [whole = '', decimal, hex, name] = match ?? [];
    result += text.slice(from, at) + (found?.[1] ?? character(whole, decimal, hex, name));
    from = at + (found === undefined ? whole.length : found[0].length + 1);
  }
  return from === 0 ? text : result + text.slice(from);
};

const character = (whole: string, decimal?: string, hex?: string, name?: string): string => {
  if (name !== undefined) return ownValue(named, name) ?? ownValue(named, name.toLowerCase()) ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : '';
};

/** A title or a name: nothing in it is markup, so only control characters and stray spaces go. */
export const plainText = (raw: string): string =>
  raw
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .normalize('NFC')
    .toWellFormed();

/** The same; null where nothing is left to read. */
export const labelOf = (raw: string | null): string | null => plainText(raw ?? '') || null;
