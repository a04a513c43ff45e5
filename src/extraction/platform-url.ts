const videoHosts: ReadonlySet<string> = new Set([
  'youtube.com',
  'www.youtube.com',
  'm.youtube.com',
  'music.youtube.com',
  'gaming.youtube.com',
  'kids.youtube.com',
  'youtube-nocookie.com',
  'www.youtube-nocookie.com',
  'youtube.googleapis.com',
  'www.youtubekids.com',
  'youtu.be',
  'www.youtu.be',
]);

/** Longer references are refused before anything looks at them. */
export const maxReferenceLength = 2048;

/**
 * Reads a reference as a URL of the platform, with or without scheme. Null for every other host, for hosts that
 * only look like it, for credentials, ports, escapes or backslashes in the authority, and for control characters:
 * whatever parsers of URLs disagree about is not worth guessing.
 */
export const platformUrlOf = (reference: string): URL | null => {
  const text = reference.trim().replaceAll('&amp;', '&');
  if (text === '' || text.length > maxReferenceLength) return null;
  if (/[\p{Cc}\s\\]/u.test(text)) return null;
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0].toLowerCase();
  if (scheme !== undefined && scheme !== 'https://' && scheme !== 'http://') return null;
  const rest = scheme === undefined ? text.replace(/^\/\//, '') : text.slice(scheme.length);
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  if (!/^[A-Za-z0-9.-]+$/.test(authority)) return null;
  if (!videoHosts.has(authority.toLowerCase())) return null;
  // Behind a host that is known nothing fails to parse. Browsers of before 2024 have no `URL.parse`.
  return new URL(`https://${rest}`);
};

/** Whether an address that the platform gave is on a domain of its own: only those are ever asked. */
export const isOnDomain = ({ protocol, hostname, port, username, password }: URL, domain: string): boolean =>
  protocol === 'https:' && port === '' && username === '' && password === '' && `.${hostname}`.endsWith(`.${domain}`);

/** The segments of a path, without empty ones: `/shorts/x/` gives `['shorts', 'x']`. */
export const pathOf = (url: URL): readonly string[] => url.pathname.split('/').filter((segment) => segment !== '');

export const isShortLink = (url: URL): boolean => url.hostname.endsWith('youtu.be');

/** A segment of an address with its escaped bytes as letters; `otherwise` where they are none. */
export const decoded = (segment: string, otherwise = ''): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return otherwise;
  }
};
