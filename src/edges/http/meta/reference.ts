import { z } from 'zod';
import type { Endpoint, OpenEndpoint } from '../../../contract/endpoint.ts';
import { Refusal } from '../../../kernel/refusal.ts';
import { bytes, fileAnswer } from '../middleware/response.ts';
import { openRoute, type Route } from '../middleware/route.ts';
import { openApiDocument } from '../openapi/document.ts';
import { referencePage, referencePolicy } from '../openapi/reference-page.ts';
import { referenceScript } from '../openapi/reference-script.ts';

const readOpenApi = {
  access: 'anyone',
  rateLimit: 'public',
  cacheControl: 'public, max-age=60',
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'Meta',
  summary: 'This description',
  description: 'This document.',
  answers: { 200: { description: 'OpenAPI 3.1.', schema: z.record(z.string(), z.unknown()) } },
} satisfies OpenEndpoint;

const readReference = {
  ...readOpenApi,
  id: 'getReference',
  path: '/api/docs',
  summary: 'The reference for people',
  description: 'This document as a page for people.',
  answers: { 200: { description: 'A page.', text: ['text/html'] } },
} satisfies OpenEndpoint;

/** Loaded by the page alone, so the reference does not name it. Its name changes with its content. */
const readScript = {
  ...readOpenApi,
  id: 'getReferenceScript',
  path: '/api/docs/:file',
  summary: 'The renderer of the reference',
  cacheControl: 'public, max-age=31536000, immutable',
  params: z.object({ file: z.string().max(100) }),
  answers: {},
} satisfies OpenEndpoint;

export const referenceEndpoints = [readOpenApi, readReference] as const;

const pageHeaders = {
  contentType: 'text/html; charset=utf-8',
  headers: { 'Content-Security-Policy': referencePolicy },
};

/** Made by the first request for it, since it takes a tenth of the start of a service; it depends on no setting. */
let openApiJson: Buffer | undefined;

/** The OpenAPI document of these endpoints, and the reference that shows it. */
export const reference = (endpoints: readonly Endpoint[]): Route[] => [
  openRoute(readOpenApi, async () => {
    openApiJson ??= Buffer.from(JSON.stringify(openApiDocument(endpoints)));
    return bytes(openApiJson);
  }),
  openRoute(readReference, async () => {
    const { file } = await referenceScript();
    return bytes(referencePage(`/api/docs/${file}`), pageHeaders);
  }),
  openRoute(readScript, async ({ requestInfo, params }) => {
    const script = await referenceScript();
    if (params.file !== script.file) {
      throw new Refusal('NOT_FOUND', 'There is nothing at this address.');
    }
    return fileAnswer(requestInfo.request, script);
  }),
];
