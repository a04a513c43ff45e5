/** Paths that accept a link of the platform: what may follow it, and the query parameters that identify its target. */
const places: readonly {
  readonly prefix: string;
  readonly suffixes: readonly string[];
  readonly names: readonly string[];
}[] = [
  { prefix: '/v1/transcripts/', suffixes: ['/raw', '/languages'], names: ['v'] },
  { prefix: '/api/public/transcripts/', suffixes: ['/languages'], names: ['v'] },
  { prefix: '/v1/playlists/', suffixes: ['/transcripts'], names: ['list'] },
  { prefix: '/v1/channels/', suffixes: ['/transcripts'], names: [] },
];

/**
 * Encodes an unencoded link in a path, `/v1/transcripts/https://host/watch?v=ID&lang=de/…`, as one path segment. Returns
 * any other address unchanged. The query parameter that identifies the video moves into the link; the other parameters
 * are those of the route. Slashes that a proxy has merged (`https:/host`) are restored.
 */
export const normalizeTarget = (url: string): string => {
  for (const { prefix, suffixes, names } of places) {
    if (!url.startsWith(prefix)) continue;
    const mark = url.indexOf('?');
    const path = mark === -1 ? url.slice(prefix.length) : url.slice(prefix.length, mark);
    const slash = path.indexOf('/');
    if (slash === -1 || !beginsLink(path.slice(0, slash))) return url;

    const tail = splitTail(mark === -1 ? '' : url.slice(mark + 1), suffixes);
    const suffix = tail.suffix ?? suffixes.find((end) => path.endsWith(end)) ?? '';
    const link = decoded(path.endsWith(suffix) ? path.slice(0, path.length - suffix.length) : path);
    if (link === null) return url;
    const own = tail.pairs;
    const ofLink = own.filter((pair) => names.some((name) => pair.startsWith(`${name}=`)));
    const rest = own.filter((pair) => !ofLink.includes(pair));
    const whole = link.replace(/^(https?):\/+/i, '$1://') + query(ofLink.slice(0, 1));
    return `${prefix}${encodeURIComponent(whole)}${suffix}${query(rest)}`;
  }
  return url;
};

/** A scheme, a host name, a dot segment or nothing: no id begins like this and has a slash after it. */
const beginsLink = (segment: string): boolean =>
  segment === '' || segment.includes('.') || segment.endsWith(':') || /%3a$/i.test(segment);

/** Behind a link with a query, our own suffix and query come last: `watch?v=ID/raw?lang=de`. */
const splitTail = (
  tail: string,
  suffixes: readonly string[],
): { readonly suffix: string | null; readonly pairs: readonly string[] } => {
  for (const suffix of suffixes) {
    const end = tail.indexOf(`${suffix}?`);
    const at = end === -1 && tail.endsWith(suffix) ? tail.length - suffix.length : end;
    if (at === -1) continue;
    const pairs = `${tail.slice(0, at)}&${tail.slice(at + suffix.length + 1)}`.split('&');
    return { suffix, pairs: pairs.filter((pair) => pair !== '') };
  }
  // `?format=txt` behind a link that has a query is read as `&format=txt`.
  return { suffix: null, pairs: tail === '' ? [] : tail.split(/[&?]/) };
};

const query = (pairs: readonly string[]): string => (pairs.length === 0 ? '' : `?${pairs.join('&')}`);

const decoded = (text: string): string | null => {
  try {
    const plain = decodeURIComponent(text);
    return plain.isWellFormed() ? plain : null;
  } catch {
    return null;
  }
};
