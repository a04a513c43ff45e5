import { statusDays } from '../../../../kernel/status-history.ts';
import type { StatusReport } from '../../meta/status.ts';
import { documentOf, type PageContext, Row } from '../layout.tsx';
import { fill, number, plural } from '../messages/language.ts';
import { statusWords } from '../messages/status-words.ts';
import { Time } from './account-frame.tsx';

type Props = { readonly report: StatusReport };

/** Signs that go with the words, so that no state is told by colour alone. */
const signs = {
  ...{ operational: '✓', ok: '✓', met: '✓' },
  ...{ degraded: '!', outage: '✕', failed: '✕', missed: '✕', noData: '–' },
} as const;
const tones = {
  ...{ operational: 'ok-text', ok: 'ok-text', met: 'ok-text' },
  ...{ degraded: 'warn-text', outage: 'bad-text', failed: 'bad-text', missed: 'bad-text' },
  noData: 'quiet-text',
} as const;

/** The state of the service: now, against its objectives, and over ninety days. */
export const statusPage = (context: PageContext, report: StatusReport): string => {
  const words = statusWords;
  return documentOf(context, {
    title: `${words.title}: ${words.states[report.status]}`,
    description: words.describe,
    children: (
      <>
        <div class="section">
          <div class="row">
            <span class={`at ${tones[report.status]}`} aria-hidden="true">
              {signs[report.status]}
            </span>
            <div>
              <h1 class={tones[report.status]}>{words.states[report.status]}</h1>
              <p class="quiet-text">
                <Time at={report.generated_at} language="en" />
              </p>
            </div>
          </div>
        </div>
        <Alerts report={report} />
        <Components report={report} />
        <History report={report} />
        <Objectives report={report} />
        <Incidents report={report} />
        <Row>
          <p class="facts small">
            <a href="/api/status.json">/api/status.json</a>
            <a href="/status.atom">{words.feed}</a>
            <a href="/status.svg">{words.badge}</a>
          </p>
        </Row>
      </>
    ),
  });
};

const Alerts = ({ report }: Props) => {
  const words = statusWords;
  const language = 'en';
  if (report.active_alerts.length === 0) return null;
  return (
    <Row>
      <div class="note warn">
        <h2>{words.alerts}</h2>
        {report.active_alerts.map(({ summary, since }) => (
          <p>
            {summary}{' '}
            {since === null ? null : (
              <span class="quiet-text">
                <Time at={since} language={language} />
              </span>
            )}
          </p>
        ))}
      </div>
    </Row>
  );
};

const Components = ({ report }: Props) => {
  const words = statusWords;
  const probe = report.egress.last_probe;
  return (
    <div class="section">
      <Row>
        <h2>{words.components}</h2>
      </Row>
      {report.components.map(({ id, state }) => (
        <div class="row">
          <span class={`at ${tones[state]}`} aria-hidden="true">
            {signs[state]}
          </span>
          <span>
            {words.component[id]} <span class={tones[state]}>{words.partStates[state]}</span>
          </span>
        </div>
      ))}
      <Row>
        <p class="quiet-text small probe">
          {words.probe}: <Time at={probe.checked_at} language="en" />,{' '}
          {probe.ok
            ? fill(words.probeOk, { ms: number('en', probe.latency_ms) })
            : fill(words.probeFailed, { reason: probe.reason ?? String(probe.status) })}
        </p>
      </Row>
    </div>
  );
};

type Objective = StatusReport['objectives'][number];

/** Met, missed, or never measured. */
export const resultOf = ({ status, current }: Objective): 'met' | 'missed' | 'noData' =>
  current === null ? 'noData' : status === 'met' ? 'met' : 'missed';

const units: Readonly<Record<string, string>> = { percent: ' %', ms: ' ms' };

const Objectives = ({ report }: Props) => {
  const words = statusWords;
  const language = 'en';
  const windows: Readonly<Record<string, string>> = words.windows;
  return (
    <div class="section">
      <Row>
        <h2>{words.objectives}</h2>
        <p class="quiet-text">{words.measured}</p>
        <figure class="table-wrap" tabindex={0} aria-label={words.objectives}>
          <table>
            <thead>
              <tr>
                {[words.result, words.objective, words.target, words.current, words.window].map(
                  (name) => (
                    <th scope="col">{name}</th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {report.objectives.map((objective) => {
                const result = resultOf(objective);
                const { current, unit } = objective;
                return (
                  <tr>
                    <td class={`${tones[result]} nowrap`}>
                      {signs[result]} {words[result]}
                    </td>
                    <td>{objective.name}</td>
                    <td class="nowrap">{objective.target}</td>
                    <td class="nowrap">
                      {current === null ? '–' : `${number(language, current)}${units[unit] ?? ''}`}
                    </td>
                    <td>{windows[objective.window] ?? objective.window}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </figure>
      </Row>
    </div>
  );
};

type Day = {
  readonly day: string;
  readonly state: 'operational' | 'degraded' | 'outage' | null;
  readonly checks: number;
  /** Percent of the looks. */
  readonly share: number;
};

/** The last ninety days; a day on which nobody looked has no state. */
export const daysOf = ({ history, generated_at }: StatusReport): Day[] => {
  const recorded = new Map(history.days.map((day) => [day.day, day]));
  const today = Date.parse(generated_at);
  return Array.from({ length: statusDays }, (_, index) => {
    const at = new Date(today - (statusDays - 1 - index) * 86_400_000);
    const day = at.toISOString().slice(0, 10);
    const { checks = 0, degraded = 0, outage = 0 } = recorded.get(day) ?? {};
    if (checks === 0) return { day, state: null, checks, share: 0 };
    const state = outage > 0 ? 'outage' : degraded > 0 ? 'degraded' : 'operational';
    // Never 0 % where something was wrong.
    const share = Math.ceil(((outage || degraded) / checks) * 100);
    return { day, state, checks, share };
  });
};

const heights = { operational: 36, degraded: 24, outage: 12 } as const;
const barClasses = { operational: 'ok', degraded: 'warn', outage: 'bad' } as const;
const barWidth = 10;

const History = ({ report }: Props) => {
  const words = statusWords;
  const language = 'en';
  const days = daysOf(report);
  const known = days.filter(({ state }) => state !== null);
  const checks = report.history.days.reduce((sum, day) => sum + day.checks, 0);
  const outage = report.history.days.reduce((sum, day) => sum + day.outage, 0);
  const percent = checks === 0 ? 0 : Math.floor((1 - outage / checks) * 10_000) / 100;
  const labelOf = ({ day, state, checks: looks, share }: Day): string =>
    state === null
      ? fill(words.dayNone, { day })
      : fill(words.dayOf, {
          day,
          state: fill(words.dayStates[state], { share: number(language, share) }),
          checks: number(language, looks),
        });
  const summary =
    known.length === 0
      ? words.noHistory
      : fill(words.uptime, {
          percent: number(language, percent),
          n: number(language, known.length),
          total: number(language, days.length),
        });
  return (
    <div class="section">
      <Row>
        <h2>{words.history}</h2>
        <p>{summary}</p>
        <svg
          class="bars"
          viewBox={`0 0 ${days.length * barWidth} 36`}
          role="img"
          aria-label={summary}
        >
          {days.map((day, index) => {
            const height = day.state === null ? 4 : heights[day.state];
            return (
              <rect
                class={day.state === null ? 'none' : barClasses[day.state]}
                x={index * barWidth + 2}
                y={36 - height}
                width={barWidth - 4}
                height={height}
              >
                <title>{labelOf(day)}</title>
              </rect>
            );
          })}
        </svg>
        <p class="quiet-text small">{words.legend}</p>
      </Row>
      {known
        .filter(({ state }) => state !== 'operational')
        .toReversed()
        .map((day) => (
          <div class="row">
            <span class="at">{day.day.slice(5)}</span>
            <span>{labelOf(day)}</span>
          </div>
        ))}
    </div>
  );
};

type Incident = StatusReport['history']['incidents'][number];

/** Not seen for so long: over, as the history counts it. */
const goneAfterMs = 10 * 60_000;

const minutesOf = ({ started_at, last_seen_at }: Incident): number =>
  Math.max(1, Math.round((Date.parse(last_seen_at) - Date.parse(started_at)) / 60_000));

const Incidents = ({ report }: Props) => {
  const words = statusWords;
  const language = 'en';
  const { incidents } = report.history;
  const isOpen = ({ last_seen_at }: Incident): boolean =>
    Date.parse(report.generated_at) - Date.parse(last_seen_at) < goneAfterMs;
  return (
    <div class="section">
      <Row>
        <h2>{words.incidents}</h2>
        {incidents.length === 0 ? <p class="quiet-text">{words.noIncidents}</p> : null}
      </Row>
      {incidents.map((incident) => (
        <div class="row">
          <span class="at">{incident.started_at.slice(5, 10)}</span>
          <p>
            {incident.summary}{' '}
            <span class="quiet-text">
              <Time at={incident.started_at} language={language} />,{' '}
              {isOpen(incident)
                ? words.goesOn
                : plural(language, words.lasted, minutesOf(incident))}
            </span>
          </p>
        </div>
      ))}
    </div>
  );
};
