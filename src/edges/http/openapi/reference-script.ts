import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { once } from '../../../kernel/memoize.ts';
import type { StaticFile } from '../middleware/response.ts';

/** The renderer as one script, under a name that changes with its content. */
type ReferenceScript = StaticFile & { readonly file: string };

type Handler = (request: object, reply: Reply) => unknown;
type Reply = { header(): Reply; send(body: string): unknown };

/**
 * Scalar's renderer. Its package for Fastify carries the script for browsers whole and needs 27 packages; the package of
 * the renderer itself needs 299. The package is used as Fastify would: it registers its routes, one of which is the script.
 */
const loadScript = async (): Promise<string> => {
  const { default: register } = await import('@scalar/fastify-api-reference');
  const handlers = new Map<string, Handler>();
  const host = {
    route: ({ url, handler }: { readonly url: string; readonly handler: Handler }) => {
      handlers.set(url, handler);
    },
  };
  register(host, { routePrefix: '/api/docs', configuration: { url: '/openapi.json' } }, () => {});
  let script = '';
  const reply: Reply = {
    header: () => reply,
    send: (body) => {
      script = body;
    },
  };
  handlers.get('/api/docs/js/scalar.js')?.({}, reply);
  assert(script !== '', 'the package registers the script of the renderer');
  return script;
};

/** Loaded and compressed with the first request of the reference. */
export const referenceScript = once(async (): Promise<ReferenceScript> => {
  const body = Buffer.from(await loadScript());
  // The highest quality would take seconds for the last tenth.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  const [brotli, zipped] = await Promise.all([promisify(brotliCompress)(body, { params }), promisify(gzip)(body)]);
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 8);
  const contentType = 'text/javascript; charset=utf-8';
  return { file: `scalar-${hash}.js`, contentType, body, brotli, gzip: zipped };
});
