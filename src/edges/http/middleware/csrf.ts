import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../../kernel/refusal.ts';

/** The absolute base of links to this service. */
type PublicUrl = { readonly publicUrl: string };

/** A form of another site can send any type but JSON without a CORS preflight. */
export const refuseOtherSites = (deps: PublicUrl, request: IncomingMessage): void => {
  const type = request.headers['content-type'];
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type.trim())) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  }
  refuseOtherOrigins(deps, request);
};

/**
 * CSRF protection by request metadata (OWASP): browsers state the origin of a request. A request with neither
 * `Sec-Fetch-Site` nor `Origin` is not from a browser, and has cookies only if its author added them.
 */
export const refuseOtherOrigins = ({ publicUrl }: PublicUrl, { headers }: IncomingMessage): void => {
  const { origin, 'sec-fetch-site': site } = headers;
  // A sibling domain counts as the same site, so the origin must be this service.
  const isOwn = origin === undefined ? site !== 'same-site' : isOwnAddress(publicUrl, headers.host, origin);
  if (site === 'cross-site' || !isOwn) {
    throw new Refusal('FORBIDDEN', 'This request was made by another site.');
  }
};

const isOwnAddress = (publicUrl: string, host: string | undefined, address: string): boolean => {
  if (!URL.canParse(address)) return false;
  const from = new URL(address);
  return from.origin === new URL(publicUrl).origin || from.host === host;
};

/**
 * Whether a GET may be charged: somebody went to the page by a link of this service or by its address. Links, pictures
 * and frames of other sites, and what a browser loads in advance, are not. Old browsers, and all browsers where the
 * service has no https, send no `Sec-Fetch-Site`: there it is the page that the link was on that counts.
 */
export const isOwnNavigation = ({ publicUrl }: PublicUrl, { headers }: IncomingMessage): boolean => {
  const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => headers[name]);
  if (/prefetch|prerender|preview/i.test(purposes.join(' '))) return false;
  const { 'sec-fetch-site': site, origin, referer } = headers;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const from = origin ?? referer;
  return from !== undefined && isOwnAddress(publicUrl, headers.host, from);
};

/** Whether a program such as curl asks for an address that it was given: every browser calls itself Mozilla or asks for HTML. */
export const isProgram = ({ headers }: IncomingMessage): boolean =>
  /^(?!Mozilla\/)./.test(headers['user-agent'] ?? '') &&
  !(headers.accept ?? '').includes('text/html') &&
  [headers['sec-fetch-site'], headers.origin, headers.referer].every((from) => from === undefined);
