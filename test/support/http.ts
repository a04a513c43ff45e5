import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { memoryLimiter } from '#src/adapters/memory/limiter-memory.ts';
import type { Commands, OAuthState, Transcript } from '#src/commands.ts';
import type { CallCancellations } from '#src/edges/http/mcp/call-cancellations.ts';
import type { AnsweredRequest, Fault } from '#src/edges/http/middleware/dependencies.ts';
import type { IdempotencyStore, StoredAnswer } from '#src/edges/http/middleware/idempotency-store.ts';
import { createHttpServer, type HttpDeps, type HttpServer } from '#src/edges/http/server.ts';
import type { HttpSettings } from '#src/edges/http/settings.ts';
import { isUnavailable } from '#src/eventlog/unavailable-error.ts';
import type { Call } from '#src/kernel/call.ts';
import { newUuid } from '#src/kernel/ids.ts';
import { Refusal } from '#src/kernel/refusal.ts';
import type { KeyHolder, Probe, Queries, ShownJob } from '#src/queries.ts';
import type { ServiceRecordStore } from '#src/status/service-records.ts';
import type { StatusHistory } from '#src/status/status-history.ts';
import { onlyKey } from '#test/support/keys.ts';

export const videoId = 'dQw4w9WgXcQ';
export const key = 'key-of-a-test';
export const bearer = { Authorization: `Bearer ${key}` };

export const holder: KeyHolder = {
  accountId: 'acc_1',
  keyId: 'key_1',
  scopes: [],
  capCredits: null,
  capPeriod: 'period',
  warnAt: [],
  plan: 'free',
  limitPerMinute: 120,
};

export const transcript: Transcript = {
  videoId,
  title: 'A title',
  channel: 'A channel',
  channelId: 'UC1',
  url: `https://www.youtube.com/watch?v=${videoId}`,
  durationS: 12,
  language: 'en-GB',
  requestedLanguage: 'en',
  source: 'manual',
  cues: [
    { text: 'first', startMs: 0, endMs: 1_500 },
    { text: 'second', startMs: 1_500, endMs: 3_234 },
  ],
};

export const receipt = { creditsCharged: 1, eventId: 'evt_1' } as const;

/** Of a reading of captions that are kept. */
export const readReceipt = { ...receipt, isCacheHit: true, available: ['en'] };

/** A job in progress. */
export const runningJob: ShownJob = {
  ...{ jobId: 'job_1', accountId: 'acc_1', kind: 'batch', reference: null, status: 'processing' },
  ...{ run: 1, totalItems: 1, completedItems: 0, failedItems: 0, webhookUrl: null },
  ...{ creditsCharged: 0, creditsReserved: 1 },
  ...{ errorCode: null, errorMessage: null },
  ...{ createdAt: '2026-11-21T10:00:00.000Z', updatedAt: '2026-11-21T10:00:00.000Z' },
  position: '1',
};

export type RecordedFailure = { call: Call; operation: string; code: string };

/** The commands and queries that a test provides. Calling any other one gives a 500. */
const fakeCommands = (failures: RecordedFailure[], given: Partial<Commands>): Commands =>
  ({
    recordFailure: async (call, { operation, code }) => {
      failures.push({ call, operation, code });
    },
    requestDefaults: async () => ({ keepByDefault: false, askAboveCredits: null }),
    ...given,
  }) as Commands;

const fakeQueries = (given: Partial<Queries>): Queries =>
  ({
    findKeyHolder: async (secret) => (secret === key ? holder : null),
    findTokenHolder: async () => null,
    ledgerEntry: async () => {
      throw new Refusal('NOT_FOUND', 'This account has no such ledger entry.');
    },
    probe: async () => healthyProbe,
    extractionHealth: () => healthyExtraction,
    idleTransactionSince: async () => null,
    lags: async () => [{ name: 'usage', positions: 3, seconds: 0.25, isStopped: false }],
    auditState: async () => ({ checkedAt: new Date(0), ageS: 9, mismatches: 0, since: null }),
    relay: async () => ({
      ...{ state: 'failing', position: '7', lagPositions: 2, lagSeconds: 1.5, failure: 'refused by 10.0.0.7' },
    }),
    readiness: async () => ({ database: 'ok', writes: 'ok', eventStore: 'ok', queue: 'ok', redis: 'not_configured' }),
    ...given,
  }) as Queries;

export const healthyProbe = {
  ok: true,
  status: 200,
  reason: null,
  checkedAt: new Date().toISOString(),
  latencyMs: 40,
} as const;

/** A platform without a probe so far. A probe finds `found`; `looks` counts probes. */
export const unprobedPlatform = (found: Probe) => {
  let looks = 0;
  return {
    looks: () => looks,
    queries: {
      extractionHealth: () => ({ ...healthyExtraction, lastProbe: null }),
      probe: async () => {
        looks += 1;
        return found;
      },
    },
  };
};

export const healthyExtraction = {
  mode: 'direct',
  lastProbe: healthyProbe,
  consecutiveFailures: 0,
  failingSince: null,
  lastSuccessAt: '2026-11-21T10:00:00.000Z',
  lastExtractedAt: null,
  lastFailureAt: null,
  lastFailureCode: null,
} as const;

export const settings: HttpSettings = {
  service: { name: 'steno', brand: 'Steno', version: '1.0.0' },
  publicUrl: 'http://127.0.0.1',
  trustedProxies: [],
  mcpAllowedHosts: [],
  limitsPerMinute: { ip: 60, public: 60, session: 300, visitor: 30 },
  maxInFlight: 2_000,
  maxConnections: 10_000,
  timeLimitMs: 30_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  plans: [
    { key: 'free', label: 'Free', includedCredits: 10_000, limitPerMinute: 120 },
    { key: 'starter', label: 'Starter', includedCredits: 1_000, limitPerMinute: 240 },
  ],
  anonymousCreditsPerDay: 600,
  mail: { isSent: false, supportContact: null },
  examples: [],
  probeEveryMs: 120_000,
  oauthRegistrationsPerHour: 20,
};

/** An in-memory idempotency store, without expiry of leases. */
export const memoryIdempotency = (): IdempotencyStore => {
  const kept = new Map<
    string,
    {
      fingerprint: string;
      deduplicationKey: string;
      isRunning: boolean;
      isFirst: boolean;
      wasAnswered: boolean;
      answer: StoredAnswer | null;
    }
  >();
  const nameOf = (scope: object): string => JSON.stringify(scope);
  return {
    async begin(scope, fingerprint) {
      const known = kept.get(nameOf(scope));
      if (known !== undefined && known.fingerprint !== fingerprint) return { outcome: 'reused' };
      if (known?.isRunning === true) return { outcome: 'in_progress', retryAfterS: 1 };
      if (known?.answer) return { outcome: 'answered', answer: known.answer };
      const deduplicationKey = known?.deduplicationKey ?? newUuid();
      const wasAnswered = known?.wasAnswered ?? false;
      const isFirst = known === undefined;
      const begun = { fingerprint, deduplicationKey, isRunning: true, isFirst, wasAnswered, answer: null };
      kept.set(nameOf(scope), begun);
      return { outcome: 'begun', deduplicationKey, wasAnswered };
    },
    async complete(scope, _, answer) {
      const known = kept.get(nameOf(scope));
      if (known) Object.assign(known, { isRunning: false, wasAnswered: true, answer });
    },
    async release(scope) {
      const known = kept.get(nameOf(scope));
      if (known) known.isRunning = false;
    },
    async forget(scope) {
      const known = kept.get(nameOf(scope));
      if (known?.isFirst === true) return kept.delete(nameOf(scope));
      if (known) known.isRunning = false;
      return false;
    },
  };
};

/** The list of processes when only this one runs. */
const noOthers: CallCancellations = { send: async () => undefined, onReceived: () => undefined };

/** An authorization server keeps nothing here. */
export const noOAuthState: OAuthState = {
  keep: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => false,
  destroy: async () => undefined,
  revoke: async () => undefined,
  keepForGood: async () => undefined,
  sweep: async () => undefined,
};

const noOAuth: HttpDeps['oauth'] = {
  state: noOAuthState,
  fetchDocument: () => Promise.reject(new Error('nothing is fetched here')),
  cookieKeys: ['key of a test'],
  accessTokenTtlMs: 900_000,
  baseUrl: async () => 'http://127.0.0.1',
};

/** An empty status history. */
const noHistory: StatusHistory = {
  record: async () => undefined,
  read: async () => ({ days: [], incidents: [], notes: [] }),
};

/** Service records that are empty and stay so. */
const noRecords: ServiceRecordStore = {
  recordResponses: async () => undefined,
  recordExtraction: async () => undefined,
  read: async () => ({
    last30Days: { total: 0, failed: 0 },
    lastHour: { total: 0, failed: 0 },
    durations: { cached: new Map(), uncached: new Map(), liveness: new Map() },
    others: [],
  }),
};

export type StartedEdge = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  readonly failures: readonly RecordedFailure[];
  readonly faults: readonly Fault[];
  readonly answered: readonly AnsweredRequest[];
  readonly drain: HttpServer['drain'];
  readonly close: HttpServer['close'];
  readonly recordResponses: () => Promise<void>;
  /** Number of open sockets of the server. */
  connections(): Promise<number>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
};

/** The real server on a free port, with the commands and queries that the test provides. */
export const startEdge = async (
  given: {
    readonly commands?: Partial<Commands>;
    readonly queries?: Partial<Queries>;
    readonly settings?: Partial<HttpSettings>;
  } & Partial<
    Pick<HttpDeps, 'limiter' | 'idempotency' | 'clock' | 'onAnswered' | 'statusHistory' | 'serviceRecords' | 'metrics'>
  > = {},
): Promise<StartedEdge> => {
  const failures: RecordedFailure[] = [];
  const faults: Fault[] = [];
  const answered: AnsweredRequest[] = [];
  const clock = given.clock ?? (() => new Date());
  const { server, drain, close, recordResponses } = createHttpServer({
    commands: fakeCommands(failures, given.commands ?? {}),
    queries: fakeQueries(given.queries ?? {}),
    settings: { ...settings, ...given.settings },
    limiter: given.limiter ?? memoryLimiter({ clock }),
    idempotency: given.idempotency ?? memoryIdempotency(),
    statusHistory: given.statusHistory ?? noHistory,
    cancellations: noOthers,
    priceKeys: onlyKey(7),
    oauth: noOAuth,
    serviceRecords: given.serviceRecords ?? noRecords,
    metrics: given.metrics ?? { token: null, read: async () => '' },
    clock,
    isUnavailable,
    tracer: null,
    onFault: (fault) => faults.push(fault),
    onAnswered: given.onAnswered ?? ((one) => answered.push(one)),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    failures,
    faults,
    answered,
    drain,
    close,
    recordResponses,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      }),
    get: (path, headers = bearer) => fetch(url + path, { headers }),
    post: (path, body, headers = bearer) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** The error of a response that must have exactly the Error shape. */
export const errorOf = async (
  answer: Response,
): Promise<{ code: string; message: string; request_id: string; details: Details | null }> => {
  const body = (await answer.json()) as { error: Awaited<ReturnType<typeof errorOf>> };
  const names = Object.keys(body);
  if (names.length !== 1 || Object.keys(body.error).join() !== 'code,message,request_id,details') {
    throw new Error(`not the Error shape: ${JSON.stringify(body)}`);
  }
  return body.error;
};

type Details = Record<string, unknown>;

/** A response without further bytes for this long is taken as complete. */
const quietMs = 300;

/** Sends raw bytes on a new socket and returns the response; `timeoutMs` limits the wait for its first byte. */
export const say = async (port: number, bytes: string | Buffer, timeoutMs = 5_000): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(timeoutMs, () => socket.destroy());
  socket.once('data', () => socket.setTimeout(quietMs));
  socket.on('error', () => undefined);
  socket.write(bytes);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
};
