import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { OpenEndpoint } from '../../../contract/endpoint.ts';
import { notFound } from '../middleware/error-handler.ts';
import type { Failure } from '../middleware/error-response.ts';
import { fileAnswer, type HttpResponse } from '../middleware/response.ts';
import { openRoute, type Route } from '../middleware/route.ts';
import { sessionToken } from '../middleware/session.ts';
import { consentRoutes } from './consent/consent-routes.ts';
import { documentRoutes } from './documents/document-routes.ts';
import { emailVerificationRoutes } from './email-verification/email-verification-routes.ts';
import { failurePage } from './failure/failure-page.tsx';
import { followRoutes } from './follows/follow-routes.ts';
import { grantsRoutes } from './grants/grants-routes.ts';
import { homeRoutes } from './home/home-routes.ts';
import { jobRoutes } from './jobs/job-routes.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { ledgerRoutes } from './ledger/ledger-routes.ts';
import { libraryRoutes } from './library/library-routes.ts';
import { manyRoutes } from './many/many-routes.ts';
import { operationRoutes } from './operation/operation-routes.ts';
import { overviewRoutes } from './overview/overview-routes.ts';
import { contextOfRequest, html, ofPages, redirect, sentForms, textRoute, type WebsiteDeps } from './page.ts';
import { passwordResetRoutes } from './password-reset/password-reset-routes.ts';
import { plansRoutes } from './plans/plans-routes.ts';
import { registrationRoutes } from './registration/registration-routes.ts';
import { securityRoutes } from './security/security-routes.ts';
import { signInRoutes } from './sign-in/sign-in-routes.ts';
import { statementRoutes } from './statements/statement-routes.ts';
import { statusRoutes } from './status/status-routes.ts';
import { transcriptRoutes } from './transcript/transcript-routes.ts';
import { usageRoutes } from './usage/usage-routes.ts';
import { signatureRoutes } from './webhook-signature/signature-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

/** Every page of the website, and the files that pages load. */
export const website = (deps: Parameters<typeof consentRoutes>[0]): Route[] => [
  ...homeRoutes(deps),
  ...transcriptRoutes(deps),
  ...operationRoutes(deps),
  ...manyRoutes(deps),
  ...jobRoutes(deps),
  ...passwordResetRoutes(deps),
  ...emailVerificationRoutes(deps),
  ...signInRoutes(deps),
  ...registrationRoutes(deps),
  ...overviewRoutes(deps),
  ...plansRoutes(deps),
  ...keyRoutes(deps),
  ...grantsRoutes(deps),
  ...consentRoutes(deps),
  ...usageRoutes(deps),
  ...ledgerRoutes(deps),
  ...statementRoutes(deps),
  ...libraryRoutes(deps),
  ...signatureRoutes(deps),
  ...followRoutes(deps),
  ...webhookRoutes(deps),
  ...securityRoutes(deps),
  ...documentRoutes(deps),
  ...statusRoutes(deps),
  assetRoute(deps),
  favicon(deps),
  robots(deps.publicUrl),
];

/** Files whose address names their content: browsers keep them for a year and never ask again. */
const assetRoute = ({ assets }: Pick<WebsiteDeps, 'assets'>): Route =>
  openRoute(
    {
      ...ofPages('asset', 'GET', '/assets/:file'),
      rateLimit: 'none',
      cacheControl: 'public, max-age=31536000, immutable',
      params: z.object({ file: z.string().max(200) }),
    } satisfies OpenEndpoint,
    async ({ requestInfo, params }) => {
      const asset = (await assets()).files.get(`/assets/${params.file}`);
      return fileAnswer(requestInfo.request, asset ?? notFound());
    },
  );

/** Browsers ask here for the icon of whatever is not a page. */
const favicon = ({ assets }: Pick<WebsiteDeps, 'assets'>): Route =>
  openRoute(
    {
      ...ofPages('favicon', 'GET', '/favicon.ico'),
      rateLimit: 'none',
      cacheControl: 'public, max-age=86400',
    } satisfies OpenEndpoint,
    async () => redirect((await assets()).icon),
  );

const robots = (publicUrl: string): Route =>
  textRoute('/robots.txt', { contentType: 'text/plain; charset=utf-8', maxAgeS: 3_600, rateLimit: 'none' }, () =>
    // Reading a transcript costs credits of the visitor, so search engines do not.
    [
      'User-agent: *',
      'Disallow: /t/',
      'Disallow: /account',
      'Disallow: /jobs',
      'Disallow: /go',
      'Disallow: /v1/',
      'Disallow: /feeds/',
      'Disallow: /mcp',
      'Disallow: /oauth/',
      `Sitemap: ${publicUrl}/sitemap.xml`,
      '',
    ].join('\n'),
  );

/** Paths whose errors are never pages: programs read them. */
const forPrograms = /^\/(v1|api|mcp|feeds|oauth\/(token|register|revoke)|\.well-known|openapi\.json|assets)(\/|$)/;

/**
 * A failure as a page, for a browser that asked for one: it accepts HTML, and the path is not one of the API. Null:
 * the failure is answered in the Error shape.
 */
export const errorPageOf =
  (deps: Pick<WebsiteDeps, 'assets' | 'publicUrl'>) =>
  async (request: IncomingMessage, failure: Failure, requestId: string): Promise<HttpResponse | null> => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (forPrograms.test(path)) return null;
    if (!(request.headers.accept ?? '').includes('text/html')) return null;
    // Who it is was not found out, or could not be; the page only needs to know which links to show.
    const user = sessionToken({ request }) === null ? null : { accountId: '', userId: '' };
    const context = await contextOfRequest(deps, request, user);
    const failed = { requestId, method: request.method ?? 'GET', form: sentForms.get(request) ?? null };
    return html(failurePage(context, failure, failed), failure.status);
  };
