import {
  accountEndpoints,
  accountUsageEndpoints,
  accountWebhookEndpoints,
  sessionEndpoints,
} from '../../contract/account.ts';
import { readChunks } from '../../contract/chunks.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { listEvents } from '../../contract/events.ts';
import { followEndpoints, readFeed } from '../../contract/follows.ts';
import { jobEndpoints } from '../../contract/jobs.ts';
import { keyEndpoints } from '../../contract/keys.ts';
import { ledgerEndpoints } from '../../contract/ledger.ts';
import { libraryEndpoints } from '../../contract/library.ts';
import { listingEndpoints } from '../../contract/listings.ts';
import {
  healthEndpoints,
  readChangelog,
  referenceEndpoints,
  type StatusReport,
  statusEndpoints,
} from '../../contract/meta.ts';
import { grantEndpoints } from '../../contract/oauth.ts';
import { aiStatus, operationEndpoints } from '../../contract/operation-endpoints.ts';
import { receiptEndpoints } from '../../contract/receipts.ts';
import { authEndpoints, linkEndpoints } from '../../contract/sign-in.ts';
import { statementEndpoints } from '../../contract/statements.ts';
import { tlogEndpoints } from '../../contract/tlog.ts';
import { transcriptEndpoints } from '../../contract/transcripts.ts';
import { readUsage } from '../../contract/usage.ts';
import { readVideo } from '../../contract/videos.ts';
import { webhookEndpoints } from '../../contract/webhooks.ts';
import type { KeyRing } from '../../kernel/key-ring.ts';
import { account } from './account/account.ts';
import { auth } from './account/auth.ts';
import { accountGrants } from './account/grants.ts';
import { accountKeys } from './account/keys.ts';
import { links } from './account/password-reset.ts';
import { accountSessions } from './account/sessions.ts';
import { accountSettings } from './account/settings.ts';
import { accountUsage } from './account/usage.ts';
import { accountWebhooks } from './account/webhooks.ts';
import type { CallCancellations } from './mcp/call-cancellations.ts';
import { mcp } from './mcp/endpoint.ts';
import { changelog } from './meta/changelog.ts';
import { health } from './meta/health.ts';
import { type MetricsAccess, metrics } from './meta/metrics.ts';
import { reference } from './meta/reference.ts';
import { status } from './meta/status.ts';
import { tlog } from './meta/tlog.ts';
import type { AuthorizationServer } from './middleware/authorization-server.ts';
import type { MiddlewareDeps } from './middleware/dependencies.ts';
import type { EventStreams } from './middleware/event-streams.ts';
import type { JobEventStream } from './middleware/job-event-streams.ts';
import type { Route, WholeApplication } from './middleware/route.ts';
import type { SessionDeps } from './middleware/session.ts';
import { oauthRoutes } from './oauth/oauth-routes.ts';
import { openApiDocument } from './openapi/document.ts';
import { publicReading } from './public/transcripts.ts';
import type { HttpSettings } from './settings.ts';
import { ai } from './v1/ai.ts';
import { chunks } from './v1/chunks.ts';
import { events } from './v1/events.ts';
import { followFeed } from './v1/follow-feed.ts';
import { follows } from './v1/follows.ts';
import { jobResults } from './v1/job-results.ts';
import { jobs } from './v1/jobs.ts';
import { ledger } from './v1/ledger.ts';
import { library } from './v1/library.ts';
import { listings } from './v1/listings.ts';
import { receipts } from './v1/receipts.ts';
import { statements } from './v1/statements.ts';
import { transcripts } from './v1/transcripts.ts';
import { usage } from './v1/usage.ts';
import { videos } from './v1/videos.ts';
import { webhooks } from './v1/webhooks.ts';
import type { Assets } from './website/assets.ts';
import { website } from './website/website.ts';

/** Dependencies of the routes; each file of routes takes those that it uses. */
export type RouteDeps = HttpSettings &
  SessionDeps &
  WholeApplication &
  Pick<MiddlewareDeps, 'idempotency' | 'isUnavailable' | 'limiter' | 'onFault'> & {
    readonly readStatus: () => Promise<StatusReport>;
    readonly metrics: MetricsAccess;
    readonly isDraining: () => boolean;
    /** For calls whose callers cancel them by a request of its own. */
    readonly cancellations: CallCancellations;
    /** Streams of events, counted together whoever opens them. */
    readonly eventStream: JobEventStream;
    readonly streams: EventStreams;
    readonly authorizationServer: AuthorizationServer;
    /** The keys that sign the prices that tools ask about. */
    readonly priceKeys: KeyRing;
    /** Styles and scripts of the pages, built with the first page that is asked for. */
    readonly assets: () => Promise<Assets>;
  };

type RouteGroup = {
  /** Listed in the reference; empty for routes of the website only. */
  readonly endpoints: readonly Endpoint[];
  readonly routes: (deps: RouteDeps) => Route[];
};

/**
 * All routes of the server in the order of the reference. The server, the OpenAPI document and the reference are made
 * from this list; a new file of routes adds its line here.
 */
const routeGroups: readonly RouteGroup[] = [
  { endpoints: transcriptEndpoints, routes: transcripts },
  { endpoints: [readChunks], routes: chunks },
  { endpoints: [readVideo], routes: videos },
  // Express compares a path with one route after the other: what is asked for often comes early.
  { endpoints: [], routes: mcp },
  { endpoints: [aiStatus, ...operationEndpoints], routes: ai },
  { endpoints: jobEndpoints, routes: (deps) => [...jobs(deps), ...jobResults(deps)] },
  { endpoints: listingEndpoints, routes: listings },
  { endpoints: libraryEndpoints, routes: library },
  { endpoints: webhookEndpoints, routes: webhooks },
  { endpoints: followEndpoints, routes: follows },
  { endpoints: [readFeed], routes: followFeed },
  { endpoints: [readUsage], routes: usage },
  { endpoints: ledgerEndpoints, routes: ledger },
  { endpoints: receiptEndpoints, routes: receipts },
  { endpoints: statementEndpoints, routes: statements },
  { endpoints: [listEvents], routes: events },
  { endpoints: tlogEndpoints, routes: tlog },
  { endpoints: authEndpoints, routes: auth },
  { endpoints: linkEndpoints, routes: links },
  { endpoints: accountEndpoints, routes: (deps) => [...account(deps), ...accountSettings(deps)] },
  { endpoints: sessionEndpoints, routes: accountSessions },
  { endpoints: keyEndpoints, routes: accountKeys },
  { endpoints: grantEndpoints, routes: accountGrants },
  { endpoints: accountUsageEndpoints, routes: accountUsage },
  { endpoints: accountWebhookEndpoints, routes: (deps) => accountWebhooks(deps, webhooks(deps)) },
  { endpoints: [], routes: publicReading },
  { endpoints: [], routes: oauthRoutes },
  { endpoints: [], routes: (deps) => website({ ...deps, tools: toolScopes(deps) }) },
  { endpoints: healthEndpoints, routes: health },
  { endpoints: statusEndpoints, routes: status },
  { endpoints: [], routes: (deps) => metrics(deps.metrics) },
  { endpoints: [readChangelog], routes: changelog },
  { endpoints: referenceEndpoints, routes: ({ assets }) => reference(endpoints, assets) },
];

/** The tools of `/mcp` with their scopes, for the page of consent. Loaded when the first one is shown. */
const toolScopes = (deps: RouteDeps) => async () => {
  const { toolsFor } = await import('./mcp/tools/all-tools.ts');
  return [...toolsFor(deps).values()];
};

/** Every endpoint of the reference. */
export const endpoints: readonly Endpoint[] = routeGroups.flatMap((group) => group.endpoints);

export const routesOf = (deps: RouteDeps): Route[] => routeGroups.flatMap(({ routes }) => routes(deps));

/** The text of `docs/openapi.json`. */
export const openApiText = (): string => `${JSON.stringify(openApiDocument(endpoints), null, 2)}\n`;
