import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../../kernel/refusal.ts';

/** Names under which a program on the same machine reaches the server. */
const ofThisMachine = ['localhost', '127.0.0.1', '[::1]'];
/** Addresses to listen on, not names under which anybody comes. */
const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

/**
 * Refuses requests that a web page made a browser send, under a host name that was pointed at this machine (DNS
 * rebinding): the Host, and an Origin where there is one, must name the public host, this machine or a host of the
 * settings. Where the server knows no name of its own, any Host is accepted.
 */
export const hostCheck = (
  publicUrl: string,
  allowedHosts: readonly string[],
): ((headers: IncomingHttpHeaders) => void) => {
  const own = new URL(publicUrl).hostname;
  const isNameless = unspecified.has(own) && allowedHosts.length === 0;
  const allowed = new Set([own, ...ofThisMachine, ...allowedHosts.map((one) => one.toLowerCase())]);
  return ({ host, origin }) => {
    const isAllowed = isNameless || allowed.has(hostNameIn(`http://${host ?? ''}`));
    if (!isAllowed) throw foreign('Host');
    if (origin !== undefined && !allowed.has(hostNameIn(origin))) throw foreign('Origin');
  };
};

const hostNameIn = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '');

const foreign = (header: string): Refusal => {
  const message = `Requests with this ${header} are not accepted; an operator can allow it by MCP_ALLOWED_HOSTS.`;
  return new Refusal('FORBIDDEN', message, { header });
};
