import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readMetrics } from '../../../contract/meta.ts';
import { isLoopback } from '../../../kernel/ip-networks.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { bytes } from '../middleware/response.ts';
import { openRoute, type Route } from '../middleware/route.ts';

/** The metrics of this process, and who may read them besides this machine. */
export type MetricsAccess = {
  /** Null: nobody else. */
  readonly token: string | null;
  /** The text format of Prometheus. */
  readonly read: () => Promise<string>;
};

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** `/metrics`, for this machine and for who has the token; it is not a part of the API. */
export const metrics = (access: MetricsAccess): Route[] => [
  openRoute(readMetrics, async ({ requestInfo }) => {
    if (!mayRead(access, requestInfo.request)) {
      const message = 'Metrics are served to this machine, and to requests with METRICS_TOKEN as bearer token.';
      throw new Refusal('FORBIDDEN', message);
    }
    return bytes(await access.read(), { contentType: metricsContentType });
  }),
];

/**
 * Whether a request comes from this machine itself, or has the token. What a proxy on this machine passes on comes from
 * its loopback address too, so a request with the headers of a proxy needs the token.
 */
export const mayRead = (
  { token }: Pick<MetricsAccess, 'token'>,
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
): boolean => {
  const given = /^bearer +(\S{1,400})$/i.exec(headers.authorization ?? '')?.[1];
  if (token !== null && given !== undefined && isEqual(given, token)) return true;
  const isPassedOn = proxyHeaders.some((name) => headers[name] !== undefined);
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return !isPassedOn && isLoopback(peer);
};

const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const;

/** In the same time whatever was given: digests have one length. */
const isEqual = (given: string, wanted: string): boolean => timingSafeEqual(digestOf(given), digestOf(wanted));

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
