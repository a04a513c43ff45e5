import { request } from 'undici';
import type { FetchDocument } from '../../authorizations/fetch-document.ts';
import { orAborted } from '../../kernel/abortable.ts';
import { boundedBody } from '../../kernel/bounded-body.ts';
import { type OutboundCheck, requireUrl } from '../../webhooks/webhook-url.ts';
import { addressesOf, agentFor, type ResolveHost, systemResolver } from './checked-address.ts';

const maxBytes = 5 * 1_024;
const timeoutMs = 2_500;

/**
 * Fetches a document by https from an address that may be asked: the name is resolved once, every address is checked, and
 * the connection goes to one of these. Redirects are not followed. What is larger than 5 KiB is not read to its end.
 */
export const documentFetcher =
  ({
    check,
    resolve = systemResolver,
    authorities,
  }: {
    readonly check: OutboundCheck;
    readonly resolve?: ResolveHost;
    /** Additional CA certificates (PEM), for tests. */
    readonly authorities?: readonly string[];
  }): FetchDocument =>
  async (text) => {
    const url = requireUrl(text);
    if (url.protocol !== 'https:') throw new Error('the document is not at an https address');
    const signal = AbortSignal.timeout(timeoutMs);
    const addresses = await orAborted(addressesOf(resolve, url), signal);
    const objection = check(url, addresses);
    if (objection !== null) throw new Error(`the document is not fetched: ${objection}`);
    const dispatcher = agentFor(addresses, timeoutMs, authorities);
    try {
      const sent = request(url, { dispatcher, signal, headers: { Accept: 'application/json' }, reset: true });
      const { statusCode: status, headers, body } = await orAborted(sent, signal);
      const tooLarge = () => new Error(`the document has more than ${maxBytes} bytes`);
      const bytes = await boundedBody(body, maxBytes, tooLarge);
      const kept = ['cache-control', 'expires'].flatMap((name) => {
        const value = headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      });
      return { status, headers: Object.fromEntries(kept), body: bytes.toString() };
    } finally {
      await dispatcher.destroy();
    }
  };
