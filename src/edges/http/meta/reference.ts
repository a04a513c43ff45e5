import { z } from 'zod';
import {
  type Endpoint,
  noBody,
  noFields,
  type OpenEndpoint,
  openRoute,
  type Route,
} from '../endpoint.ts';
import { bytes } from '../middleware/response.ts';
import { openApiDocument } from '../openapi/document.ts';
import { referencePage } from '../openapi/reference-page.ts';

const readOpenApi = {
  access: 'anyone',
  counting: 'public',
  cacheControl: 'public, max-age=60',
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'Meta',
  summary: 'This description',
  params: noFields,
  query: noFields,
  body: noBody,
  answers: { 200: { description: 'OpenAPI 3.1.', schema: z.record(z.string(), z.unknown()) } },
  refusals: [],
} satisfies OpenEndpoint;

const readReference = {
  ...readOpenApi,
  id: 'getReference',
  path: '/api/docs',
  summary: 'The reference for people',
  answers: { 200: { description: 'A page.', text: ['text/html'] } },
} satisfies OpenEndpoint;

export const referenceEndpoints = [readOpenApi, readReference] as const;

let described: Route[] | undefined;

/** The description of these endpoints, made at the first start in a process: it depends on no setting. */
export const reference = (endpoints: readonly Endpoint[]): Route[] => {
  described ??= describe(endpoints);
  return described;
};

const describe = (endpoints: readonly Endpoint[]): Route[] => {
  const description = openApiDocument(endpoints);
  const text = Buffer.from(JSON.stringify(description));
  const { html, policy } = referencePage(description);
  const page = {
    contentType: 'text/html; charset=utf-8',
    headers: { 'Content-Security-Policy': policy },
  };
  return [
    openRoute(readOpenApi, async () => bytes(text)),
    openRoute(readReference, async () => bytes(html, page)),
  ];
};
