import { createServer, type Server } from 'node:http';
import { type MetricsAccess, mayRead, metricsContentType } from './meta/metrics.ts';

/** A scrape takes milliseconds; a connection that is silent for longer is closed. */
const silenceMs = 10_000;
const maxConnections = 20;

/** Serves the metrics of a process that answers nothing else: a worker. */
export const createMetricsServer = (access: MetricsAccess): Server => {
  const server = createServer({ headersTimeout: silenceMs, requestTimeout: silenceMs }, async (request, response) => {
    const answer = (status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
      response.end(text);
    };
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics' || request.method !== 'GET') return answer(404, 'GET /metrics\n');
    if (!mayRead(access, request)) {
      return answer(403, 'Served to this machine, and to requests with METRICS_TOKEN as bearer token.\n');
    }
    const text = await access.read().catch(() => null);
    if (text === null) answer(500, 'The metrics could not be read.\n');
    else answer(200, text, metricsContentType);
  });
  server.maxConnections = maxConnections;
  server.timeout = silenceMs;
  return server;
};
