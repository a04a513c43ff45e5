import { hash } from 'node:crypto';

const mostMembers = 3;
const mostSigns = 400;
const mostLines = 9;

/** Keeps the first two of a long list (of days the last two), and the beginning of a long text. */
export const shortened = (value: unknown, name = ''): unknown => {
  if (Array.isArray(value)) {
    const most = name === 'daily' ? value.slice(-2) : value.slice(0, 2);
    return (value.length <= mostMembers ? value : most).map((one) => shortened(one));
  }
  if (typeof value === 'string' && name !== 'text/event-stream') return beginningOf(value, name);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, shortened(one, member)]));
};

const beginningOf = (text: string, name: string): string => {
  if (text.length <= mostSigns) return text;
  const lines = text.split('\n').slice(0, name === 'text/html' ? 1 : mostLines);
  if (lines.length < mostLines && name !== 'text/html') return `${text.slice(0, mostSigns)}…`;
  const isSubtitle = text.includes(' --> ');
  return `${(isSubtitle ? lines.slice(0, lines.lastIndexOf('')) : lines).join('\n')}\n`;
};

/** The secret of docs/webhook-verification.md: readers can verify the deliveries that are shown. */
export const shownSecret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const today = Date.parse('2026-11-21T09:30:00.000Z');
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Measurements, counters and what is drawn at random, by the name of their member. */
const measured: Readonly<Record<string, unknown>> = {
  age_s: 12,
  // An item may have begun before its job was cancelled.
  attempts: 1,
  captcha_answer: '4',
  captcha_token: 'eyJ2IjoxLCJuIjoi.qP2fKMTZlth3khIv',
  current: 100,
  duration_ms: 38,
  lag_positions: 0,
  lag_seconds: 0,
  latency_ms: 41,
  leaf_index: 41,
  min_solve_ms: 1_500,
  receipts: ['eyJhbGciOiJFZERTQSIsImtpZCI6Ii4uLiJ9.eyJhY2NvdW50X2lkIjoiYWNjXy4uLiIsLi4ufQ.c2lnbmF0dXJl'],
  reset: (today + 30_000) / 1_000,
  secret: shownSecret,
  token: 'eyJ2IjoxLCJuIjoi.qP2fKMTZlth3khIv',
  uptime_s: 86_400,
};
/** Ends of the calendar month. */
const months: Readonly<Record<string, string>> = {
  period_start: '2026-11-01T00:00:00.000Z',
  period_end: '2026-12-01T00:00:00.000Z',
};
const firstPosition = 4_711;

/** Positions of the log in a text, which depend on everything else that happened. */
const positionOf: Readonly<Record<string, RegExp>> = {
  ...{ position: /^\d+$/g, next_before: /^\d+$/g, before: /^\d+$/g, 'Last-Event-ID': /^\d+$/g },
  next_cursor: /^\d+/g,
  'text/event-stream': /(?<=^id: )\d+$/gm,
};

/** What a log is made of: hashes, keys and signatures. */
const inBase64 = /(?<=^|\n|\/tlog\+[0-9a-f]{8}\+|\/tlog )(?![0-9a-f]{64})[A-Za-z0-9+/]{42,91}={0,2}(?=\n|$)/g;

/** Every text in a value, with the name of its member. */
function* textsOf(value: unknown, name = ''): Generator<readonly [string, string]> {
  if (typeof value === 'string') yield [name, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [member, one] of Object.entries(value)) {
    yield* textsOf(one, Array.isArray(value) ? name : member);
  }
}

/**
 * The same for every run: times around one moment, days and positions by rank, ids and hashes by their first appearance.
 * `replaced` names other texts that differ.
 */
export const steady = (value: unknown, replaced: Readonly<Record<string, string>>): unknown => {
  const texts = [...textsOf(value)];
  const positions = rankOf(
    texts.flatMap(([name, text]) => text.match(positionOf[name] ?? nothing) ?? []),
    (one, other) => Number(one) - Number(other),
  );
  const days = rankOf(texts.flatMap(([name, text]) => (name === 'day' ? [text] : [])));
  const startedAt = Date.now();
  const hashes = new Map<string, string>();
  const hashOf = (found: string): string => {
    const known = hashes.get(found) ?? hash('sha256', `example ${hashes.size}`);
    hashes.set(found, known);
    return known;
  };
  const timeOf = (text: string): string => {
    const hours = Math.round((Date.parse(text) - startedAt) / hourMs);
    return new Date(today + hours * hourMs).toISOString();
  };
  const dayBefore = (ago: number): string => new Date(today - ago * dayMs).toISOString().slice(0, 10);
  const newest = [...days.keys()].reduce((one, other) => (one > other ? one : other), '');
  const dayOf = (text: string): string => {
    const rank = days.get(text);
    return rank === undefined ? text : dayBefore(days.size - 1 - rank);
  };
  /** The first day of a report, whose list of days is shortened. */
  const firstDayOf = (text: string): string => dayBefore((Date.parse(newest) - Date.parse(text)) / dayMs);
  const inText = (name: string, text: string): string => {
    if (name in months) return months[name] ?? '';
    if (name === 'version' && /^\d+$/.test(text)) return '12';
    let told = text.replaceAll(positionOf[name] ?? nothing, (found) =>
      String(firstPosition + (positions.get(found) ?? 0)),
    );
    for (const [from, to] of Object.entries(replaced)) told = told.replaceAll(from, to);
    return told
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, timeOf)
      .replaceAll(/\b(used_since=)?(\d{4}-\d\d-\d\d)\b(?!T)/g, (_, since: string | undefined, day: string) =>
        since === undefined ? dayOf(day) : `${since}${firstDayOf(day)}`,
      )
      .replaceAll(/(?<=^ledger-acc_[0-9a-f]+-)\d{4}-\d\d$/g, '2026-11')
      .replaceAll(/(?<=\/feeds\/[0-9a-f]{32})[\w-]{43}/g, (token) => hashOf(token).slice(0, 43))
      .replaceAll(/(?<=\/feeds\/)[0-9a-f]{32}/g, (id) => hashOf(id).slice(0, 32))
      .replaceAll(/(?<=begins in )\d+(?= s)/g, '30')
      .replaceAll(/\b[0-9a-f]{64}\b/g, hashOf)
      .replaceAll(/(?<=\/tlog\n)\d+(?=\n)/g, '42')
      .replaceAll(/(?<=\/tlog\+)[0-9a-f]{8}(?=\+)/g, (id) => hashOf(id).slice(0, 8))
      .replaceAll(inBase64, (found) => {
        const drawn = Buffer.from(hashOf(found).repeat(3), 'hex').toString('base64');
        const length = found.replace(/=+$/, '').length;
        return drawn.slice(0, length).padEnd(found.length, '=');
      })
      .replaceAll(/(?<=\b[a-z]{3}_)[0-9a-f]{32}/g, (id) => hashOf(id).slice(0, 32))
      .replaceAll(/(?<=\bstn_live_)([0-9A-Za-z]{4})([0-9A-Za-z]{34})?\b/g, (_, first, rest = '') =>
        hashOf(first).slice(0, 4 + rest.length),
      )
      .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) =>
        hashOf(id).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5'),
      );
  };
  const within = (one: unknown, name: string): unknown => {
    if (name in measured && typeof one === typeof measured[name]) return measured[name];
    if (typeof one === 'string') return inText(name, one);
    if (Array.isArray(one)) return one.map((member) => within(member, name));
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([member, each]) => [member, within(each, member)]));
  };
  return within(value, '');
};

/** Matches no text. */
const nothing = /(?!)/g;

const rankOf = (
  values: readonly string[],
  order?: (one: string, other: string) => number,
): ReadonlyMap<string, number> => new Map([...new Set(values)].toSorted(order).map((value, rank) => [value, rank]));
