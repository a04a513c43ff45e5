import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatusReport } from '#src/contract/meta.ts';
import type { PageContext } from '#src/edges/http/website/layout.tsx';
import { daysOf, resultOf, statusPage } from '#src/edges/http/website/status/status-page.tsx';
import { badge, feed } from '#src/edges/http/website/status/status-routes.ts';
import { wordsOf } from '#src/edges/http/website/words.ts';
import { startEdge } from '#test/support/http.ts';

const context: PageContext = {
  words: wordsOf('en'),
  assets: { style: '/s.css', script: '/s.js', icon: '/i.svg', card: '/c.png' },
  url: '/status',
  publicUrl: 'https://steno.example',
  user: null,
};

const reported = async (): Promise<StatusReport> => {
  const at = '2026-11-21T12:00:00.000Z';
  await using edge = await startEdge({
    clock: () => new Date(at),
    statusHistory: {
      record: async () => undefined,
      read: async () => ({
        days: [
          { day: '2026-11-20', checks: 700, degraded: 0, outage: 0 },
          { day: '2026-11-21', checks: 400, degraded: 4, outage: 0 },
        ],
        incidents: [
          {
            alert: 'egress_down',
            summary: 'The video <platform> does not answer.',
            startedAt: '2026-11-21T11:00:00.000Z',
            lastSeenAt: '2026-11-21T11:30:00.000Z',
          },
        ],
        notes: [
          {
            ...{ noteId: 'nte_1', text: 'We <b>move</b> house.', severity: 'degraded' },
            ...{ component: 'jobs', startedAt: '2026-11-21T09:00:00.000Z', endsAt: null },
          },
          {
            ...{ noteId: 'nte_2', text: 'New disks.', severity: 'outage', component: null },
            ...{ startedAt: '2026-11-19T23:50:00.000Z', endsAt: '2026-11-20T00:10:00.000Z' },
          },
        ],
      }),
    },
  });
  return (await (await edge.get('/api/status.json', {})).json()) as StatusReport;
};

describe('the status page', () => {
  it('distinguishes days without a record from days on which everything worked', async () => {
    const report = await reported();
    const days = daysOf(report);
    assert.equal(days.length, 90);
    assert.deepEqual(
      days.slice(-3).map(({ day, state, share }) => [day, state, share]),
      [
        ['2026-11-19', null, 0],
        ['2026-11-20', 'operational', 0],
        ['2026-11-21', 'degraded', 1],
      ],
    );
    const page = statusPage(context, report);
    assert.match(page, /Nov 19, 2026: no data/);
    assert.match(page, /Nov 20, 2026: operational, 700 checks/);
    assert.match(page, /on 2 of 90 days/);
  });

  it('distinguishes an objective that is met from one that was never measured', async () => {
    const report = await reported();
    const [objective] = report.objectives;
    assert.ok(objective !== undefined);
    assert.equal(resultOf({ ...objective, current: null, status: 'monitored' }), 'noData');
    assert.equal(resultOf({ ...objective, current: 99.9, status: 'met' }), 'met');
    assert.equal(resultOf({ ...objective, current: 90, status: 'monitored' }), 'missed');
    const page = statusPage(context, { ...report, objectives: [{ ...objective, current: null }] });
    assert.match(page, /– no data/);
  });

  it('leads from each bar to the events of that day, and has no other days', async () => {
    const report = await reported();
    assert.equal(statusPage(context, report).match(/href="\/status\?day=\d{4}/g)?.length, 91);
    const shown = (day: string) =>
      /<h3 id="day">(.*?)<div class="section">/.exec(statusPage(context, report, day))?.[1] ?? '';
    assert.match(shown('2026-11-20'), /Events of Nov 20, 2026.*New disks\./);
    assert.match(shown('2026-11-21'), /degraded in 1% of the checks.*lasted 30 minutes.*We &lt;b>/);
    assert.match(shown('2026-11-18'), /no data.*Nothing was recorded/);
    await using edge = await startEdge();
    for (const [day, status] of [
      [new Date().toISOString().slice(0, 10), 200],
      ['2020-01-01', 404],
      ['soon', 404],
    ] as const) {
      assert.equal((await edge.get(`/status?day=${day}`, {})).status, status, day);
    }
  });

  it('shows what operators say, and never a better state than they say', async () => {
    const report = await reported();
    assert.equal(report.status, 'degraded');
    assert.deepEqual(
      report.components.filter(({ state }) => state !== 'ok'),
      [{ id: 'jobs', state: 'degraded' }],
    );
    const page = statusPage(context, report);
    assert.match(page, /Degraded, Jobs and webhooks<\/strong><br\/><span dir="auto">We &lt;b>move/);
    const german = statusPage({ ...context, words: wordsOf('de') }, report);
    assert.match(german, /Beeinträchtigter Betrieb.*Beeinträchtigung, Aufträge und Webhooks/);
  });

  it('lists incidents, and as a feed in which their texts are escaped', async () => {
    const report = await reported();
    assert.match(statusPage(context, report), /lasted 30 minutes/);
    const atom = feed('https://steno.example', report);
    assert.match(atom, /<title>The video &lt;platform&gt; does not answer\.<\/title>/);
    assert.match(atom, /<link href="https:\/\/steno\.example\/status\?day=2026-11-19#day"\/>/);
    assert.match(atom, /<title>Degraded, jobs: We &lt;b&gt;move&lt;\/b&gt; house\.<\/title>/);
    assert.match(atom, /<updated>2026-11-21T11:30:00\.000Z<\/updated>/);
    assert.match(badge({ ...report, status: 'degraded' }), /status: degraded/);
  });
});
