import type { z } from 'zod';
import { answerOf } from '../../../contract/answer-of.ts';
import {
  type alertSchema,
  incidentSchema,
  isOpenAt,
  lateAfterS,
  type NoteSeverity,
  noteSchema,
  readStatus,
  readStatusJson,
  type StatusReport,
} from '../../../contract/meta.ts';
import { maxBatchVideos } from '../../../contract/transcripts.ts';
import type { Clock } from '../../../kernel/clock.ts';
import {
  type ExtractionHealth,
  failureAlertThreshold,
  measuredOf,
  type ObjectiveMeasurements,
  objectivesJson,
  type Probe,
  type Queries,
  type ServiceRecordStore,
  type ServiceRecords,
  type StatusHistory,
} from '../../../queries.ts';
import { json } from '../middleware/response.ts';
import { type Application, openRoute, type Route } from '../middleware/route.ts';
import type { HttpSettings } from '../settings.ts';
import { probeAnswer, recentProbe } from './health.ts';

const incidentAnswer = answerOf(incidentSchema);
const noteAnswer = answerOf(noteSchema);

type Alert = z.input<typeof alertSchema>;

type Deps = Application<
  never,
  'auditState' | 'extractionHealth' | 'idleTransactionSince' | 'lags' | 'probe' | 'readiness' | 'relay'
> & {
  readonly serviceRecords: Pick<ServiceRecordStore, 'read'>;
  readonly statusHistory: Pick<StatusHistory, 'read'>;
  readonly clock: Clock;
  readonly settings: HttpSettings;
};

/** The status of the service: from what is recorded already, but for a look at the platform where there was none. */
export const status = ({ readStatus: read }: { readonly readStatus: () => Promise<StatusReport> }): Route[] => {
  const answer = async () => json(await read());
  return [openRoute(readStatus, answer), openRoute(readStatusJson, answer)];
};

/** The report of `/api/status`. Without a recent probe it asks the platform. */
export const statusReport = async (deps: Deps): Promise<StatusReport> => {
  const { queries, clock, settings } = deps;
  const [parts, idleSince, lags, audited, relay, lastProbe] = await Promise.all([
    queries.readiness(),
    queries.idleTransactionSince(),
    queries.lags(),
    queries.auditState(),
    queries.relay(),
    recentProbe(queries, clock),
  ]);
  const extraction = { ...queries.extractionHealth(), lastProbe };
  const isEgressUp = lastProbe.ok;
  const isReadable = parts.database === 'ok';
  const isDatabaseUp = isReadable && parts.eventStore === 'ok';
  const measured = measuredOf(await recordsOf(deps, isReadable), extraction);
  const alerts = alertsOf(extraction, measured, parts, idleSince, audited);
  const { notes, ...history } = await historyJson(deps, isReadable);
  const open = notes.filter(isOpenAt(clock()));
  const found = isDatabaseUp ? (alerts.length === 0 ? 'operational' : 'degraded') : 'outage';

  return {
    status: worst([found, ...open.map(({ severity }) => stateOf[severity])]),
    service: settings.service.name,
    brand: settings.service.brand,
    generated_at: clock().toISOString(),
    links: {
      status_page: '/status',
      docs: '/api/docs',
      openapi: '/openapi.json',
      health: '/api/health',
      readiness: '/api/health/ready',
    },
    objectives: objectivesJson(measured),
    components: componentsOf(parts, lags, isEgressUp).map(withNotes(open)),
    checks: { liveness: 'ok', readiness: isDatabaseUp && isEgressUp ? 'ok' : 'failed', egress: isEgressUp },
    egress: egressJson(extraction),
    active_alerts: alerts,
    audit: auditJson(audited),
    notes,
    read_models: lags.map(({ name, positions, seconds, isStopped }) => ({
      ...{ name, lag_positions: positions, lag_seconds: seconds, stopped: isStopped },
    })),
    // Without the reason of a failure, which may name hosts.
    relay: { state: relay.state, lag_positions: relay.lagPositions, lag_seconds: relay.lagSeconds },
    history,
    limits: limitsJson(settings),
  };
};

type Parts = Awaited<ReturnType<Queries['readiness']>>;

type Lags = Awaited<ReturnType<Queries['lags']>>;

const componentsOf = (parts: Parts, lags: Lags, isEgressUp: boolean): StatusReport['components'] => [
  { id: 'api', state: 'ok' },
  { id: 'database', state: parts.database },
  { id: 'event_log', state: parts.eventStore },
  { id: 'jobs', state: parts.queue === 'ok' ? 'ok' : 'failed' },
  { id: 'rate_limits', state: parts.redis === 'failed' ? 'degraded' : 'ok' },
  { id: 'platform', state: isEgressUp ? 'ok' : 'failed' },
  {
    id: 'read_models',
    state: lags.some(({ isStopped, seconds }) => isStopped || seconds > lateAfterS) ? 'degraded' : 'ok',
  },
];

type Audited = Awaited<ReturnType<Queries['auditState']>>;

/** Seconds after which an audit says nothing of the present. */
const auditLateAfterS = 300;

const auditJson = (audited: Audited): StatusReport['audit'] => {
  const checked_at = audited?.checkedAt?.toISOString() ?? null;
  if (audited !== null && audited.mismatches > 0) return { status: 'mismatch', checked_at };
  const isPresent = audited !== null && audited.ageS !== null && audited.ageS <= auditLateAfterS;
  return { status: isPresent ? 'ok' : 'unknown', checked_at };
};

const egressJson = (extraction: ExtractionHealth & { readonly lastProbe: Probe }): StatusReport['egress'] => ({
  mode: extraction.mode,
  healthy: extraction.lastProbe.ok && extraction.consecutiveFailures < failureAlertThreshold,
  last_probe: probeAnswer(extraction.lastProbe),
  extraction: {
    consecutive_failures: extraction.consecutiveFailures,
    last_success_at: extraction.lastSuccessAt,
    last_failure_at: extraction.lastFailureAt,
    last_failure_code: extraction.lastFailureCode,
  },
});

const noRecords: ServiceRecords = {
  last30Days: { total: 0, failed: 0 },
  lastHour: { total: 0, failed: 0 },
  durations: { cached: new Map(), uncached: new Map(), liveness: new Map() },
  others: [],
};

/** What all processes have recorded; nothing while the database cannot be asked. */
const recordsOf = async ({ serviceRecords }: Deps, isReadable: boolean): Promise<ServiceRecords> =>
  isReadable ? await serviceRecords.read().catch(() => noRecords) : noRecords;

/** What is recorded; nothing while the database cannot be asked. */
const historyJson = async (
  { statusHistory }: Deps,
  isReadable: boolean,
): Promise<StatusReport['history'] & { readonly notes: NoteJson[] }> => {
  const none = { days: [], incidents: [], notes: [] };
  const { days, incidents, notes } = isReadable ? await statusHistory.read().catch(() => none) : none;
  return {
    days: [...days],
    incidents: incidents.map((incident) => incidentAnswer(incident, { id: incident.alert })),
    notes: notes.map((note) => noteAnswer(note, { id: note.noteId })),
  };
};

type NoteJson = StatusReport['notes'][number];

const ranks = ['operational', 'degraded', 'outage'] as const;

type State = (typeof ranks)[number];

const worst = (states: readonly State[]): State => ranks.findLast((rank) => states.includes(rank)) ?? 'operational';

/** What a note makes of the state of the service. */
const stateOf: Readonly<Record<NoteSeverity, State>> = {
  info: 'operational',
  maintenance: 'operational',
  degraded: 'degraded',
  outage: 'outage',
};

type Component = StatusReport['components'][number];

/** A part is in the state that was found, or in a worse one that an operator names. */
const withNotes =
  (notes: readonly NoteJson[]) =>
  ({ id, state }: Component): Component => {
    const said = worst(notes.filter(({ component }) => component === id).map(({ severity }) => stateOf[severity]));
    if (said === 'outage') return { id, state: 'failed' };
    return { id, state: said === 'degraded' && state === 'ok' ? 'degraded' : state };
  };

const alertsOf = (
  extraction: ExtractionHealth & { readonly lastProbe: Probe },
  { errorRate, consecutiveFailures, failingSince }: ObjectiveMeasurements,
  parts: Parts,
  idleSince: string | null,
  audited: Audited,
): Alert[] => {
  const alerts: Alert[] = [];
  const raise = (id: string, summary: string, since: string | null = null): void => {
    alerts.push({ id, summary, since });
  };
  if (parts.database !== 'ok') raise('database_down', 'The database cannot be reached.');
  if (parts.database === 'ok' && parts.writes !== 'ok') {
    raise('writes_refused', 'The database accepts no writes: its disk may be full.');
  } else if (parts.eventStore !== 'ok') {
    raise('event_store_down', 'The event store cannot be written.');
  }
  if (idleSince !== null) {
    raise('idle_transaction', 'A database transaction has been idle for too long.', idleSince);
  }
  if (audited !== null && audited.mismatches > 0) {
    const since = audited.since?.toISOString() ?? null;
    raise('audit_mismatch', 'The audit found ledgers that do not match what is shown of them.', since);
  }
  if (parts.queue === 'failed') raise('queue_down', 'Jobs and webhooks are delayed.');
  if (parts.queue === 'no_worker') raise('no_worker', 'No worker is running: jobs and webhooks are delayed.');
  if (parts.redis === 'failed') raise('redis_down', 'Rate limits are counted per process.');
  if (!extraction.lastProbe.ok) {
    raise('egress_down', 'The video platform is not responding.', extraction.lastProbe.checkedAt);
  }
  if (consecutiveFailures >= failureAlertThreshold) {
    const summary = `${consecutiveFailures} consecutive extractions failed.`;
    raise('extraction_failures', summary, failingSince);
  }
  if (errorRate !== null && errorRate >= 1) {
    raise('error_rate', `${errorRate} % of the responses in the last hour were 5xx.`);
  }
  return alerts;
};

const limitsJson = ({ plans, anonymousCreditsPerDay, probeEveryMs }: HttpSettings) => {
  const free = plans.find(({ key }) => key === 'free');
  return {
    free_credits: free?.includedCredits ?? 0,
    free_rate_limit_per_min: free?.limitPerMinute ?? 0,
    anonymous_credits_per_day: anonymousCreditsPerDay,
    batch_max_videos: maxBatchVideos,
    egress_probe_seconds: probeEveryMs / 1_000,
    failure_alert_threshold: failureAlertThreshold,
    plans: plans.map(({ key, label, includedCredits, limitPerMinute }) => ({
      key,
      label,
      credits: includedCredits,
      rate_limit_per_min: limitPerMinute,
    })),
  };
};
