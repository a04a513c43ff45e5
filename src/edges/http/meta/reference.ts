import { z } from 'zod';
import { accountEndpoints } from '../account/account.ts';
import { authEndpoints } from '../account/auth.ts';
import { keyEndpoints } from '../account/keys.ts';
import { sessionEndpoints } from '../account/sessions.ts';
import { accountUsageEndpoints } from '../account/usage.ts';
import { accountWebhookEndpoints } from '../account/webhooks.ts';
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
import { aiEndpoints } from '../v1/ai-endpoints.ts';
import { channelEndpoints } from '../v1/channels.ts';
import { jobEventEndpoints } from '../v1/job-events.ts';
import { jobResultEndpoints } from '../v1/job-results.ts';
import { jobEndpoints } from '../v1/jobs.ts';
import { ledgerEndpoints } from '../v1/ledger.ts';
import { playlistEndpoints } from '../v1/playlists.ts';
import { transcriptEndpoints } from '../v1/transcripts.ts';
import { usageEndpoints } from '../v1/usage.ts';
import { webhookEndpoints } from '../v1/webhook-endpoints.ts';
import { changelogEndpoints } from './changelog.ts';
import { healthEndpoints } from './health.ts';
import { statusEndpoints } from './status.ts';

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

/** Every endpoint of the REST edge in the order of the reference. A new file of routes adds its line here. */
export const endpoints: readonly Endpoint[] = [
  ...transcriptEndpoints,
  ...aiEndpoints,
  ...jobEndpoints,
  ...jobResultEndpoints,
  ...jobEventEndpoints,
  ...playlistEndpoints,
  ...channelEndpoints,
  ...webhookEndpoints,
  ...usageEndpoints,
  ...ledgerEndpoints,
  ...authEndpoints,
  ...accountEndpoints,
  ...sessionEndpoints,
  ...keyEndpoints,
  ...accountUsageEndpoints,
  ...accountWebhookEndpoints,
  ...healthEndpoints,
  ...statusEndpoints,
  ...changelogEndpoints,
  readOpenApi,
  readReference,
];

/** The text of `docs/openapi.json`. */
export const openApiText = (): string => `${JSON.stringify(openApiDocument(endpoints), null, 2)}\n`;

let described: readonly Route[] | undefined;

/** The description of the whole edge, made at the first start in a process: it depends on nothing that is set. */
export const reference = (): readonly Route[] => {
  described ??= describe();
  return described;
};

const describe = (): readonly Route[] => {
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
