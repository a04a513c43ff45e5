import { incidentGoneMinutes, isOpenAt, type StatusReport, statusDays } from '../../../../contract/meta.ts';
import { dayMs, minuteMs } from '../../../../kernel/clock.ts';
import { ownValue } from '../../../../kernel/own-value.ts';
import { Document, documentOf, Row, Section, usePage } from '../layout.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { dateIn, Time, written } from '../parts/times.tsx';
import { fill, labelIn, number, plural, type Words } from '../words.ts';

type Props = { readonly report: StatusReport };

/** The class of a state; that of its words ends with `-text`. */
const tones = {
  ...({ operational: 'ok', ok: 'ok', met: 'ok', degraded: 'warn' } as const),
  ...({ outage: 'bad', failed: 'bad', missed: 'bad', noData: 'quiet' } as const),
};

/** Symbols that go with the words, so that no state is told by colour alone. */
const signs = { ok: '✓', warn: '!', bad: '✕', quiet: '–' } as const;

/** The symbol of a state in the rail. */
const Sign = ({ state }: { readonly state: keyof typeof tones }) => (
  <span class={`at ${tones[state]}-text`} aria-hidden="true">
    {signs[tones[state]]}
  </span>
);

/** The state of the service: now, against its objectives, and over ninety days. `day`: the one whose events are shown. */
export const statusPage = documentOf((report: StatusReport, day: string | null = null) => {
  const { words } = usePage();
  const { serviceStatus: own } = words;
  return (
    <Document title={`${words.site.status}${words.site.colon}${own.states[report.status]}`} description={own.describe}>
      <div class="section">
        <div class="row">
          <Sign state={report.status} />
          <div>
            <h1 class={`${tones[report.status]}-text`}>{own.states[report.status]}</h1>
            <p class="quiet-text">
              <Time at={report.generated_at} />
            </p>
          </div>
        </div>
      </div>
      <Notes report={report} />
      <Alerts report={report} />
      <Components report={report} />
      <History report={report} day={day} />
      <Objectives report={report} />
      <Incidents report={report} />
      <Row>
        <p class="facts small">
          <a href="/api/status.json">/api/status.json</a>
          <a href="/status.atom">{own.feed}</a>
          <a href="/status.svg">{own.badge}</a>
        </p>
      </Row>
    </Document>
  );
});

const noteTones = { info: '', maintenance: '', degraded: 'warn', outage: 'bad' } as const;

/** Notes in force; those that are over are among the incidents. */
const Notes = ({ report }: Props) => {
  const { words } = usePage();
  const open = report.notes.filter(isOpenAt(new Date(report.generated_at)));
  if (open.length === 0) return null;
  return (
    <Row>
      <h2>{words.serviceStatus.notes}</h2>
      {open.map((note) => (
        <div class={`note ${noteTones[note.severity]}`}>
          <NoteText note={note} />
        </div>
      ))}
    </Row>
  );
};

type Note = StatusReport['notes'][number];

const NoteText = ({ note }: { readonly note: Note }) => {
  const { serviceStatus: own } = usePage().words;
  const [before, after] = own.until.split('{time}');
  return (
    <p>
      <strong>
        {own.severities[note.severity]}
        {note.component === null ? '' : `, ${own.component[note.component]}`}
      </strong>
      <br />
      <span dir="auto">{note.text}</span>
      <br />
      <span class="quiet-text small">
        <Time at={note.started_at} />
        {note.ends_at === null ? null : (
          <>
            , {before}
            <Time at={note.ends_at} />
            {after}
          </>
        )}
      </span>
    </p>
  );
};

/** Alerts by their ids; one that the catalogue does not know has the words of the API. */
const alertText = (words: Words, { id, summary }: { id: string; summary: string }): string =>
  labelIn(words.serviceStatus.alert, id) ?? summary;

const Alerts = ({ report }: Props) => {
  const { words } = usePage();
  if (report.active_alerts.length === 0) return null;
  return (
    <Row>
      <div class="note warn">
        <h2>{words.serviceStatus.alerts}</h2>
        {report.active_alerts.map((alert) => (
          <p>
            {alertText(words, alert)}{' '}
            {alert.since === null ? null : (
              <span class="quiet-text">
                <Time at={alert.since} />
              </span>
            )}
          </p>
        ))}
      </div>
    </Row>
  );
};

const Components = ({ report }: Props) => {
  const { serviceStatus: own, site, language } = usePage().words;
  const probe = report.egress.last_probe;
  return (
    <div class="section">
      <Row>
        <h2>{own.components}</h2>
      </Row>
      {report.components.map(({ id, state }) => (
        <div class="row">
          <Sign state={state} />
          <span>
            {own.component[id]} <span class={`${tones[state]}-text`}>{own.partStates[state]}</span>
          </span>
        </div>
      ))}
      <Row>
        <p class="quiet-text small probe">
          {own.probe}
          {site.colon}
          <Time at={probe.checked_at} />,{' '}
          {probe.ok
            ? fill(own.probeOk, { ms: number(language, probe.latency_ms) })
            : fill(own.probeFailed, { reason: probe.reason ?? String(probe.status) })}
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

/** Decimal fractions in a text of symbols, as the language writes them. */
const decimalsIn = (language: string, text: string): string =>
  text.replace(/\d+\.\d+/g, (n) => number(language, Number(n)));

const Objectives = ({ report }: Props) => {
  const { serviceStatus: own, language } = usePage().words;
  const rows = report.objectives.map((objective) => {
    const { id, name, current, unit, target, window } = objective;
    const result = resultOf(objective);
    return [
      labelIn(own.objectiveNames, id) ?? name,
      <span class={`${tones[result]}-text nowrap`}>
        {signs[tones[result]]} {own[result]}
      </span>,
      <span class="nowrap">
        {current === null ? '–' : `${number(language, current)}${ownValue(units, unit) ?? ''}`}
      </span>,
      <span class="nowrap">
        {unit === 'failures'
          ? fill(own.alertAt, { n: number(language, objective.objective) })
          : decimalsIn(language, target)}
      </span>,
      labelIn(own.windows, window) ?? window,
    ];
  });
  return (
    <Section>
      <h2>{own.objectives}</h2>
      <p class="quiet-text">{own.measured}</p>
      <DataTable
        label={own.objectives}
        columns={[own.objective, own.result, own.current, own.target, own.window]}
        rows={rows}
      />
    </Section>
  );
};

type Day = {
  readonly day: string;
  readonly state: 'operational' | 'degraded' | 'outage' | null;
  readonly checks: number;
  /** Percent of the checks. */
  readonly share: number;
};

/** The last ninety days; a day on which nobody checked has no state. */
export const daysOf = ({ history, generated_at }: StatusReport): Day[] => {
  const recorded = new Map(history.days.map((day) => [day.day, day]));
  const today = Date.parse(generated_at);
  return Array.from({ length: statusDays }, (_, index) => {
    const at = new Date(today - (statusDays - 1 - index) * dayMs);
    const day = at.toISOString().slice(0, 10);
    const { checks = 0, degraded = 0, outage = 0 } = recorded.get(day) ?? {};
    if (checks === 0) return { day, state: null, checks, share: 0 };
    const state = outage > 0 ? 'outage' : degraded > 0 ? 'degraded' : 'operational';
    // Never 0 % where something was wrong.
    const share = Math.ceil(((outage || degraded) / checks) * 100);
    return { day, state, checks, share };
  });
};

/** A day of these ninety, as it stands in the rail. */
const shortDate = (language: string, day: string): string => written(language, day, { month: 'short', day: 'numeric' });

const stateText = ({ serviceStatus: own, site, language }: Words, { state, checks, share }: Day) =>
  state === null
    ? own.noData
    : `${fill(own.dayStates[state], { share: number(language, share) })}${site.comma}${plural(language, own.checks, checks)}`;

/** Days below the bars; the bars lead to each. */
const mostDaysListed = 10;

const History = ({ report, day: shown }: Props & { readonly day: string | null }) => {
  const { words } = usePage();
  const { serviceStatus: own, site, language } = words;
  const days = daysOf(report);
  const known = days.filter(({ state }) => state !== null);
  const checks = report.history.days.reduce((sum, day) => sum + day.checks, 0);
  const outage = report.history.days.reduce((sum, day) => sum + day.outage, 0);
  const percent = checks === 0 ? 0 : Math.floor((1 - outage / checks) * 10_000) / 100;
  const summary =
    known.length === 0
      ? own.noHistory
      : fill(own.uptime, {
          percent: number(language, percent),
          n: number(language, known.length),
          total: number(language, days.length),
        });
  const selected = days.find(({ day }) => day === shown);
  return (
    <div class="section">
      <Row>
        <h2>{own.history}</h2>
        <p>{summary}</p>
        <div class="bars" role="img" aria-label={`${own.history}${site.colon}${summary}`}>
          {days.map(({ state }) => (
            <span class={state === null ? 'none' : tones[state]} />
          ))}
        </div>
        <p class="ends small quiet-text">
          <span>{dateIn(words, days[0]?.day ?? '')}</span>
          <span>{dateIn(words, days.at(-1)?.day ?? '')}</span>
        </p>
        <p class="quiet-text small">{own.legend}</p>
        <details open={selected !== undefined}>
          <summary>{own.chooseDay}</summary>
          <ol class="days" aria-label={own.chooseDay}>
            {days.map((day) => (
              <Bar day={day} isSelected={day === selected} />
            ))}
          </ol>
        </details>
      </Row>
      {selected === undefined ? (
        known
          .filter(({ state }) => state !== 'operational')
          .toReversed()
          .slice(0, mostDaysListed)
          .map((day) => (
            <div class="row">
              <a class="at" href={`/status?day=${day.day}#day`}>
                {shortDate(language, day.day)}
              </a>
              <span>{stateText(words, day)}</span>
            </div>
          ))
      ) : (
        <DayEvents report={report} day={selected} />
      )}
    </div>
  );
};

/** The day of the month; the first is marked with the name of its month. */
const dayMark = (language: string, day: string): string =>
  day.endsWith('-01') ? written(language, day, { month: 'short' }) : String(Number(day.slice(8)));

const Bar = ({ day, isSelected }: { readonly day: Day; readonly isSelected: boolean }) => {
  const { words } = usePage();
  const label = `${dateIn(words, day.day)}${words.site.colon}${stateText(words, day)}`;
  return (
    <li>
      <a
        href={`/status?day=${day.day}#day`}
        aria-label={label}
        title={label}
        aria-current={isSelected ? 'true' : undefined}
      >
        <span class={day.state === null ? 'none' : tones[day.state]} />
        <small aria-hidden="true">{dayMark(words.language, day.day)}</small>
      </a>
    </li>
  );
};

/** What went on during a UTC day: incidents and notes. */
const DayEvents = ({ report, day }: Props & { readonly day: Day }) => {
  const { words } = usePage();
  const { serviceStatus: own } = words;
  const from = Date.parse(day.day);
  const touches = (startedAt: string, endedAt: string | null): boolean =>
    Date.parse(startedAt) < from + dayMs && (endedAt === null || Date.parse(endedAt) >= from);
  const incidents = report.history.incidents.filter((one) => touches(one.started_at, one.last_seen_at));
  const notes = report.notes.filter((one) => touches(one.started_at, one.ends_at));
  return (
    <>
      <Row>
        <h3 id="day">{fill(own.day, { day: dateIn(words, day.day) })}</h3>
        <p>{stateText(words, day)}</p>
        {incidents.length + notes.length === 0 ? <p class="quiet-text">{own.noEvents}</p> : null}
      </Row>
      <Events {...{ report, incidents, notes }} />
    </>
  );
};

type Incident = StatusReport['history']['incidents'][number];

const minutesOf = ({ started_at, last_seen_at }: Incident): number =>
  Math.max(1, Math.round((Date.parse(last_seen_at) - Date.parse(started_at)) / minuteMs));

type EventList = Props & { readonly incidents: readonly Incident[]; readonly notes: readonly Note[] };

/** Incidents and notes together, newest first. */
const Events = ({ report, incidents, notes }: EventList) => {
  const { words } = usePage();
  const isOpen = ({ last_seen_at }: Incident): boolean =>
    Date.parse(report.generated_at) - Date.parse(last_seen_at) < incidentGoneMinutes * minuteMs;
  const { serviceStatus: own, language } = words;
  const shown = [
    ...notes.map((note) => ({ at: note.started_at, text: <NoteText note={note} /> })),
    ...incidents.map((incident) => ({
      at: incident.started_at,
      text: (
        <p>
          {alertText(words, incident)}{' '}
          <span class="quiet-text">
            <Time at={incident.started_at} />,{' '}
            {isOpen(incident) ? own.goesOn : plural(language, own.lasted, minutesOf(incident))}
          </span>
        </p>
      ),
    })),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return (
    <>
      {shown.map(({ at, text }) => (
        <Row at={shortDate(language, at)}>{text}</Row>
      ))}
    </>
  );
};

const mostShown = 20;

const Incidents = ({ report }: Props) => {
  const { serviceStatus: own } = usePage().words;
  const isOpen = isOpenAt(new Date(report.generated_at));
  const incidents = report.history.incidents.slice(0, mostShown);
  const notes = report.notes.filter((note) => !isOpen(note)).slice(0, mostShown);
  return (
    <div class="section">
      <Row>
        <h2>{own.incidents}</h2>
        {incidents.length + notes.length === 0 ? <p class="quiet-text">{own.noIncidents}</p> : null}
      </Row>
      <Events {...{ report, incidents, notes }} />
    </div>
  );
};
