import { createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import { isLoopback, parseNetwork } from '../kernel/ip-networks.ts';

/** What one environment variable may hold, how it is read, and what is said when it holds something else. */
export type Variable<Value> = {
  /** One line: for `.env.example` and `docs/settings.md`. */
  readonly about: string;
  /** The text that stands for an unset variable; null: unset has a meaning of its own. */
  readonly fallback: string | null;
  /** What it may hold, as the end of a sentence. */
  readonly may: string;
  readonly schema: z.ZodType<Value, string | undefined>;
  /** Its content is never shown. */
  readonly isSecret?: boolean;
  /** Where the default is the strict end: what is looser. */
  readonly looser?: 'more' | 'less' | 'set' | undefined;
};

type Parse<Value> = (text: string) => Value | null;
type Extras = Pick<Variable<unknown>, 'isSecret' | 'looser'>;

/** A variable that always has a value. `read` answers null for what the variable may not hold. */
export const required = <Value>(
  about: string,
  fallback: string,
  may: string,
  read: Parse<Value>,
  extras: Extras = {},
): Variable<Value> => ({
  about,
  fallback,
  may,
  schema: z.string().default(fallback).transform(reading(read)),
  ...extras,
});

/** A variable that may be unset; then its value is null. */
export const optional = <Value>(
  about: string,
  may: string,
  read: Parse<Value>,
  extras: Extras = {},
): Variable<Value | null> => ({
  about,
  fallback: null,
  may,
  schema: z
    .string()
    .transform(reading(read))
    .optional()
    .transform((value) => value ?? null),
  ...extras,
});

const reading =
  <Value>(read: Parse<Value>) =>
  (text: string, context: z.RefinementCtx): Value => {
    const value = read(text);
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message: 'not what it may hold' });
    return z.NEVER;
  };

/** A whole number within bounds, both included. */
export const wholeWithin =
  ([least, most]: readonly [number, number]): Parse<number> =>
  (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : null;
  };

/** A variable that holds one. */
export const whole = (
  about: string,
  fallback: number,
  [least, most]: readonly [number, number],
  looser?: 'more' | 'less',
): Variable<number> =>
  required(about, String(fallback), `a whole number from ${least} to ${most}`, wholeWithin([least, most]), { looser });

/** One of a few words. */
export const oneOf = <const Word extends string>(
  about: string,
  fallback: NoInfer<Word>,
  words: readonly Word[],
): Variable<Word> =>
  required(about, fallback, `one of ${words.join(', ')}`, (text) => words.find((word) => word === text) ?? null);

/** `true` or `false`; unset is false. */
export const choice = (about: string, extras?: Extras): Variable<boolean> =>
  required(
    about,
    'false',
    'true or false',
    (text) => (text === 'true' ? true : text === 'false' ? false : null),
    extras,
  );

/** The same, where false is the strict one. */
export const permission = (about: string): Variable<boolean> => choice(about, { looser: 'set' });

/** Any text of one line. */
export const text: Parse<string> = (value) => (/^[^\n\r]{1,2000}$/.test(value) ? value : null);

const parseUrl = (value: string): URL | null => (URL.canParse(value) ? new URL(value) : null);

/** What a server listens on: a name, or an address without brackets. */
export const hostName: Parse<string> = (value) =>
  isIP(value) !== 0 || /^[A-Za-z0-9._-]{1,253}$/.test(value) ? value : null;

/** An http or https URL; the answer has no slash at its end. */
export const httpUrl: Parse<string> = (value) => {
  const url = parseUrl(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    return null;
  }
  return url.href.replace(/\/+$/, '');
};

/** https, or http on the loopback interface; nothing after the port. */
export const secureOrigin: Parse<string> = (value) => {
  const url = parseUrl(value);
  if (url === null || url.pathname !== '/' || url.search !== '' || url.username !== '') return null;
  if (url.protocol === 'https:') return url.origin;
  return url.protocol === 'http:' && isLoopback(url.hostname) ? url.origin : null;
};

/** https, or http on the loopback interface. */
export const secureUrl: Parse<string> = (value) => {
  const url = parseUrl(value);
  return url !== null && secureOrigin(url.origin) !== null ? url.href : null;
};

/** A Postgres URL with one host: the client library knows no list of hosts. */
export const postgresUrl: Parse<string> = (value) => {
  const url = parseUrl(value);
  return url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1 ? value : null;
};

/** The URL of a KurrentDB; a cluster is named by several hosts, which are no host of a URL. */
export const kurrentUrl: Parse<string> = (value) => {
  const { protocol = '', hostname = '' } = parseUrl(value.replace(/,[^/?]*/, '')) ?? {};
  return /^(esdb|kurrentdb)(\+discover)?:$/.test(protocol) && hostname !== '' ? value : null;
};

/** The name of a transparency log, as a key of a signed note has it. */
export const logOrigin: Parse<string> = (value) =>
  /^[\w.:[\]-]{1,200}(\/[\w.~-]{1,50}){0,5}$/.test(value) ? value : null;

/** An Ed25519 private key in PEM; its text. */
export const ed25519Key: Parse<string> = (value) => {
  try {
    return createPrivateKey(value).asymmetricKeyType === 'ed25519' ? value : null;
  } catch {
    return null;
  }
};

/** A header as `name=value`, the value percent-encoded. */
export const headerPair: Parse<readonly [string, string]> = (value) => {
  const [, name, encoded] = /^([!#$%&'*+.^_`|~\w-]+) *= *((?:[^%]|%[0-9A-Fa-f]{2})*)$/.exec(value) ?? [];
  if (name === undefined || encoded === undefined) return null;
  try {
    return [name, decodeURIComponent(encoded)];
  } catch {
    return null;
  }
};

/** The URL of a mail server: its user and password where it wants them, and nothing after the port. */
export const smtpUrl: Parse<string> = (value) => {
  const url = parseUrl(value);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return null;
  return url.pathname.length <= 1 && url.search === '' && url.hash === '' ? value : null;
};

/** A sender of mails: `address` or `Name <address>`. */
export const mailSender: Parse<string> = (value) =>
  /^([^<>"@\n\r]{1,100} <[^\s<>@]{1,64}@[^\s<>@]{1,190}>|[^\s<>@]{1,64}@[^\s<>@]{1,190})$/.test(value) ? value : null;

/** A Redis URL. */
export const redisUrl: Parse<string> = (value) => (/^rediss?:$/.test(parseUrl(value)?.protocol ?? '') ? value : null);

/** A comma list; every entry is read by `read`, spaces around entries do not count. */
export const listOf =
  <Value>(read: Parse<Value>, limit = 100): Parse<readonly Value[]> =>
  (value) => {
    const entries = value.split(',').map((entry) => read(entry.trim()));
    const good = entries.filter((entry) => entry !== null);
    return good.length === entries.length && good.length <= limit ? good : null;
  };

/** The same; an empty text is an empty list. */
export const listOrNone =
  <Value>(read: Parse<Value>): Parse<readonly Value[]> =>
  (value) =>
    value === '' ? [] : listOf(read)(value);

/** A network such as `10.0.0.0/8` or `::1/128`; an address alone is a network of one. */
export const cidr: Parse<string> = (value) => (parseNetwork(value) === null ? null : value);

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration such as `500ms`, `5s`, `30m`, `2h`, `1d` in milliseconds; at most a year. */
export const duration: Parse<number> = (value) => {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(value) ?? [];
  if (amount === undefined || unit === undefined) return null;
  const ms = Number(amount) * unitsMs[unit as keyof typeof unitsMs];
  return ms <= 365 * unitsMs.d ? ms : null;
};

/** A duration that is one: 0 would stand for no limit at all, or for one that nobody can keep. */
export const positiveDuration: Parse<number> = (value) => duration(value) || null;

/** The same, but not longer than `most`. Of a timer, Node takes more than 24 days for none at all: it is over at once. */
export const upTo =
  (most: string, read: Parse<number>): Parse<number> =>
  (value) => {
    const ms = read(value);
    return ms !== null && ms <= (duration(most) ?? 0) ? ms : null;
  };

/** A port or a range of ports, `443` or `8000-9999`, as first and last. */
export const portRange: Parse<readonly [number, number]> = (value) => {
  const [, first, last] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(value) ?? [];
  const range = [Number(first), Number(last ?? first)] as const;
  return range[0] >= 1 && range[0] <= range[1] && range[1] <= 65_535 ? range : null;
};

/** A secret that somebody could guess: below 32 characters, of few kinds, or with a word of an example. */
export const isGuessable = (value: string): boolean =>
  value.length < 32 ||
  new Set(value).size < 10 ||
  /change.?me|secret|password|example|default|0123456789|abcdefgh|qwert/i.test(value);

/** `ID=Title;ID=Title`; empty: none. */
export const exampleVideos = (text: string): readonly { readonly videoId: string; readonly title: string }[] | null => {
  const found = text
    .split(';')
    .filter((part) => part.trim() !== '')
    .map((part) => /^\s*([A-Za-z0-9_-]{11})=(.{1,100}?)\s*$/.exec(part));
  return found.every((match) => match !== null)
    ? found.map(([, videoId = '', title = '']) => ({ videoId, title }))
    : null;
};
