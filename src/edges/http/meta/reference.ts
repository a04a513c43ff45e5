import type { Endpoint } from '../../../contract/endpoint.ts';
import { readOpenApi, readReference, readScript } from '../../../contract/meta.ts';
import { notFound } from '../middleware/error-handler.ts';
import { bytes, fileAnswer } from '../middleware/response.ts';
import { openRoute, type Route } from '../middleware/route.ts';
import { openApiDocument } from '../openapi/document.ts';
import { referencePage, referencePolicy } from '../openapi/reference-page.ts';
import { referenceScript } from '../openapi/reference-script.ts';

const pageHeaders = {
  contentType: 'text/html; charset=utf-8',
  headers: { 'Content-Security-Policy': referencePolicy },
};

/** Made by the first request for it, since it takes a tenth of the start of a service; it depends on no setting. */
let openApiJson: Buffer | undefined;

/** The OpenAPI document of these endpoints, and the reference that shows it. `assets`: the address of the fonts and colours of the site. */
export const reference = (
  endpoints: readonly Endpoint[],
  assets: () => Promise<{ readonly tokens: string }>,
): Route[] => [
  openRoute(readOpenApi, async () => {
    openApiJson ??= Buffer.from(JSON.stringify(openApiDocument(endpoints)));
    return bytes(openApiJson);
  }),
  openRoute(readReference, async () => {
    const [{ file }, { tokens }] = await Promise.all([referenceScript(), assets()]);
    return bytes(referencePage({ script: `/api/docs/${file}`, tokens }), pageHeaders);
  }),
  openRoute(readScript, async ({ requestInfo, params }) => {
    const script = await referenceScript();
    if (params.file !== script.file) notFound();
    return fileAnswer(requestInfo.request, script);
  }),
];
