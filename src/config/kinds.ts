import { createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import { isLoopback, parseNetwork } from '../kernel/ip-networks.ts';

/** What a variable may hold, and how it is read. */
export type Kind<Value> = {
  /** The end of a sentence. */
  readonly may: string;
  /** Null for what it may not hold. */
  readonly parse: (text: string) => Value | null;
  /** Its content is never shown. */
  readonly isSecret?: boolean;
};

/** One environment variable. */
export type Variable<Value> = Kind<Value> & {
  readonly name: string;
  /** One line: for `.env.example` and `docs/settings.md`. */
  readonly about: string;
  /** The text that stands for an unset variable; null: its value is null then. */
  readonly fallback: string | null;
  /** Where the default is the strict end: what is looser. */
  readonly looser?: Looser | undefined;
};

type Looser = 'more' | 'less' | 'set';

/** A variable that always has a value. */
export const required = <Value>(
  name: string,
  about: string,
  fallback: string,
  kind: Kind<Value>,
  looser?: Looser,
): Variable<Value> => ({ name, about, fallback, ...kind, looser });

/** A variable that may be unset; then its value is null. */
export const optional = <Value>(name: string, about: string, kind: Kind<Value>): Variable<Value | null> => ({
  ...{ name, about, fallback: null },
  ...kind,
});

/** A variable that holds a whole number. */
export const whole = (
  name: string,
  about: string,
  fallback: number,
  bounds: readonly [number, number],
  looser?: Looser,
): Variable<number> => required(name, about, String(fallback), wholeWithin(bounds), looser);

/** The same kind, of which nothing is shown. */
export const secret = <Value>(kind: Kind<Value>): Kind<Value> => ({ ...kind, isSecret: true });

const kind = <Value>(may: string, parse: Kind<Value>['parse']): Kind<Value> => ({ may, parse });

const matching = (may: string, pattern: RegExp): Kind<string> =>
  kind(may, (value) => (pattern.test(value) ? value : null));

/** A whole number within bounds, both included. */
export const wholeWithin = ([least, most]: readonly [number, number]): Kind<number> =>
  kind(`a whole number from ${least} to ${most}`, (value) => {
    const number = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
    return number >= least && number <= most ? number : null;
  });

/** A number from 0 to 1. */
export const share = kind('a number from 0 to 1', (value) =>
  /^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(value) ? Number(value) : null,
);

/** One of a few words. */
export const oneOf = <const Word extends string>(...words: readonly Word[]): Kind<Word> =>
  kind(`one of ${words.join(', ')}`, (value) => words.find((word) => word === value) ?? null);

export const trueOrFalse = kind('true or false', (value) =>
  value === 'true' ? true : value === 'false' ? false : null,
);

/** `may`: what the text is. */
export const text = (may = 'one line of text'): Kind<string> => matching(may, /^[^\n\r]{1,2000}$/);

const parseUrl = (value: string): URL | null => (URL.canParse(value) ? new URL(value) : null);

/** What a server listens on: a name, or an address without brackets. */
export const hostName = kind('a host name or an address', (value) =>
  isIP(value) !== 0 || /^[A-Za-z0-9._-]{1,253}$/.test(value) ? value : null,
);

/** The value has no slash at its end. */
export const httpUrl = kind('an http or https URL', (value) => {
  const url = parseUrl(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    return null;
  }
  return url.href.replace(/\/+$/, '');
});

/** Nothing comes after the port. */
export const secureOrigin = kind('an https origin, or an http origin on loopback', (value) => {
  const url = parseUrl(value);
  if (url === null || url.pathname !== '/' || url.search !== '' || url.username !== '') return null;
  if (url.protocol === 'https:') return url.origin;
  return url.protocol === 'http:' && isLoopback(url.hostname) ? url.origin : null;
});

export const secureUrl = kind('an https URL, or an http URL on loopback', (value) => {
  const url = parseUrl(value);
  return url !== null && secureOrigin.parse(url.origin) !== null ? url.href : null;
});

/** One host: the client library knows no list of hosts. */
export const postgresUrl = kind('a URL like postgres://user:password@host:5432/database, with one host', (value) => {
  const url = parseUrl(value);
  return url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1 ? value : null;
});

/** The URL of a KurrentDB; a cluster is named by several hosts, which are no host of a URL. */
export const kurrentUrl = kind('a URL like esdb://host:2113', (value) => {
  const { protocol = '', hostname = '' } = parseUrl(value.replace(/,[^/?]*/, '')) ?? {};
  return /^(esdb|kurrentdb)(\+discover)?:$/.test(protocol) && hostname !== '' ? value : null;
});

/** The name of a transparency log, as a key of a signed note has it. */
export const logOrigin = matching(
  'a name like example.org/tlog, without a scheme, spaces or +',
  /^[\w.:[\]-]{1,200}(\/[\w.~-]{1,50}){0,5}$/,
);

/** The value is the PEM text. */
export const ed25519Key = kind('an Ed25519 private key (PKCS 8, PEM)', (value) => {
  try {
    return createPrivateKey(value).asymmetricKeyType === 'ed25519' ? value : null;
  } catch {
    return null;
  }
});

/** Headers as `name=value`, the value percent-encoded. */
const headerPair = (value: string): readonly [string, string] | null => {
  const [, name, encoded] = /^([!#$%&'*+.^_`|~\w-]+) *= *((?:[^%]|%[0-9A-Fa-f]{2})*)$/.exec(value) ?? [];
  if (name === undefined || encoded === undefined) return null;
  try {
    return [name, decodeURIComponent(encoded)];
  } catch {
    return null;
  }
};

/** The URL of a mail server: its user and password where it wants them, and nothing after the port. */
export const smtpUrl = kind(
  'a URL like smtps://user:password@host:465 or smtp://host:25, reserved characters percent-encoded',
  (value) => {
    const url = parseUrl(value);
    if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return null;
    return url.pathname.length <= 1 && url.search === '' && url.hash === '' ? value : null;
  },
);

/** A sender of mails: `address` or `Name <address>`. */
export const mailSender = matching(
  'an address, or a name and address like Steno <no-reply@example.org>',
  /^([^<>"@\n\r]{1,100} <[^\s<>@]{1,64}@[^\s<>@]{1,190}>|[^\s<>@]{1,64}@[^\s<>@]{1,190})$/,
);

export const redisUrl = kind('a redis or rediss URL', (value) =>
  /^rediss?:$/.test(parseUrl(value)?.protocol ?? '') ? value : null,
);

/** A token that a caller sends in a header. */
export const token = matching('at least 16 visible characters', /^[\x21-\x7e]{16,400}$/);

/** A comma list; spaces around entries do not count. */
const listOf = <Value>(what: string, parse: Kind<Value>['parse'], most = 100): Kind<readonly Value[]> =>
  kind(`a comma-separated list of ${what}`, (value) => {
    const entries = value.split(',').map((entry) => parse(entry.trim()));
    const good = entries.filter((entry) => entry !== null);
    return good.length === entries.length && good.length <= most ? good : null;
  });

/** The same; an empty text is an empty list. */
const orNone = <Value>({ may, parse }: Kind<readonly Value[]>): Kind<readonly Value[]> =>
  kind(may, (value) => (value === '' ? [] : parse(value)));

/** An address alone is a network of one. */
export const networks = orNone(
  listOf('networks like 10.0.0.0/8', (value) => (parseNetwork(value) === null ? null : value)),
);

export const hostNames = orNone(listOf('host names', hostName.parse));

export const httpUrls = orNone(listOf('http or https URLs', httpUrl.parse));

export const headers = listOf('name=value', headerPair);

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration such as `500ms`, `5s`, `30m`, `2h`, `1d` in milliseconds; at most a year. */
export const milliseconds = (value: string): number | null => {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(value) ?? [];
  if (amount === undefined || unit === undefined) return null;
  const ms = Number(amount) * unitsMs[unit as keyof typeof unitsMs];
  return ms <= 365 * unitsMs.d ? ms : null;
};

const positiveMilliseconds = (value: string): number | null => milliseconds(value) || null;

const orList = new Intl.ListFormat('en-GB', { type: 'disjunction' });

const durationWithin = (most: string, bounds: string, read: Kind<number>['parse']): Kind<number> => {
  const mostMs = milliseconds(most) ?? 0;
  const within = (value: string): number | null => {
    const ms = read(value);
    return ms !== null && ms <= mostMs ? ms : null;
  };
  const examples = ['500ms', '5s', '30m', '2h', '1d'].filter((example) => (milliseconds(example) ?? 0) < mostMs);
  return kind(`a duration like ${orList.format(examples)}, ${bounds} ${most}`, within);
};

/** Of a timer, Node takes more than 24 days for none at all: it is over at once. */
export const duration = (most = '365d'): Kind<number> => durationWithin(most, 'at most', milliseconds);

/** 0 would stand for no limit at all, or for one that nobody can keep. */
export const positiveDuration = (most = '365d'): Kind<number> =>
  durationWithin(most, 'more than 0, at most', positiveMilliseconds);

/** `examples`: as the end of the sentence. */
export const durations = (examples: string): Kind<readonly number[]> =>
  listOf(`1 to 20 durations like ${examples}`, milliseconds, 20);

export const positiveDurations = (examples: string): Kind<readonly number[]> =>
  listOf(`1 to 20 durations like ${examples}`, positiveMilliseconds, 20);

/** Ports and ranges of ports, `443` or `8000-9999`, each as first and last. */
export const portRanges = listOf('ports and ranges like 443,8000-9999', (value) => {
  const [, first, last] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(value) ?? [];
  const range = [Number(first), Number(last ?? first)] as const;
  return range[0] >= 1 && range[0] <= range[1] && range[1] <= 65_535 ? range : null;
});

/** A secret that somebody could guess: below 32 characters, of few kinds, or with a word of an example. */
export const isGuessable = (value: string): boolean =>
  value.length < 32 ||
  new Set(value).size < 10 ||
  /change.?me|secret|password|example|default|0123456789|abcdefgh|qwert/i.test(value);

/** Empty: none. */
export const exampleVideos = kind('ids with their titles, `ID=Title;ID=Title`', (value) => {
  const found = value
    .split(';')
    .filter((part) => part.trim() !== '')
    .map((part) => /^\s*([A-Za-z0-9_-]{11})=(.{1,100}?)\s*$/.exec(part));
  return found.every((match) => match !== null)
    ? found.map(([, videoId = '', title = '']) => ({ videoId, title }))
    : null;
});
