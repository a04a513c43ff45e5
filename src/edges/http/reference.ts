import { z } from 'zod';
import { bytes } from './answer.ts';
import { accountEndpoints } from './api/account.ts';
import { keyEndpoints } from './api/account-keys.ts';
import { sessionEndpoints } from './api/account-sessions.ts';
import { accountUsageEndpoints } from './api/account-usage.ts';
import { accountWebhookEndpoints } from './api/account-webhooks.ts';
import { authEndpoints } from './api/auth.ts';
import { changelogEndpoints } from './api/changelog.ts';
import { healthEndpoints } from './api/health.ts';
import { statusEndpoints } from './api/status.ts';
import {
  type Endpoint,
  noBody,
  noFields,
  type OpenEndpoint,
  openRoute,
  type Route,
} from './endpoint.ts';
import { openApiDocument } from './openapi.ts';
import { referencePage } from './reference-page.ts';
import { channelEndpoints } from './v1/channels.ts';
import { jobEventEndpoints } from './v1/job-events.ts';
import { jobResultEndpoints } from './v1/job-results.ts';
import { jobEndpoints } from './v1/jobs.ts';
import { ledgerEndpoints } from './v1/ledger.ts';
import { playlistEndpoints } from './v1/playlists.ts';
import { transcriptEndpoints } from './v1/transcripts.ts';
import { usageEndpoints } from './v1/usage.ts';
import { webhookEndpoints } from './v1/webhook-endpoints.ts';

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
